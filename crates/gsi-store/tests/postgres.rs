//! The server backend against the suite on a real server, and what only a server can do: restart, and lose a leader.

mod cluster;

use cluster::Cluster;
use gsi_store::conformance::{self, Backend, sample};
use gsi_store::{Leadership, LedStore, PostgresStore, Store, StoreError};
use std::time::{Duration, Instant};

struct Databases<'c> {
    cluster: &'c Cluster,
    admin: postgres::Client,
    made: usize,
}

impl<'c> Databases<'c> {
    /// Every fresh store is a copy of one that was migrated once.
    fn new(cluster: &'c Cluster) -> Self {
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

/// One test, so that one server is started and surely stopped.
#[test]
fn a_server_conforms() {
    let Some(cluster) = Cluster::start() else { return };
    let mut databases = Databases::new(&cluster);
    conformance::run(&mut databases);
    a_silent_leader_is_replaced(&mut databases);
    newer_formats_are_refused(&mut databases);
    addresses_stay_private(&cluster);
    a_restart_is_survived(&cluster, &mut databases);
}

/// A frozen process keeps its connection open and says nothing.
fn a_silent_leader_is_replaced(databases: &mut Databases<'_>) {
    let (frozen, next) = (databases.fresh(), databases.reopen());
    frozen.lead().unwrap().expect("nobody else leads");
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
    client.batch_execute("INSERT INTO schema_version (version) VALUES (999)").unwrap();
    let error = PostgresStore::open(&url).err().expect("a format from the future");
    assert!(error.to_string().contains("format 999"), "{error}");
}

fn addresses_stay_private(cluster: &Cluster) {
    for url in ["postgres://u:hunter2@localhost:99999/x", "postgres://u:hunter2@localhost:1/x"] {
        let error = gsi_store::open(url).err().expect("nobody listens there").to_string();
        assert!(!error.contains("hunter2"), "{error}");
    }
    assert!(gsi_store::open(&cluster.url("no_such_database")).is_err());
    gsi_store::open(&cluster.url("migrated")).unwrap().keys().unwrap();
}

fn a_restart_is_survived(cluster: &Cluster, databases: &mut Databases<'_>) {
    let store = PostgresStore::open(&cluster.url("migrated")).unwrap();
    store.commit_tick(&sample::publishing(sample::tick(0), 40.0)).unwrap();
    store.lead().unwrap().expect("nobody else leads");
    cluster.restart();
    // At most one call meets the broken connection; the next has a new one.
    let _ = store.frontier();
    assert_eq!(store.frontier().unwrap().map(|f| f.tick), Some(sample::tick(0)));
    store.lead().unwrap().expect("the lead is free after the restart");
    store.commit_tick(&sample::publishing(sample::tick(1), 41.0)).unwrap();
    databases.admin = postgres::Client::connect(&cluster.url("postgres"), postgres::NoTls).unwrap();
}
