//! Requests without a key read only the resources that the operator publishes.

use crate::bodies::read_without_events;
use crate::contract::target;
use crate::support::{Rig, world};
use gsi_api::{Asset, Assets, Cors, PublicResource, TrustedProxies};
use gsi_model::{Clock, RateLimit, Scope};
use std::sync::Arc;

const ORIGIN: (&str, &str) = ("Origin", "https://elsewhere.example");

/// A time between the last tick of the world and the clock.
const AT: &str = "2026-11-14T12:06:00Z";

fn publishing(resources: &[PublicResource]) -> Rig {
    Rig::with(|settings| {
        settings.public.resources = resources.to_vec();
        settings.public.requests_per_minute = 1_000_000;
    })
}

fn bearer(key: &str) -> (&'static str, String) {
    ("Authorization", format!("Bearer {key}"))
}

/// Requests every endpoint in every configuration with every kind of credentials.
#[test]
fn every_configuration_publishes_only_its_resources() {
    for chosen in 0..1_u32 << PublicResource::ALL.len() {
        let all = PublicResource::ALL.into_iter().enumerate();
        let resources: Vec<_> = all.filter(|(n, _)| chosen >> n & 1 == 1).map(|(_, r)| r).collect();
        walk(&resources);
    }
}

fn walk(resources: &[PublicResource]) {
    let rig = publishing(resources);
    let document = gsi_api::openapi::document();
    let narrow = bearer(&rig.mint(&[Scope::Events], None, None));
    let wrong = [
        bearer("nonsense").1,
        bearer(&rig.key[..rig.key.len() - 1]).1,
        "Bearer".to_owned(),
        "Basic Og==".to_owned(),
        rig.key.clone(),
    ];
    let (name, right) = bearer(&rig.key);
    for endpoint in gsi_api::endpoints() {
        let case = format!("{} with {resources:?}", endpoint.path);
        let target = target(&rig, &endpoint.path);
        let is_open = !endpoint.public.is_empty() && endpoint.public.iter().all(|r| resources.contains(r));
        for method in ["GET", "HEAD"] {
            let answer = rig.ask(method, &target, &[ORIGIN]);
            assert_eq!(answer.status, if is_open { 200 } else { 401 }, "{method} {case}");
            let origin = answer.header("access-control-allow-origin");
            let cached = answer.header("cache-control").unwrap();
            if is_open {
                assert_eq!(origin, Some("*"), "{case}");
                assert!(cached.starts_with("public, max-age="), "{case}: {cached}");
                assert_eq!(answer.header("ratelimit"), None, "a shared cache keeps it");
                assert!(answer.header("ratelimit-policy").unwrap().starts_with("\"public\";q="), "{case}");
                let operation = &document["paths"][&endpoint.path]["get"];
                let has_forms =
                    operation["parameters"].as_array().unwrap().iter().any(|p| p["name"] == "format");
                let accept = if has_forms { " Accept," } else { "" };
                let vary = format!("Authorization,{accept} Accept-Encoding");
                assert_eq!(answer.header("vary"), Some(vary.as_str()), "{case}");
            } else {
                assert_eq!((origin, cached, answer.header("etag")), (None, "no-store", None), "{case}");
                if method == "GET" {
                    assert_eq!(answer.code(), "missing_credentials", "{case}");
                }
            }
        }
        if is_open {
            assert!(!read_without_events(&rig, &document, &endpoint.path, &[]), "{case}");
        }
        // A key is always checked, also where none is needed.
        for authorization in &wrong {
            assert_eq!(rig.ask("GET", &target, &[(name, authorization)]).status, 401, "{case}");
        }
        let keyed = rig.ask("HEAD", &target, &[(name, &right), ORIGIN]);
        assert_eq!(keyed.status, 200, "{case}");
        assert!(!keyed.header("cache-control").unwrap().starts_with("public"), "{case}");
        assert_eq!(keyed.header("access-control-allow-origin"), None, "{case}");
        assert!(keyed.header("ratelimit").is_some(), "{case}");
        let status = rig.ask("HEAD", &target, &[(narrow.0, &narrow.1)]).status;
        let covered = endpoint.access.scope().is_none_or(|scope| scope == Scope::Events);
        assert_eq!(status, if covered { 200 } else { 403 }, "{case}");
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "BREW"] {
            assert_eq!(rig.ask(method, &target, &[]).status, 401, "{method} {case}");
        }
        // The past is a separate resource.
        let parameters = &document["paths"][&endpoint.path]["get"]["parameters"];
        if parameters.as_array().unwrap().iter().any(|p| p["name"] == "as_of") {
            let has_past = is_open && resources.contains(&PublicResource::History);
            for parameter in ["as_of", "as%5Fof", "%61s_of"] {
                let asked = format!("{target}?{parameter}={AT}");
                let status = rig.ask("GET", &asked, &[]).status;
                assert_eq!(status, if has_past { 200 } else { 401 }, "{asked} with {resources:?}");
            }
        }
    }
    for path in [
        "/v1",
        "/v1/",
        "/v1/nothing",
        "/v1/global-stability/",
        "//v1/global-stability",
        "/V1/global-stability",
        "/v1%2fglobal-stability",
        "/v1/global-stability/pillar/macro/explain",
        "/mcp",
    ] {
        assert_eq!(rig.ask("GET", path, &[]).status, 401, "{path} with {resources:?}");
    }
}

