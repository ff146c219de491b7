//! The code samples of each operation (`x-codeSamples`): a call with curl, and with the Python and TypeScript clients.

use serde_json::{Value, json};

/// The call from which a sample takes an identifier, so that the sample works with every store.
struct FirstOf {
    /// The prefix of the identifiers.
    prefix: &'static str,
    path: &'static str,
    operation: &'static str,
    /// The subscripts that select the identifier in the answer. Python and TypeScript write them the same way.
    place: &'static str,
}

const SOURCES: [FirstOf; 4] = [
    FirstOf { prefix: "alr_", path: "/v1/alerts", operation: "listAlerts", place: "[\"alerts\"][0][\"id\"]" },
    FirstOf {
        prefix: "brf_",
        path: "/v1/briefings",
        operation: "listBriefings",
        place: "[\"briefings\"][0][\"id\"]",
    },
    FirstOf {
        prefix: "evt_",
        path: "/v1/conflict",
        operation: "listConflictEvents",
        place: "[\"events\"][0][\"id\"]",
    },
    FirstOf {
        prefix: "snp_",
        path: "/v1/global-stability/explain",
        operation: "explainGlobalStability",
        place: "[\"snapshot\"]",
    },
];

/// The value of a path parameter: a name that always exists, or an identifier from the answer to another call.
enum Argument {
    Name(&'static str),
    First(&'static FirstOf),
}

fn argument(parameter: &Value) -> Option<Argument> {
    let pattern = parameter["schema"]["pattern"].as_str().unwrap_or_default();
    match parameter["name"].as_str()? {
        "pillar" => Some(Argument::Name("conflict")),
        "country" => Some(Argument::Name("UA")),
        _ => SOURCES
            .iter()
            .find(|s| pattern.trim_start_matches('^').starts_with(s.prefix))
            .map(Argument::First),
    }
}

/// Returns the samples of an operation. Readers can run them unchanged. Operations without a JSON answer have only a
/// curl sample.
pub fn samples(path: &str, operation: &Value) -> Value {
    let id = operation["operationId"].as_str().unwrap_or_default();
    let parameters = operation["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
    let in_path = parameters.iter().find(|parameter| parameter["in"] == "path");
    let argument = in_path.and_then(argument);
    let mut samples = vec![sample("curl", "Shell", shell(path, argument.as_ref()))];
    if operation["responses"]["200"]["content"].get("application/json").is_some() {
        samples.push(sample("Python", "Python", python(id, argument.as_ref())));
        samples.push(sample("TypeScript", "TypeScript", typescript(id, argument.as_ref())));
    }
    json!(samples)
}

fn shell(path: &str, argument: Option<&Argument>) -> String {
    match argument {
        None => curl(path),
        Some(Argument::Name(name)) => curl(&fill(path, name)),
        Some(Argument::First(source)) => format!(
            "ID=$({} | grep -o '{}[0-9A-Z]*' | head -n 1)\n{}",
            curl(source.path),
            source.prefix,
            curl(&fill(path, "$ID"))
        ),
    }
}

fn python(operation: &str, argument: Option<&Argument>) -> String {
    let argument = match argument {
        None => String::new(),
        Some(Argument::Name(name)) => format!("\"{name}\""),
        Some(Argument::First(source)) => format!("client.{}(){}", snake_case(source.operation), source.place),
    };
    format!(
        "from gsi_client import Client\n\nwith Client() as client:  # STABILITY_URL, STABILITY_KEY\n    \
         print(client.{}({argument}))",
        snake_case(operation)
    )
}

fn typescript(operation: &str, argument: Option<&Argument>) -> String {
    let (before, argument) = match argument {
        None => (String::new(), String::new()),
        Some(Argument::Name(name)) => (String::new(), format!("\"{name}\"")),
        Some(Argument::First(source)) => {
            // With `noUncheckedIndexedAccess`, TypeScript treats the first element of a list as possibly undefined.
            let place = source.place.replace("[0]", "[0]?.");
            (
                format!("const first = (await client.{}()){place} ?? \"\";\n", source.operation),
                "first".to_owned(),
            )
        }
    };
    format!(
        "import {{ Client }} from \"gsi-client\";\n\nconst {{ STABILITY_URL: baseUrl = \"\", STABILITY_KEY: \
         key = \"\" }} = process.env;\nconst client = new Client({{ baseUrl, key }});\n{before}console.log(await \
         client.{operation}({argument}));"
    )
}

fn sample(label: &str, language: &str, source: String) -> Value {
    json!({ "label": label, "lang": language, "source": source })
}

fn curl(address: &str) -> String {
    format!("curl -sS -H \"Authorization: Bearer $STABILITY_KEY\" \"$STABILITY_URL{address}\"")
}

/// Returns the path with its first parameter replaced by `value`.
fn fill(address: &str, value: &str) -> String {
    match (address.find('{'), address.find('}')) {
        (Some(from), Some(to)) => format!("{}{value}{}", &address[..from], &address[to + 1..]),
        _ => address.to_owned(),
    }
}

fn snake_case(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_names_the_method_and_fills_the_path() {
        let parameters = json!([{ "in": "path", "name": "pillar" }]);
        let operation = json!({ "operationId": "getPillarHistory", "parameters": parameters, "responses": { "200": { "content": { "application/json": {} } } } });
        let made = samples("/v1/global-stability/pillar/{pillar}/history", &operation);
        assert!(made[0]["source"].as_str().unwrap().ends_with("/pillar/conflict/history\""));
        assert!(made[1]["source"].as_str().unwrap().contains("client.get_pillar_history(\"conflict\")"));
        assert!(made[2]["source"].as_str().unwrap().contains(".getPillarHistory(\"conflict\")"));
        let parameters =
            json!([{ "in": "path", "name": "id", "schema": { "pattern": "^brf_[0-9A-Z]{26}$" } }]);
        let one = json!({ "operationId": "getBriefing", "parameters": parameters, "responses": { "200": { "content": { "application/json": {} } } } });
        let made = samples("/v1/briefings/{id}", &one);
        assert!(made[0]["source"].as_str().unwrap().ends_with("/v1/briefings/$ID\""), "{made}");
        assert!(
            made[1]["source"]
                .as_str()
                .unwrap()
                .contains("get_briefing(client.list_briefings()[\"briefings\"][0][\"id\"])")
        );
        assert!(made[2]["source"].as_str().unwrap().contains("[\"briefings\"][0]?.[\"id\"] ?? \"\""));
        let picture =
            json!({ "operationId": "getCard", "responses": { "200": { "content": { "image/png": {} } } } });
        assert_eq!(samples("/card.png", &picture).as_array().map(Vec::len), Some(1));
    }
}
