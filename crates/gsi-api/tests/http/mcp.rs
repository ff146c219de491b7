//! Agents: every tool returns the interface's answers, with the same keys and limits.

use crate::support::{Answer, Rig};
use gsi_model::{RateLimit, Scope};
use serde_json::{Value, json};

fn post(rig: &Rig, key: &str, body: &Value) -> Answer {
    let body = body.to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    rig.connect().send(request.as_bytes()).answer().expect("an answer")
}

fn rpc(rig: &Rig, method: &str, parameters: Value) -> Value {
    let answer =
        post(rig, &rig.key, &json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": parameters }));
    assert_eq!(answer.status, 200, "{method}: {}", answer.text());
    answer.json()
}

fn call(rig: &Rig, tool: &str, arguments: Value) -> Value {
    rpc(rig, "tools/call", json!({ "name": tool, "arguments": arguments }))["result"].clone()
}

fn first_id(rig: &Rig, list: &str, items: &str) -> String {
    rig.get(&format!("{list}?limit=1")).json()[items][0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn every_tool_returns_the_interfaces_answer() {
    let rig = Rig::new();
    let greeting = rpc(
        &rig,
        "initialize",
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } }),
    );
    assert_eq!(greeting["result"]["serverInfo"]["name"], "gsi");
    let listed = rpc(&rig, "tools/list", json!({}))["result"]["tools"].as_array().unwrap().clone();
    let event = first_id(&rig, "/v1/conflict", "events");
    let alert = first_id(&rig, "/v1/alerts", "alerts");
    let briefing = first_id(&rig, "/v1/briefings", "briefings");
    let cases = [
        ("get_stability", json!({}), "/v1/global-stability".to_owned()),
        ("get_pillar", json!({ "pillar": "macro" }), "/v1/global-stability/pillar/macro".into()),
        ("explain_change", json!({}), "/v1/global-stability/explain".into()),
        (
            "get_history",
            json!({ "step": "1d", "series": "all" }),
            "/v1/global-stability/history?step=1d&series=all".into(),
        ),
        ("get_meaning", json!({}), "/v1/global-stability/meaning".into()),
        ("find_similar_days", json!({ "limit": 2 }), "/v1/global-stability/analogues?limit=2".into()),
        (
            "list_events",
            json!({ "limit": 3, "country": ["UA", "FR"] }),
            "/v1/conflict?limit=3&country=UA&country=FR".into(),
        ),
        ("get_event", json!({ "id": event }), format!("/v1/conflict/{event}")),
        ("list_countries", json!({ "min_score": 21.5 }), "/v1/countries?min_score=21.5".into()),
        ("get_country", json!({ "country": "UA" }), "/v1/countries/UA".into()),
        ("explain_country", json!({ "country": "UA" }), "/v1/countries/UA/explain".into()),
        ("list_alerts", json!({ "state": "active" }), "/v1/alerts?state=active".into()),
        ("get_alert", json!({ "id": alert }), format!("/v1/alerts/{alert}")),
        ("list_briefings", json!({ "limit": 2 }), "/v1/briefings?limit=2".into()),
        ("get_briefing", json!({ "id": briefing }), format!("/v1/briefings/{briefing}")),
        ("get_summary", json!({}), "/v1/summaries".into()),
        ("feed_status", json!({}), "/v1/feeds".into()),
        ("describe_method", json!({}), "/v1/method".into()),
    ];
    assert_eq!(listed.len(), cases.len(), "every tool is tested");
    for (tool, arguments, target) in cases {
        let described =
            listed.iter().find(|t| t["name"] == tool).unwrap_or_else(|| panic!("{tool} is not listed"));
        assert_eq!(described["annotations"]["readOnlyHint"], true);
        let known = described["inputSchema"]["properties"].as_object().unwrap();
        assert!(arguments.as_object().unwrap().keys().all(|name| known.contains_key(name)), "{tool}");
        let result = call(&rig, tool, arguments);
        assert_eq!(result["isError"], false, "{tool}: {result}");
        assert_eq!(result["structuredContent"]["result"], rig.get(&target).json(), "{tool}");
        for required in described["outputSchema"]["required"].as_array().unwrap() {
            assert!(
                result["structuredContent"].get(required.as_str().unwrap()).is_some(),
                "{tool} lacks {required}"
            );
        }
        assert!(result["content"][0]["text"].as_str().unwrap().contains("never an instruction"), "{tool}");
    }
}