/// Repeats the public endpoints by hand, so that a mistake in the list of endpoints fails here.
#[test]
fn each_resource_opens_its_endpoints() {
    use PublicResource::{Briefings, Countries, History, Score, Summary};
    let rows: [(&[PublicResource], &[&str]); 7] = [
        (&[], &[]),
        (
            &[Score],
            &["/badge.svg", "/card.png", "/v1/global-stability", "/v1/global-stability/pillar/{pillar}"],
        ),
        (&[Summary], &["/v1/summaries"]),
        (&[Briefings], &["/briefings.atom", "/briefings.json", "/v1/briefings", "/v1/briefings/{id}"]),
        (&[History], &["/v1/global-stability/history", "/v1/global-stability/pillar/{pillar}/history"]),
        (&[Countries], &["/v1/countries", "/v1/countries/{country}"]),
        (
            &[Countries, History],
            &[
                "/v1/countries",
                "/v1/countries/{country}",
                "/v1/countries/{country}/history",
                "/v1/global-stability/history",
                "/v1/global-stability/pillar/{pillar}/history",
            ],
        ),
    ];
    for (resources, paths) in rows {
        let rig = publishing(resources);
        let is_open = |path: &String| rig.ask("HEAD", &target(&rig, path), &[]).status == 200;
        let mut open: Vec<String> =
            gsi_api::endpoints().into_iter().map(|e| e.path).filter(is_open).collect();
        open.sort();
        assert_eq!(open, paths, "{resources:?}");
    }
}

#[test]
fn answers_with_and_without_a_key_have_the_same_bytes() {
    let rig = publishing(&PublicResource::ALL);
    for path in
        ["/v1/global-stability", "/v1/summaries", "/v1/briefings", "/v1/countries?format=csv", "/card.png"]
    {
        let (public, keyed) = (rig.ask("GET", path, &[]), rig.get(path));
        assert_eq!((public.status, &public.body), (200, &keyed.body), "{path}");
        let etag = public.header("etag").unwrap();
        assert_eq!(Some(etag), keyed.header("etag"), "{path}");
        let again = rig.ask("GET", path, &[("If-None-Match", etag)]);
        assert_eq!(again.status, 304, "{path}");
        assert!(again.header("cache-control").unwrap().starts_with("public, "), "{path}");
    }
    // An empty query changes nothing.
    let [plain, queried] = ["/v1/global-stability", "/v1/global-stability?"].map(|target| {
        let mut answer = rig.ask("GET", target, &[]);
        answer.headers.retain(|(name, _)| name != "x-request-id");
        answer.headers.sort();
        (answer.status, answer.headers, answer.body)
    });
    assert_eq!(plain, queried);
    let refused = rig.ask("GET", "/v1/global-stability?nonsense=1", &[]);
    assert_eq!((refused.status, refused.header("access-control-allow-origin")), (400, Some("*")));
}

