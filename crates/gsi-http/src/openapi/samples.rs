//! How each operation is called, in curl and with the two clients, as `x-codeSamples`.

use serde_json::{Value, json};

/// What stands in a path, as an example; identifiers are those that a list gives.
fn example(parameter: &str) -> &str {
    match parameter {
        "pillar" => "conflict",
        "country" => "UA",
        _ => "ID",
    }
}

/// The samples of an operation. The clients have a method for every answer in JSON.
pub fn samples(path: &str, operation: &Value) -> Value {
    let id = operation["operationId"].as_str().unwrap_or_default();
    let values: Vec<&str> = parameters(path).map(example).collect();
    let address = values.iter().fold(path.to_owned(), |address, value| fill(&address, value));
    let mut samples = vec![sample("curl", "Shell", curl(&address))];
    if operation["responses"]["200"]["content"].get("application/json").is_some() {
        let quoted: Vec<String> = values.iter().map(|value| format!("\"{value}\"")).collect();
        let arguments = quoted.join(", ");
        samples.push(sample(
            "Python",
            "Python",
            format!(
                "from gsi_client import Client\n\nwith Client() as client:  # STABILITY_URL, STABILITY_KEY\n    \
                 print(client.{}({arguments}))",
                snake_case(id)
            ),
        ));
        samples.push(sample(
            "TypeScript",
            "TypeScript",
            format!(
                "import {{ Client }} from \"gsi-client\";\n\nconst {{ STABILITY_URL: baseUrl = \"\", STABILITY_KEY: \
                 key = \"\" }} = process.env;\nconsole.log(await new Client({{ baseUrl, key }}).{id}({arguments}));"
            ),
        ));
    }
    json!(samples)
}

fn sample(label: &str, language: &str, source: String) -> Value {
    json!({ "label": label, "lang": language, "source": source })
}

fn curl(address: &str) -> String {
    format!("curl -sS -H \"Authorization: Bearer $STABILITY_KEY\" \"$STABILITY_URL{address}\"")
}

fn parameters(path: &str) -> impl Iterator<Item = &str> {
    path.split('{').skip(1).filter_map(|rest| rest.split('}').next())
}

/// The address with its first parameter filled in.
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
        let operation = json!({ "operationId": "getPillarHistory", "responses": { "200": { "content": { "application/json": {} } } } });
        let made = samples("/v1/global-stability/pillar/{pillar}/history", &operation);
        assert!(made[0]["source"].as_str().unwrap().ends_with("/pillar/conflict/history\""));
        assert!(made[1]["source"].as_str().unwrap().contains("client.get_pillar_history(\"conflict\")"));
        assert!(made[2]["source"].as_str().unwrap().contains(".getPillarHistory(\"conflict\")"));
        let picture =
            json!({ "operationId": "getCard", "responses": { "200": { "content": { "image/png": {} } } } });
        assert_eq!(samples("/card.png", &picture).as_array().map(Vec::len), Some(1));
    }
}
