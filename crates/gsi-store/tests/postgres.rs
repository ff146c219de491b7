//! The PostgreSQL backend against the conformance suite on a real server, and tests of restarts, lost leaders and formats.

use drills::postgres::PostgresServer;
use gsi_model::{DAY, TICK, Timestamp};
use gsi_store::conformance::{self, Backend, sample};
use gsi_store::{
    KeyStore, Leadership, LedStore, PostgresStore, ReadStore, RetentionDays, Store, StoreError, TickStore,
    prune,
};
use std::time::{Duration, Instant};

struct Databases<'c> {
    cluster: &'c PostgresServer,
    admin: postgres::Client,
    made: usize,
}

impl<'c> Databases<'c> {
    /// Every fresh store is a copy of one migrated database.
    fn new(cluster: &'c PostgresServer) -> Self {
        let mut admin = postgres::Client::connect(&cluster.url("postgres"), postgres::NoTls).unwrap();
        admin.batch_execute("CREATE DATABASE migrated").unwrap();
        drop(PostgresStore::open(&cluster.url("migrated")).unwrap());
        Databases { cluster, admin, made: 0 }
    }

    fn name(&self) -> String {
        format!("fresh_{}", self.made)
    }
}

impl Backend for Databases<'_> {
    fn fresh(&mut self) -> Box<dyn LedStore> {
        self.made += 1;
        self.admin.batch_execute(&format!("CREATE DATABASE {} TEMPLATE migrated", self.name())).unwrap();
        self.reopen()
    }

    fn reopen(&mut self) -> Box<dyn LedStore> {
        Box::new(PostgresStore::open(&self.cluster.url(&self.name())).unwrap())
    }
}

/// One test, so that one server is started and always stopped.
#[test]
fn a_server_conforms() {
    let Some(cluster) = PostgresServer::start() else { return };
    let mut databases = Databases::new(&cluster);
    conformance::run(&mut databases);
    a_silent_leader_is_replaced(&mut databases);
    newer_formats_are_refused(&mut databases);
    foreign_tables_are_refused(&mut databases);
    old_and_new_programs_work_side_by_side(&mut databases);
    parts_of_news_are_dropped(&mut databases);
    news_arrives(&mut databases);
    usage_is_shared(&mut databases);
    addresses_stay_private(&cluster);
    a_restart_is_survived(&cluster, &mut databases);
    a_store_can_be_dropped_on_any_thread(&mut databases);
}

/// On a machine with one core the service runs on one thread, and drops its store there.
fn a_store_can_be_dropped_on_any_thread(databases: &mut Databases<'_>) {
    let store = databases.fresh();
    store.wait_for_news(Duration::from_millis(10)).unwrap();
    store.lead().unwrap().expect("no other process leads");
    let single = tokio::runtime::Builder::new_current_thread().build().unwrap();
    single.block_on(async move { drop(store) });
    let again = databases.reopen();
    again.lead().unwrap().expect("the former leader has closed its session");
}

/// A frozen process keeps its connection open and sends nothing.
fn a_silent_leader_is_replaced(databases: &mut Databases<'_>) {
    let (frozen, next) = (databases.fresh(), databases.reopen());
    frozen.lead().unwrap().expect("no other process leads");
    let since = Instant::now();
    while next.lead().unwrap().is_none() {
        assert!(since.elapsed() < Duration::from_secs(10), "takeover takes too long");
        std::thread::sleep(Duration::from_millis(200));
    }
    let late = frozen.commit_tick(&sample::quiet(sample::tick(0)));
    assert!(matches!(late, Err(StoreError::Fenced(_))), "{late:?}");
    assert_eq!(frozen.lead().unwrap(), None);
    next.commit_tick(&sample::quiet(sample::tick(0))).unwrap();
}

fn newer_formats_are_refused(databases: &mut Databases<'_>) {
    drop(databases.fresh());
    let url = databases.cluster.url(&databases.name());
    let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    client.batch_execute("INSERT INTO store_format (version, needs) VALUES (999, 998)").unwrap();
    let error = PostgresStore::open(&url).err().expect("a format from the future");
    assert!(error.to_string().contains("format 999"), "{error}");
}