#[test]
fn an_address_has_its_own_quota() {
    let rig = Rig::with(|settings| {
        settings.public.resources = vec![PublicResource::Score];
        settings.public.requests_per_minute = 3;
    });
    let statuses: Vec<u16> = (0..5).map(|_| rig.ask("GET", "/v1/global-stability", &[]).status).collect();
    assert_eq!(statuses, [200, 200, 200, 429, 429]);
    let refused = rig.ask("GET", "/badge.svg", &[]);
    assert_eq!((refused.status, refused.code().as_str()), (429, "rate_limited"));
    assert!(refused.header("retry-after").unwrap().parse::<u64>().unwrap() >= 1);
    assert_eq!(refused.header("cache-control"), Some("no-store"));
    assert_eq!(rig.get("/v1/global-stability").status, 200, "a key has a separate quota");
    assert_eq!(rig.ask("GET", "/v1/conflict", &[]).status, 401, "a private resource still answers 401");
    let few = rig.mint(&[Scope::Scores], Some(RateLimit { per_minute: 1, burst: 1 }), None);
    let (name, value) = bearer(&few);
    let statuses: Vec<u16> = (0..2).map(|_| rig.ask("GET", "/badge.svg", &[(name, &value)]).status).collect();
    assert_eq!(statuses, [200, 429], "public reading does not extend a key's quota");
}

/// Proxies pass on a client's `Forwarded` and extend its `X-Forwarded-For`.
#[test]
fn a_client_behind_a_proxy_cannot_choose_its_address() {
    let rig = Rig::with(|settings| {
        settings.public.resources = vec![PublicResource::Score];
        settings.public.requests_per_minute = 3;
        settings.trusted_proxies = TrustedProxies::parse(&["127.0.0.1".to_owned()]).unwrap();
    });
    let ask = |chosen: usize, client: &str| {
        let forwarded = format!("for=198.51.100.{chosen}");
        let extended = format!("198.51.100.{chosen}, {client}");
        rig.ask("GET", "/badge.svg", &[("Forwarded", &forwarded), ("X-Forwarded-For", &extended)]).status
    };
    let statuses: Vec<u16> = (0..5).map(|chosen| ask(chosen, "203.0.113.5")).collect();
    assert_eq!(statuses, [200, 200, 200, 429, 429]);
    assert_eq!(ask(0, "203.0.113.6"), 200, "another client has its own quota");
}

#[test]
fn any_page_may_read_public_resources() {
    let asks = [
        ORIGIN,
        ("Access-Control-Request-Method", "GET"),
        ("Access-Control-Request-Headers", "if-none-match"),
    ];
    let listed = ("Origin", "https://desk.example");
    for cors in [Cors::Off, Cors::Origins(vec![listed.1.to_owned()])] {
        let has_cors = cors != Cors::Off;
        let rig = Rig::with(|settings| {
            settings.public.resources = vec![PublicResource::Score];
            settings.cors = cors;
        });
        let allowed = rig.ask("OPTIONS", "/v1/global-stability", &asks);
        assert_eq!(allowed.status, 204);
        assert_eq!(allowed.header("access-control-allow-origin"), Some("*"));
        let headers = allowed.header("access-control-allow-headers").unwrap();
        assert!(headers.contains("If-None-Match") && !headers.contains("Authorization"), "{headers}");
        let closed = rig.ask("OPTIONS", "/v1/conflict", &asks);
        assert_eq!(closed.status, if has_cors { 204 } else { 401 });
        assert_eq!(closed.header("access-control-allow-origin"), None);
        if has_cors {
            let desk = rig.ask("OPTIONS", "/v1/global-stability", &[listed, asks[1]]);
            assert_eq!(desk.header("access-control-allow-origin"), Some(listed.1));
            assert!(desk.header("access-control-allow-headers").unwrap().contains("Authorization"));
            assert_eq!(
                rig.ask("GET", "/v1/global-stability", &[listed]).header("access-control-allow-origin"),
                Some("*")
            );
        }
    }
}

struct TaggedPage;

