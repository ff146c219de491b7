//! The memory of idle connections. This test has its own process, because memory of other tests would be counted too.

#[path = "../http/support/mod.rs"]
mod support;

use gsi_api::Limits;
use std::time::Duration;
use support::Rig;
use support::client::Connection;

/// Ten thousand idle connections, or fewer if the limit on descriptors is lower. Both ends are in this process.
#[test]
fn ten_thousand_idle_connections() {
    let patient =
        Limits { idle: Duration::from_secs(600), max_connections_per_address: 12_000, ..Limits::default() };
    let rig = Rig::with(|s| s.limits = patient);
    let limit = std::fs::read_to_string("/proc/self/limits").ok().and_then(|text| {
        let line = text.lines().find(|l| l.starts_with("Max open files"))?.to_owned();
        line.split_whitespace().nth(3)?.parse::<usize>().ok()
    });
    let count = 10_000.min(limit.unwrap_or(1024).saturating_sub(400) / 2);
    println!("{count} connections (descriptor limit {limit:?})");
    let memory = || -> usize {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find(|l| l.starts_with("VmRSS")).unwrap_or("VmRSS: 0 kB").to_owned();
        line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0)
    };
    let before = memory();
    let idle: Vec<Connection> = (0..count).map(|_| rig.connect()).collect();
    assert_eq!(rig.get("/v1/global-stability").status, 200, "other clients are served");
    let grown = memory().saturating_sub(before);
    println!("{} KiB for {count}", grown);
    // 24 KiB covers the HTTP library's memory for both ends of a connection.
    assert!(grown < 24 * count + 10_000, "{grown} KiB for {count} idle connections");
    let metrics = rig.metrics();
    let open = metrics.lines().find(|l| l.starts_with("gsi_http_connections ")).unwrap().to_owned();
    let open: usize = open.split(' ').nth(1).unwrap().parse().unwrap();
    assert!(open >= count, "{open} of {count}");
    drop(idle);
    assert_eq!(rig.get("/v1/global-stability").status, 200, "other clients are served");
}
