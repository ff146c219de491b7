//! Messages as text, for chats and mail.

use gsi_model::HookMessageKind;
use serde_json::Value;

/// Returns the message as one line, which is the text of a chat message and the subject of a mail.
pub fn one_line(body: &str) -> String {
    let message: Value = serde_json::from_str(body).unwrap_or_default();
    let data = &message["data"];
    let text = |name: &str| data[name].as_str().unwrap_or_default();
    let kind = message["type"].as_str().unwrap_or_default();
    let sentence = match HookMessageKind::from_key(kind) {
        Some(HookMessageKind::AlertBegan | HookMessageKind::BriefingPublished) => text("headline").to_owned(),
        Some(HookMessageKind::AlertEnded) => format!("Over: {}", text("headline")),
        Some(HookMessageKind::SnapshotPublished) => {
            format!("The composite is {} ({}), {}.", data["score"], text("band"), text("as_of"))
        }
        Some(HookMessageKind::Test) => "This is a test of the hook. Nothing has happened.".to_owned(),
        None => kind.to_owned(),
    };
    let world = if message["simulated"] == true { "[simulated] " } else { "" };
    let line = format!("{world}{sentence}");
    line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Returns the body of a mail: the line, the summary, and the whole message as JSON.
pub fn letter(body: &str) -> String {
    let message: Value = serde_json::from_str(body).unwrap_or_default();
    let mut letter = format!("{}\n", one_line(body));
    if let Some(summary) = message["data"]["summary"].as_str() {
        letter.push_str(&format!("\n{summary}\n"));
    }
    let whole = serde_json::to_string_pretty(&message).unwrap_or_default();
    letter.push_str(&format!("\n-- \nGlobal Stability Intelligence\n\n{whole}\n"));
    letter
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_line_describes_the_message_and_marks_simulated_worlds() {
        let line = |value: Value| one_line(&value.to_string());
        let began =
            json!({ "type": "alert.began", "simulated": true, "data": { "headline": "Conflict\nis high." } });
        assert_eq!(line(began), "[simulated] Conflict is high.");
        let ended =
            json!({ "type": "alert.ended", "simulated": false, "data": { "headline": "Conflict is high." } });
        assert_eq!(line(ended), "Over: Conflict is high.");
        let snapshot = json!({ "type": "snapshot.published", "data": { "score": 41.3, "band": "guarded", "as_of": "2026" } });
        assert_eq!(line(snapshot), "The composite is 41.3 (guarded), 2026.");
    }
}
