//! Documents that an agent may load into its context.

use rmcp::model::Resource;

/// Address, name, path in the interface, and description.
const DOCUMENTS: [(&str, &str, &str, &str); 4] = [
    ("gsi://summary", "summary", "/v1/summaries", "The newest rolling summary, renewed every 15 minutes."),
    ("gsi://briefings", "briefings", "/v1/briefings?limit=5", "The newest daily briefings."),
    ("gsi://method", "method", "/v1/method", "How the score is made: indicators, weights, rules, versions."),
    ("gsi://openapi", "openapi", "/openapi.json", "The interface behind the tools, as OpenAPI 3.1."),
];

pub fn all() -> Vec<Resource> {
    let resource = |(uri, name, _, description): &(&str, &str, &str, &str)| {
        Resource::new(*uri, *name).with_description(*description).with_mime_type("application/json")
    };
    DOCUMENTS.iter().map(resource).collect()
}

/// The path in the interface.
pub fn path_of(uri: &str) -> Option<&'static str> {
    DOCUMENTS.iter().find(|(known, ..)| *known == uri).map(|(_, _, path, _)| *path)
}