/// Replicas are upgraded one by one: the old ones continue while the new one migrates, and may start again afterwards.
fn old_and_new_programs_work_side_by_side(databases: &mut Databases<'_>) {
    databases.made += 1;
    databases.admin.batch_execute(&format!("CREATE DATABASE {}", databases.name())).unwrap();
    let url = databases.cluster.url(&databases.name());
    let full = |n: i64| {
        let at = sample::tick(n);
        let (first, own) = (sample::event(1, sample::tick(0)), sample::event(n as u64 + 2, at));
        gsi_store::TickCommit {
            observations: vec![sample::observation("s", "", n, n as f64)],
            slots: vec![sample::slot(at)],
            rows: vec![sample::row(n as u64 + 1, at)],
            events: vec![sample::put(first), sample::put(own)],
            briefings: vec![sample::briefing("global", at, &["global"])],
            feeds: vec![sample::feed("s", n as u64)],
            ..sample::publishing(at, n as f64)
        }
    };
    let old = PostgresStore::open_as_older(&url, 1).unwrap();
    for n in 0..3 {
        old.commit_tick(&full(n)).unwrap();
    }
    let before = old.event(&sample::event_id(1), sample::tick(2)).unwrap();
    // A command that only reads changes nothing and names the one that upgrades.
    let refusal = PostgresStore::open(&url).err().expect("an earlier format").to_string();
    assert!(refusal.contains("has format 1,") && refusal.contains("`gsi store upgrade`"), "{refusal}");
    assert_eq!(PostgresStore::format_of(&url).unwrap().found, 1);
    // The old program writes during the migration.
    let new = std::thread::scope(|scope| {
        let migrating = scope.spawn(|| PostgresStore::open_and_upgrade(&url).unwrap());
        for n in 3..6 {
            old.commit_tick(&full(n)).unwrap();
        }
        migrating.join().unwrap()
    });
    for n in 6..9 {
        let (writer, reader) = if n % 2 == 0 { (&new, &old) } else { (&old, &new) };
        writer.commit_tick(&full(n)).unwrap();
        assert_eq!(reader.published_at(sample::tick(n)).unwrap().unwrap().snapshot.score, n as f64);
        let event = reader.event(&sample::event_id(1), sample::tick(n)).unwrap().unwrap();
        assert_eq!(event.versions.len(), n as usize + 1);
    }
    assert_eq!(
        new.event(&sample::event_id(1), sample::tick(2)).unwrap(),
        before,
        "the upgrade has changed history"
    );
    drop(old);
    // After a downgrade the old program works with the newer database.
    let back = PostgresStore::open_as_older(&url, 1).unwrap();
    back.commit_tick(&full(9)).unwrap();
    assert_eq!(new.pulse().unwrap().frontier, Some(sample::tick(9)));
    let mut admin = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    let parts: i64 = admin
        .query_one("SELECT count(*) FROM pg_inherits WHERE inhparent = 'event_version'::regclass", &[])
        .unwrap()
        .get(0);
    assert!(parts > 20, "events are kept by year");
    // Rows from before the upgrade, of the new program and of the old one are stored once each.
    let mut found = Vec::new();
    new.rows(Timestamp::MIN, Timestamp::MAX, &mut |row| found.push(row.id)).unwrap();
    assert_eq!(found, (1..=10).collect::<Vec<_>>());
    assert_eq!(news_parts(&url), ["news_row_0", "news_row_other"]);
}

/// Tables of another program, or of a build before the first release.
fn foreign_tables_are_refused(databases: &mut Databases<'_>) {
    databases.made += 1;
    databases.admin.batch_execute(&format!("CREATE DATABASE {}", databases.name())).unwrap();
    let url = databases.cluster.url(&databases.name());
    let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    client
        .batch_execute("CREATE TABLE meta (name TEXT); CREATE TABLE schema_version (version BIGINT)")
        .unwrap();
    for opened in [PostgresStore::open(&url), PostgresStore::open_and_upgrade(&url)] {
        let error = opened.err().expect("tables of another program").to_string();
        assert!(error.contains("holds tables of another program"), "{error}");
    }
}

