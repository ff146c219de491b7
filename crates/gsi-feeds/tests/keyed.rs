//! Feeds with keys, with the real fetcher and a server that answers like their publishers and records the requests.

use gsi_feeds::{Connector, Credentials, Fetcher, FetcherSettings};
use gsi_model::{RefusalCode, Timestamp};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

const NOW: &str = "2026-11-15T06:00:00Z";

/// The first line of a request, and all of its head and body.
#[derive(Clone, Debug)]
struct ReceivedRequest {
    line: String,
    all: String,
}

struct Server {
    base: String,
    received: Arc<Mutex<Vec<ReceivedRequest>>>,
}

/// Answers each request with the status and body that `answer` returns.
fn serve(answer: impl Fn(&ReceivedRequest) -> (u16, String) + Send + 'static) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let received: Arc<Mutex<Vec<ReceivedRequest>>> = Arc::default();
    let log = received.clone();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut text = Vec::new();
            let mut piece = [0; 4096];
            // Reads the head, and a body if the head declares one.
            let all = loop {
                let n = stream.read(&mut piece).unwrap_or(0);
                text.extend_from_slice(&piece[..n]);
                let so_far = String::from_utf8_lossy(&text).into_owned();
                let length = so_far
                    .lines()
                    .find_map(|l| l.to_ascii_lowercase().strip_prefix("content-length: ").map(str::to_owned))
                    .and_then(|n| n.trim().parse().ok())
                    .unwrap_or(0);
                let whole = so_far.split_once("\r\n\r\n").is_some_and(|(_, body)| body.len() >= length);
                if n == 0 || whole {
                    break so_far;
                }
            };
            let line = all.lines().next().unwrap_or("").to_owned();
            let request = ReceivedRequest { line, all };
            let (status, body) = answer(&request);
            log.lock().unwrap().push(request);
            let _ = write!(
                stream,
                "HTTP/1.1 {status} x\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    Server { base, received }
}

fn keys() -> Credentials {
    Credentials::from([
        ("nvd", "nvd-secret"),
        ("fred", "fred-secret"),
        ("ucdp", "ucdp-secret"),
        ("acled_email", "desk@example.org"),
        ("acled_password", "acled secret&"),
        ("cloudflare", "radar-secret"),
        ("reliefweb", "my-app"),
    ])
}

fn connector(name: &str) -> Arc<dyn Connector> {
    gsi_feeds::connector(name).unwrap()
}

/// Polls once with an archive. Returns the poll, and the archive's index as text.
async fn poll(name: &str, server: &Server) -> (gsi_feeds::Poll, String) {
    let folder = tempfile::tempdir().unwrap();
    let settings = FetcherSettings {
        archive: Some(folder.path().to_owned()),
        credentials: keys(),
        ..FetcherSettings::simulated(server.base.parse().unwrap())
    };
    let fetcher = Fetcher::new(settings).unwrap();
    let now: Timestamp = NOW.parse().unwrap();
    let poll = connector(name).poll(&fetcher, now, "").await;
    let mut kept = String::new();
    for file in std::fs::read_dir(folder.path().join("index")).unwrap() {
        kept += &std::fs::read_to_string(file.unwrap().path()).unwrap();
    }
    (poll, kept)
}

#[tokio::test]
async fn keys_are_sent_as_the_publisher_requires_and_are_not_stored() {
    /// The feed, the text with the secret in each request, the answer, and the least number of decoded values.
    type Case = (&'static str, &'static str, &'static str, usize);
    let cases: [Case; 6] = [
        (
            "nvd",
            "apikey: nvd-secret",
            r#"{"totalResults":1,"vulnerabilities":[{"cve":{"id":"CVE-2026-1001","published":"DAYT10:15:00.123","vulnStatus":"Received"}}]}"#,
            2,
        ),
        ("fred", "api_key=fred-secret", r#"{"observations":[{"date":"2026-11-12","value":"0.51"}]}"#, 6),
        (
            "radar",
            "authorization: bearer radar-secret",
            r#"{"success":true,"result":{"annotations":[]}}"#,
            56,
        ),
        (
            "reliefweb",
            "appname=my-app",
            r#"{"data":[{"id":"52001","fields":{"primary_type":{"code":"FL"},"date":{"created":"2026-11-12T06:00:00+00:00"}}}]}"#,
            4,
        ),
        (
            "ucdp_api",
            "x-ucdp-access-token: ucdp-secret",
            r#"{"TotalCount":1,"TotalPages":1,"Result":[{"id":1,"type_of_violence":1,"date_start":"2026-10-01","date_end":"2026-10-02","best":3}]}"#,
            31,
        ),
        (
            "ports",
            "get /services9.arcgis.com/",
            r#"{"features":[{"attributes":{"date":"2026-08-01","ISO3":"NLD","calls":5100,"imports":3.1e7,"exports":3.0e7}}]}"#,
            3,
        ),
    ];
    for (feed, secret, body, least) in cases {
        let server = serve(move |received| {
            let day = received.line.split("pubStartDate=").nth(1).and_then(|d| d.get(..10)).unwrap_or("");
            (200, body.replace("DAY", day))
        });
        let (poll, kept) = poll(feed, &server).await;
        assert!(poll.refusals.is_empty(), "{feed}: {:?}", poll.refusals);
        let values = poll.decoded.iter().map(|d| d.observations.len()).sum::<usize>();
        assert!(values >= least, "{feed}: {values} values");
        let received = server.received.lock().unwrap().clone();
        assert!(received.iter().all(|a| a.all.to_lowercase().contains(secret)), "{feed}: {received:?}");
        assert!(!kept.is_empty() && !kept.contains("secret") && !kept.contains("my-app"), "{feed}: {kept}");
        assert!(!poll.checkpoint.contains("secret"), "{feed}: {}", poll.checkpoint);
    }
}

#[tokio::test]
async fn acled_logs_in_first_and_its_token_is_not_stored() {
    let server = serve(|received| match received.line.as_str() {
        line if line.starts_with("POST /acleddata.com/oauth/token ") => {
            assert!(
                received.all.ends_with(
                    "username=desk%40example.org&password=acled+secret%26&grant_type=password&client_id=acled"
                ),
                "{}",
                received.all
            );
            (200, r#"{"token_type":"Bearer","expires_in":86400,"access_token":"token-secret"}"#.to_owned())
        }
        line => {
            let day = line.split("event_date=").nth(1).and_then(|d| d.get(..10)).unwrap_or("").to_owned();
            let event = format!(
                r#"{{"event_id_cnty":"UKR1001","event_date":"{day}","event_type":"Battles","fatalities":"4"}}"#
            );
            let allowed = received.all.to_lowercase().contains("authorization: bearer token-secret");
            if allowed {
                (200, format!(r#"{{"status":200,"data":[{event}]}}"#))
            } else {
                (403, "{}".to_owned())
            }
        }
    });
    let (poll, kept) = poll("acled", &server).await;
    assert!(poll.refusals.is_empty(), "{:?}", poll.refusals);
    assert_eq!(poll.decoded.len(), 5);
    assert!(!kept.contains("secret") && !kept.contains("oauth"), "{kept}");
}

#[tokio::test]
async fn a_wrong_key_is_refused_and_a_missing_key_is_found() {
    for feed in ["fred", "radar", "reliefweb", "ucdp_api", "acled"] {
        let connector = connector(feed);
        assert!(Credentials::default().find_missing(connector.keys()).is_some(), "{feed}");
        assert!(keys().find_missing(connector.keys()).is_none(), "{feed}");
        let server = serve(|_| (403, r#"{"message":"no"}"#.to_owned()));
        let (poll, _) = poll(feed, &server).await;
        assert_eq!(poll.refusals[0].code, RefusalCode::Status403, "{feed}");
        assert!(poll.decoded.is_empty() && !poll.unchanged, "{feed}");
    }
    let without_any = Credentials::default().find_missing(connector("nvd").keys());
    assert!(without_any.is_none(), "the key is optional");
}