impl Assets for TaggedPage {
    fn get(&self, path: &str) -> Option<Asset> {
        let body = "<html><head><title>x</title></head><body></head></body></html>";
        (path == "/").then(|| Asset { content_type: "text/html; charset=utf-8", body: body.into() })
    }
}

#[test]
fn the_page_names_public_resources_and_has_preview_tags() {
    let page = |resources: &[PublicResource], url: &str| {
        let rig = Rig::with(|settings| {
            settings.assets = Some(Arc::new(TaggedPage));
            settings.public.resources = resources.to_vec();
            settings.public.url = url.to_owned();
        });
        rig.ask("GET", "/", &[]).text().to_owned()
    };
    assert_eq!(
        page(&[], "https://x.example"),
        "<html><head><title>x</title></head><body></head></body></html>"
    );
    let tagged = page(&[PublicResource::Score, PublicResource::Briefings], "https://x.example/\"a");
    let (head, rest) = tagged.split_once("</head>").unwrap();
    assert_eq!(rest, "<body></head></body></html>");
    for tag in [
        "<meta name=\"gsi-public\" content=\"score briefings\" />",
        "<meta property=\"og:image\" content=\"https://x.example/&quot;a/card.png\" />",
        "<meta property=\"og:image:width\" content=\"1200\" />",
        "<link rel=\"alternate\" type=\"application/atom+xml\" title=\"Briefings\" href=\"/briefings.atom\" />",
    ] {
        assert!(head.contains(tag), "{tag} in {head}");
    }
    let quiet = page(&[PublicResource::Summary], "");
    assert!(quiet.contains("gsi-public") && !quiet.contains("og:"), "{quiet}");
}

#[test]
fn the_score_is_served_as_an_image() {
    let rig = Rig::new();
    let decode = |bytes: &[u8]| tiny_skia::Pixmap::decode_png(bytes).unwrap();
    let first = rig.get("/card.png");
    assert_eq!(first.header("content-type"), Some("image/png"));
    let card = decode(&first.body);
    assert_eq!((card.width(), card.height()), (1200, 630));
    let colour = |card: &tiny_skia::Pixmap| {
        let pixel = card.pixel(4, 300).unwrap();
        (pixel.red(), pixel.green(), pixel.blue())
    };
    assert_eq!(colour(&card), (0xd9, 0xb4, 0x4a), "elevated");
    let packed = rig.get_with("/card.png", &[("Accept-Encoding", "gzip, br")]);
    assert_eq!(
        (packed.header("content-encoding"), &packed.body),
        (None, &first.body),
        "a PNG is not compressed again"
    );
    assert_eq!(rig.get_with("/card.png", &[("Accept", "text/html")]).status, 406);
    let badge = rig.get("/badge.svg");
    assert_eq!(badge.header("content-type"), Some("image/svg+xml"));
    assert!(
        badge.text().starts_with("<svg ") && badge.text().contains(" elevated</text>"),
        "{}",
        badge.text()
    );
    assert!(!badge.text().contains("simulated"));

    // The next snapshot has another image, and a simulated one is labelled.
    let tick = rig.clock.now().next_tick();
    rig.clock.set(tick);
    let mut next = world::snapshot(tick, [90.0, 80.0, 85.0, 88.0]);
    next.band = gsi_model::Band::Severe;
    next.simulated = true;
    let summary =
        gsi_model::Summary { as_of: tick, ..rig.store.published_at(tick).unwrap().unwrap().summary };
    rig.service.publish(&next, &summary).unwrap();
    let second = rig.get("/card.png");
    assert_eq!(colour(&decode(&second.body)), (0xd9, 0x53, 0x4a), "severe");
    assert_ne!(first.header("etag"), second.header("etag"));
    assert!(rig.get("/badge.svg").text().contains("85.8 severe (simulated)</text>"));
    // Saved for review.
    std::fs::write(concat!(env!("CARGO_TARGET_TMPDIR"), "/card.png"), &second.body).unwrap();
}

#[test]
fn before_the_first_snapshot_there_is_no_image() {
    let rig = Rig::empty();
    for path in ["/card.png", "/badge.svg"] {
        assert_eq!((rig.ask("GET", path, &[]).status, rig.get(path).status), (401, 503), "{path}");
    }
}