/// The partitions of news rows.
fn news_parts(url: &str) -> Vec<String> {
    let mut client = postgres::Client::connect(url, postgres::NoTls).unwrap();
    let sql = "SELECT relid::text FROM pg_partition_tree('news_row') WHERE isleaf ORDER BY 1";
    client.query(sql, &[]).unwrap().iter().map(|row| row.get(0)).collect()
}

/// Expired rows are removed as a partition instead of row by row, and readers are not blocked.
fn parts_of_news_are_dropped(databases: &mut Databases<'_>) {
    const PART: u64 = 4_000_000;
    const DAYS: i64 = 25;
    let day = |n: i64| sample::tick(n * DAY / TICK);
    let fill = |store: &dyn LedStore| {
        for n in 0..DAYS {
            // Five days make a part. The third part begins with a row of a late file.
            let number = (n / 5) as u64 * PART + n as u64;
            let mut slot = sample::slot(day(n));
            if n == 10 {
                slot.known_at = day(DAYS - 1);
            }
            let rows = vec![sample::row(number, day(n)), sample::row(number + 1_000, day(n))];
            let tick = gsi_store::TickCommit { slots: vec![slot], rows, ..sample::publishing(day(n), 40.0) };
            store.commit_tick(&tick).unwrap();
        }
    };
    let keep = RetentionDays { news_rows: 10, ..RetentionDays::default() };
    let store = databases.fresh();
    let url = databases.cluster.url(&databases.name());
    fill(&*store);
    let all: Vec<String> =
        (0..5).map(|n| format!("news_row_{n}")).chain(["news_row_other".to_owned()]).collect();
    assert_eq!(news_parts(&url), all);
    let removed = prune(&*store, &keep, false, &mut |_, _| ()).unwrap()[0].removed;
    // All rows of fifteen days except the late file, which keeps its part.
    assert_eq!(removed, 2 * 15 - 2);
    assert_eq!(news_parts(&url), all[2..]);
    let left = |store: &dyn LedStore| {
        let mut found = 0;
        store.rows(Timestamp::MIN, Timestamp::MAX, &mut |_| found += 1).unwrap();
        found
    };
    assert_eq!(left(&*store), 2 * 10 + 2);
    assert_eq!(store.row(1).unwrap(), None);
    // A row with an old number creates its part again.
    let late = gsi_store::TickCommit { rows: vec![sample::row(7, day(DAYS))], ..sample::quiet(day(DAYS)) };
    store.commit_tick(&late).unwrap();
    assert_eq!(news_parts(&url)[0], "news_row_0");

    // While a reader has the part locked, no writer waits for it: its rows are removed file by file, and the part the next
    // time.
    let store = databases.fresh();
    let url = databases.cluster.url(&databases.name());
    fill(&*store);
    let mut reader = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    reader.batch_execute("BEGIN; SELECT count(*) FROM news_row").unwrap();
    assert_eq!(prune(&*store, &keep, false, &mut |_, _| ()).unwrap()[0].removed, 2 * 15 - 2);
    assert_eq!((left(&*store), news_parts(&url)), (2 * 10 + 2, all.clone()));
    drop(reader);
    let day_more = sample::publishing(day(DAYS), 40.0);
    store.commit_tick(&day_more).unwrap();
    assert_eq!(prune(&*store, &keep, false, &mut |_, _| ()).unwrap()[0].removed, 2);
    assert_eq!((left(&*store), news_parts(&url)), (2 * 9 + 2, all[2..].to_vec()));

    // A copy stores its rows in parts as well.
    drop(databases.fresh());
    let copy_url = databases.cluster.url(&databases.name());
    let copied = |url: &str| gsi_store::bulk::open_bulk(url).unwrap();
    gsi_store::bulk::copy(&*copied(&url), &*copied(&copy_url), &mut |_, _, _| ()).unwrap();
    assert_eq!(left(&*databases.reopen()), 2 * 9 + 2);
    assert_eq!(news_parts(&copy_url), all[2..]);
}

