//! The reference as a plain page, for browsers without scripts and for builds without the dashboard: every operation
//! with its parameters and answers, and every schema with its fields.

use quick_xml::escape::escape;
use serde_json::{Map, Value};
use std::fmt::Write as _;
use std::sync::LazyLock;

/// The content of the page below its heading.
pub fn reference() -> &'static str {
    static REFERENCE: LazyLock<String> = LazyLock::new(|| write_reference(&super::document()));
    &REFERENCE
}

fn write_reference(document: &Value) -> String {
    let mut page = String::new();
    let none = Map::new();
    let map = |value: &Value| value.as_object().cloned().unwrap_or_default();
    let info = &document["info"];
    // Writing into a String cannot fail.
    let _ = write!(page, "<p>{} {}.</p>", plain(&info["title"]), plain(&info["version"]));
    let _ = write!(page, "<p>{}</p>", words(&info["description"]));
    for tag in document["tags"].as_array().into_iter().flatten() {
        let name = plain(&tag["name"]);
        let _ = write!(page, "<section><h2 id=\"{name}\">{name}</h2><p>{}</p>", words(&tag["description"]));
        for (path, methods) in document["paths"].as_object().unwrap_or(&none) {
            let tagged = |operation: &Value| operation["tags"][0] == tag["name"];
            for (method, operation) in map(methods).iter().filter(|(_, operation)| tagged(operation)) {
                write_operation(&mut page, method, path, operation);
            }
        }
        page.push_str("</section>");
    }
    page.push_str("<section><h2 id=\"schemas\">Schemas</h2>");
    for (name, schema) in map(&document["components"]["schemas"]) {
        write_schema(&mut page, &name, &schema);
    }
    page.push_str("</section>");
    page
}

fn write_operation(page: &mut String, method: &str, path: &str, operation: &Value) {
    let id = plain(&operation["operationId"]);
    let (method, path) = (method.to_uppercase(), escape(path));
    let _ = write!(page, "<h3 id=\"{id}\"><code>{method} {path}</code></h3>");
    let _ = write!(
        page,
        "<p><strong>{}.</strong> {}</p>",
        plain(&operation["summary"]),
        words(&operation["description"])
    );
    let parameters = operation["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !parameters.is_empty() {
        page.push_str("<dl>");
        for parameter in parameters {
            let needed = if parameter["required"] == true { ", required" } else { "" };
            let (name, place) = (plain(&parameter["name"]), plain(&parameter["in"]));
            let kind = kind_of(&parameter["schema"]);
            let _ = write!(page, "<dt><code>{name}</code> ({place}{needed}): {kind}</dt>");
            let _ = write!(page, "<dd>{}</dd>", words(&parameter["description"]));
        }
        page.push_str("</dl>");
    }
    page.push_str("<ul>");
    for (status, answer) in operation["responses"].as_object().into_iter().flatten() {
        let _ = write!(page, "<li><code>{}</code> ", escape(status));
        match answer["$ref"].as_str().and_then(|name| name.rsplit('/').next()) {
            Some(name) => page.push_str(&escape(name)),
            None => page.push_str(&words(&answer["description"])),
        }
        for (form, content) in answer["content"].as_object().into_iter().flatten() {
            let _ = write!(page, " <code>{}</code>: {}.", escape(form), kind_of(&content["schema"]));
        }
        page.push_str("</li>");
    }
    page.push_str("</ul>");
}

fn write_schema(page: &mut String, name: &str, schema: &Value) {
    let name = escape(name);
    let _ = write!(page, "<h3 id=\"schema-{name}\">{name}</h3><p>{}</p>", words(&schema["description"]));
    let Some(fields) = schema["properties"].as_object() else {
        let _ = write!(page, "<p>{}</p>", kind_of(schema));
        return;
    };
    page.push_str("<dl>");
    for (field, about) in fields {
        let _ = write!(page, "<dt><code>{}</code>: {}</dt>", escape(field), kind_of(about));
        let _ = write!(page, "<dd>{}</dd>", words(&about["description"]));
    }
    page.push_str("</dl>");
}

/// The type of a value in a few words, with a link when it has a name.
fn kind_of(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next()) {
        let name = escape(name);
        return format!("<a href=\"#schema-{name}\">{name}</a>");
    }
    for any in ["oneOf", "anyOf", "allOf"] {
        if let Some(kinds) = schema[any].as_array() {
            return kinds.iter().map(kind_of).collect::<Vec<_>>().join(" or ");
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        let value = |v: &Value| format!("<code>{}</code>", escape(v.to_string().trim_matches('"')));
        return values.iter().map(value).collect::<Vec<_>>().join(", ");
    }
    match &schema["type"] {
        Value::Array(kinds) => kinds.iter().map(plain).collect::<Vec<_>>().join(" or "),
        kind if *kind == "array" => format!("list of {}", kind_of(&schema["items"])),
        kind if kind.is_string() => plain(kind),
        _ => "any value".to_owned(),
    }
}

fn plain(value: &Value) -> String {
    escape(value.as_str().unwrap_or_default()).into_owned()
}

/// Text in which backticks mark code.
fn words(value: &Value) -> String {
    let text = plain(value);
    let mut out = String::with_capacity(text.len());
    for (n, part) in text.split('`').enumerate() {
        match n % 2 {
            1 => out.extend(["<code>", part, "</code>"]),
            _ => out.push_str(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_operation_and_schema_is_on_the_page_and_every_link_leads_somewhere() {
        let page = reference();
        let document = super::super::document();
        let mut operations = 0;
        for (path, methods) in document["paths"].as_object().unwrap() {
            for operation in methods.as_object().unwrap().values() {
                let id = operation["operationId"].as_str().unwrap();
                assert!(page.contains(&format!("<h3 id=\"{id}\"><code>GET {path}</code></h3>")), "{id}");
                operations += 1;
            }
        }
        assert!(operations > 20, "{operations}");
        for link in page.split("href=\"#").skip(1) {
            let id = link.split('"').next().unwrap();
            assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
        }
    }

    #[test]
    fn what_is_written_is_text() {
        let text = json!("`a<b` is <not> a tag");
        assert_eq!(words(&text), "<code>a&lt;b</code> is &lt;not&gt; a tag");
        assert_eq!(kind_of(&json!({"type": ["string", "null"]})), "string or null");
        assert_eq!(kind_of(&json!({"type": "array", "items": {"type": "number"}})), "list of number");
        assert_eq!(kind_of(&json!({"enum": ["up", 2]})), "<code>up</code>, <code>2</code>");
    }
}
