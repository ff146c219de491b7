//! No network at all: the service starts, reports it for each feed, and recovers by itself.

use crate::rig::{Rig, at, world};
use gsi_model::{HOUR, HeldClock, MINUTE};
use gsi_sim::WorldSettings;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A cable that can be pulled: forwards connections to `target` while it is plugged in, and drops them otherwise.
struct Cable {
    base: String,
    plugged: Arc<AtomicBool>,
}

impl Cable {
    fn to(target: std::net::SocketAddr) -> Cable {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let plugged = Arc::new(AtomicBool::new(false));
        let is_plugged = plugged.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if !is_plugged.load(Ordering::SeqCst) {
                    continue;
                }
                let Ok(far) = TcpStream::connect(target) else { continue };
                let (near_in, far_in) = (stream.try_clone().unwrap(), far.try_clone().unwrap());
                carry(near_in, far, is_plugged.clone());
                carry(far_in, stream, is_plugged.clone());
            }
        });
        Cable { base, plugged }
    }

    fn plug(&self, plugged: bool) {
        self.plugged.store(plugged, Ordering::SeqCst);
    }
}

fn carry(mut from: TcpStream, mut to: TcpStream, plugged: Arc<AtomicBool>) {
    std::thread::spawn(move || {
        let mut piece = [0; 16 * 1024];
        while let Ok(n) = from.read(&mut piece) {
            if n == 0 || !plugged.load(Ordering::SeqCst) || to.write_all(&piece[..n]).is_err() {
                break;
            }
        }
        let _ = to.shutdown(std::net::Shutdown::Both);
        let _ = from.shutdown(std::net::Shutdown::Both);
    });
}

#[test]
fn without_a_network_the_service_reports_it_and_recovers() {
    let start = at("2026-11-10T12:00:00Z");
    let clock = Arc::new(HeldClock::at(start));
    let settings = WorldSettings {
        rows_per_slot: 30.0,
        mentions_per_row: 0.0,
        missing_slots: false,
        ..WorldSettings::new(5, start.minus(24 * HOUR))
    };
    let sim = world(settings, &clock);
    let cable = Cable::to(sim.address());
    let mut rig = Rig::new(&clock, &cable.base, gsi_feeds::default_connectors());
    let feeds_say = |rig: &Rig| -> Vec<(String, String, String)> {
        let list = rig.get("/v1/feeds").json();
        let text = |v: &serde_json::Value| v.as_str().unwrap_or("").to_owned();
        let feeds = list["feeds"].as_array().unwrap();
        feeds.iter().map(|f| (text(&f["feed"]), text(&f["status"]), text(&f["last_refusal"]))).collect()
    };
    let no_way = |code: &str| ["connect", "short_body", "timeout"].contains(&code);

    rig.tick(start);
    assert_eq!(rig.store.frontier().unwrap(), None, "nothing is committed before there is anything to say");
    let answer = rig.get("/v1/global-stability");
    assert_eq!(answer.status, 503, "{}", answer.body);
    assert_eq!(answer.json()["code"], "no_snapshot");
    assert!(answer.header("retry-after").is_some());
    assert_eq!((rig.get("/healthz").status, rig.get("/readyz").status), (200, 503));
    for (feed, status, refusal) in feeds_say(&rig) {
        assert!(status == "never" && no_way(&refusal), "{feed}: {status}, {refusal}");
    }

    cable.plug(true);
    rig.run(start.plus(15 * MINUTE), start.plus(HOUR), 15 * MINUTE);
    let first = rig.get("/v1/global-stability");
    assert_eq!(first.status, 200, "{} {:?}", first.body, feeds_say(&rig));
    assert_eq!(rig.get("/readyz").status, 200);
    for (feed, status, refusal) in feeds_say(&rig) {
        assert!(status != "never" && refusal.is_empty(), "{feed}: {status}, {refusal}");
    }

    // Cut off again: the last snapshot is still served, with its age.
    cable.plug(false);
    rig.run(start.plus(HOUR + 15 * MINUTE), start.plus(6 * HOUR), 15 * MINUTE);
    let cut_off = rig.get("/v1/global-stability");
    assert_eq!((cut_off.status, cut_off.header("gsi-data-status")), (200, Some("degraded")));
    let gdelt = feeds_say(&rig).into_iter().find(|f| f.0 == "gdelt").unwrap();
    assert!(gdelt.1 == "stale" && no_way(&gdelt.2), "{gdelt:?}");
    assert!(rig.feed("gdelt").failing_since.is_some());

    cable.plug(true);
    rig.run(start.plus(6 * HOUR + 15 * MINUTE), start.plus(9 * HOUR), 15 * MINUTE);
    let gdelt = feeds_say(&rig).into_iter().find(|f| f.0 == "gdelt").unwrap();
    assert!(gdelt.1 == "ok" && gdelt.2.is_empty(), "{gdelt:?}");
    let mut slots = 0;
    rig.store.slots(start, start.plus(8 * HOUR), at("2030-01-01T00:00:00Z"), &mut |_| slots += 1).unwrap();
    assert_eq!(slots, 8 * 4, "the quarter hours without a network were fetched afterwards");
}