fn news_arrives(databases: &mut Databases<'_>) {
    let (here, there) = (databases.fresh(), databases.reopen());
    let patience = Duration::from_secs(60);
    // The first call only starts to listen.
    here.wait_for_news(patience).unwrap();
    for change in ["tick", "key"] {
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let begun = Instant::now();
                here.wait_for_news(patience).unwrap();
                begun.elapsed()
            });
            std::thread::sleep(Duration::from_millis(300));
            match change {
                "tick" => there.commit_tick(&sample::quiet(sample::tick(0))).unwrap(),
                _ => there.put_key(&sample::key("AAAAAAAAAA"), &sample::note(0)).unwrap(),
            }
            let took = waiting.join().unwrap();
            assert!(took < patience, "a {change} is no news");
        });
    }
    let pulse = here.pulse().unwrap();
    assert_eq!((pulse.frontier, pulse.keys_version), (Some(sample::tick(0)), there.keys_version().unwrap()));
}

fn usage_is_shared(databases: &mut Databases<'_>) {
    let (a, b) = (databases.fresh(), databases.reopen());
    let used = |n: u64| [("k".to_owned(), n)];
    assert_eq!(a.share_usage("a", &used(3), true).unwrap(), []);
    let heard = b.share_usage("b", &used(5), false).unwrap();
    assert_eq!(heard.iter().map(|u| (u.replica.as_str(), u.taken)).collect::<Vec<_>>(), [("a", 3)]);
    a.share_usage("a", &used(4), false).unwrap();
    assert_eq!(b.share_usage("b", &[], false).unwrap()[0].taken, 4);
    assert_eq!(a.share_usage("a", &[], false).unwrap()[0].taken, 5);
}

fn addresses_stay_private(cluster: &PostgresServer) {
    for url in ["postgres://u:hunter2@localhost:99999/x", "postgres://u:hunter2@localhost:1/x"] {
        let error = gsi_store::open(url).err().expect("no server listens there").to_string();
        assert!(!error.contains("hunter2"), "{error}");
    }
    assert!(gsi_store::open(&cluster.url("no_such_database")).is_err());
    gsi_store::open(&cluster.url("migrated")).unwrap().keys().unwrap();
}

fn a_restart_is_survived(cluster: &PostgresServer, databases: &mut Databases<'_>) {
    let store = PostgresStore::open(&cluster.url("migrated")).unwrap();
    store.commit_tick(&sample::publishing(sample::tick(0), 40.0)).unwrap();
    store.lead().unwrap().expect("no other process leads");
    cluster.restart();
    // At most one call meets the broken connection; the next call has a new one.
    let _ = store.frontier();
    assert_eq!(store.frontier().unwrap().map(|f| f.tick), Some(sample::tick(0)));
    assert_eq!(store.lead().unwrap(), None, "a lost lead stays lost until that is noticed");
    store.resign();
    store.lead().unwrap().expect("the lead is free after the restart");
    store.commit_tick(&sample::publishing(sample::tick(1), 41.0)).unwrap();
    databases.admin = postgres::Client::connect(&cluster.url("postgres"), postgres::NoTls).unwrap();
}

#[test]
fn connections_are_encrypted_and_verified_if_required() {
    let made = |name: &str| rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    let (server, stranger) = (made("127.0.0.1"), made("127.0.0.1"));
    let Some(cluster) =
        PostgresServer::start_with_tls(&server.cert.pem(), &server.signing_key.serialize_pem())
    else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let trust = |name: &str, pem: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, pem).unwrap();
        format!("{}?sslmode=verify-full&sslrootcert={}", cluster.url("postgres"), path.display())
    };
    let store = PostgresStore::open(&trust("right.pem", server.cert.pem())).unwrap();
    assert_eq!(store.keys().unwrap(), []);
    // Listening and leading use the same connector.
    store.wait_for_news(Duration::from_millis(10)).unwrap();
    store.lead().unwrap().expect("no other process leads");
    assert!(PostgresStore::open(&trust("wrong.pem", stranger.cert.pem())).is_err(), "an unknown certificate");
    assert!(PostgresStore::open(&cluster.url("postgres")).is_err(), "this server takes nothing in the clear");
}