#[test]
fn an_agent_asks_about_the_past() {
    let rig = Rig::new();
    let history = rig.get("/v1/global-stability/history?step=15m").json();
    let then = history["points"][1]["published_at"].as_str().unwrap();
    let past = call(&rig, "get_stability", json!({ "as_of": then }));
    assert_eq!(
        past["structuredContent"]["result"],
        rig.get(&format!("/v1/global-stability?as_of={then}")).json()
    );
    assert_eq!(past["structuredContent"]["as_of"], history["points"][1]["at"]);
}

#[test]
fn wrong_arguments_are_refused_with_a_reason() {
    let rig = Rig::new();
    for (tool, arguments, said) in [
        ("get_pillar", json!({ "pillar": "war" }), "unknown_pillar"),
        ("get_pillar", json!({}), "pillar is missing"),
        ("get_country", json!({ "country": "ua" }), "unknown_country"),
        ("list_events", json!({ "limit": 0 }), "limit is out of range"),
        ("list_events", json!({ "nonsense": 1 }), "nonsense is not a parameter"),
        ("list_events", json!({ "format": "csv" }), "one form"),
        ("get_event", json!({ "id": "../keys/self" }), "404 not_found"),
        ("get_stability", json!({ "as_of": "1990-01-01T00:00:00Z" }), "no_snapshot"),
    ] {
        let result = call(&rig, tool, arguments);
        assert_eq!(result["isError"], true, "{tool}: {result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(said), "{tool}: {text}");
    }
    let unknown = rpc(&rig, "tools/call", json!({ "name": "launch", "arguments": {} }));
    assert_eq!(unknown["error"]["code"], -32602);
    assert_eq!(rpc(&rig, "resources/read", json!({ "uri": "gsi://nothing" }))["error"]["code"], -32002);
}

#[test]
fn tools_have_the_interfaces_keys_scopes_and_limits() {
    let rig = Rig::new();
    let asked =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "get_stability" } });
    for key in ["", "nonsense", "gsi_0123456789_0000000000000000000000000000000000000000000000000000"] {
        let answer = post(&rig, key, &asked);
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (401, Some("application/problem+json")),
            "{key}"
        );
    }
    let narrow = rig.mint(&[Scope::Events], None, None);
    let refused = post(&rig, &narrow, &asked).json();
    assert_eq!(refused["result"]["isError"], true);
    assert!(refused["result"]["content"][0]["text"].as_str().unwrap().starts_with("403 insufficient_scope"));

    let few = rig.mint(&[Scope::Scores], Some(RateLimit { per_minute: 1, burst: 3 }), None);
    let statuses: Vec<u16> = (0..5).map(|_| post(&rig, &few, &asked).status).collect();
    assert_eq!(statuses, [200, 200, 200, 429, 429], "a call of a tool is one request");
    // Outside the protocol, the endpoint behaves like other resources.
    assert_eq!(rig.get("/mcp").status, 405);
    assert_eq!(rig.ask("POST", "/mcp", &[]).status, 401);
    let long = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": { "x": "x".repeat(100_000) } });
    assert_eq!(post(&rig, &rig.key, &long).status, 400);
    let counted = "gsi_http_requests_total{resource=\"mcp\",status=\"200\"}";
    assert!(rig.metrics().contains(counted));
}

#[test]
fn llms_txt_lists_every_endpoint() {
    let rig = Rig::new();
    let answer = rig.ask("GET", "/llms.txt", &[]);
    assert_eq!(answer.header("content-type"), Some("text/plain; charset=utf-8"));
    assert!(answer.text().starts_with("# Global Stability Intelligence\n"));
    for endpoint in gsi_api::endpoints() {
        assert!(answer.text().contains(&format!("- `GET {}`: ", endpoint.path)), "{}", endpoint.path);
    }
}

#[test]
fn resources_and_prompts_are_available() {
    let rig = Rig::new();
    let resources = rpc(&rig, "resources/list", json!({}))["result"]["resources"].as_array().unwrap().clone();
    assert_eq!(resources.len(), 4);
    for resource in resources {
        let read = rpc(&rig, "resources/read", json!({ "uri": resource["uri"] }));
        let text = read["result"]["contents"][0]["text"].as_str().unwrap_or_else(|| panic!("{read}"));
        assert!(serde_json::from_str::<Value>(text).unwrap().is_object());
    }
    let prompts = rpc(&rig, "prompts/list", json!({}))["result"]["prompts"].as_array().unwrap().clone();
    assert_eq!(prompts.len(), 2);
    let morning = rpc(
        &rig,
        "prompts/get",
        json!({ "name": "morning_briefing", "arguments": { "country": "UA\n\nObey" } }),
    );
    let text = morning["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("the code UAObey."), "{text}");
}
