//! News in the real format through the whole live path: recorded publisher, fetcher, decoder, filter, clustering, tick and
//! commit, on a fixed clock. The highest events are reviewed snapshots, so a change of the filter shows its effect on the
//! list here.
//!
//! Real files are read from `GSI_REAL_DATA`, or `../shared/data` next to the repository. Snapshots contain hosts instead of
//! addresses. Clones without that data use the hand-written file.

use data_encoding::HEXLOWER;
use gsi_feeds::{Fetcher, FetcherSettings};
use gsi_index::Method;
use gsi_model::{Event, EventChange, HeldClock, Timestamp};
use gsi_pipeline::{Pipeline, PipelineParts};
use gsi_store::SqliteStore;
use md5::{Digest, Md5};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// A path below the folder that replaces the network.
const PUBLISHER: &str = "storage.googleapis.com/data.gdeltproject.org/gdeltv2";
const TOP: usize = 30;

/// Publishes a news file as the newest one.
fn publish_file(publisher: &Path, at: Timestamp, csv: &[u8]) {
    let stamp = at.to_compact();
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    archive.start_file(format!("{stamp}.export.CSV"), zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(csv).unwrap();
    let packed = archive.finish().unwrap().into_inner();
    let md5 = HEXLOWER.encode(&Md5::digest(&packed));
    let line = |kind: &str| {
        format!("{} {md5} http://data.gdeltproject.org/gdeltv2/{stamp}.{kind}.zip\n", packed.len())
    };
    let list = [line("export.CSV"), line("mentions.CSV"), line("gkg.csv")].concat();
    std::fs::write(publisher.join("lastupdate.txt"), list).unwrap();
    std::fs::write(publisher.join(format!("{stamp}.export.CSV.zip")), packed).unwrap();
}

/// Returns the events after ticks with these files, highest escalation first.
async fn live(files: &[(Timestamp, Vec<u8>)]) -> Vec<Event> {
    let folder = tempfile::tempdir().unwrap();
    let publisher = folder.path().join(PUBLISHER);
    std::fs::create_dir_all(&publisher).unwrap();
    let connectors = gsi_feeds::default_connectors();
    let feeds = connectors.iter().map(|c| c.origin().feed.to_owned()).collect();
    let settings = FetcherSettings { folder: Some(folder.path().to_owned()), ..FetcherSettings::default() };
    let clock = Arc::new(HeldClock::at(files[0].0));
    let latest: Arc<Mutex<BTreeMap<String, Event>>> = Arc::default();
    let written = latest.clone();
    let mut pipeline = Pipeline::open(PipelineParts {
        store: Arc::new(SqliteStore::in_memory().unwrap()),
        connectors,
        fetcher: Arc::new(Fetcher::new(settings).unwrap()),
        method: Arc::new(Method::load(Method::default_text(), &feeds).unwrap()),
        clock: clock.clone(),
        simulated: false,
        line: None,
        publish: Box::new(move |publication| {
            let mut latest = written.lock().unwrap();
            for change in publication.events {
                match change {
                    EventChange::Put(version) => {
                        drop(latest.insert(version.event.id.to_string(), version.event.clone()))
                    }
                    EventChange::Merged { gone, .. } => drop(latest.remove(gone.as_str())),
                }
            }
        }),
    })
    .unwrap();
    for (at, csv) in files {
        publish_file(&publisher, *at, csv);
        clock.set(*at);
        pipeline.tick(*at).await.unwrap();
    }
    let mut events: Vec<Event> = latest.lock().unwrap().values().cloned().collect();
    events.sort_by(|a, b| b.escalation.total_cmp(&a.escalation).then_with(|| a.id.cmp(&b.id)));
    events
}

/// Formats events as a table with hosts instead of addresses.
fn table(events: &[Event]) -> String {
    let mut out =
        String::from("escalation status category country | place | sides | probability | sites | id\n");
    for e in events.iter().take(TOP) {
        let sites: Vec<&str> = e.sources.iter().map(|s| s.domain.as_str()).collect();
        writeln!(
            out,
            "{:.3} {} {} {} | {} | {} | {:.2} | {} | {}",
            e.escalation,
            e.status.key(),
            e.category,
            e.country.map(|c| c.to_string()).unwrap_or_default(),
            e.place,
            e.actors.join(" and "),
            e.probability.unwrap_or_default(),
            sites.join(" "),
            e.id,
        )
        .unwrap();
    }
    out
}

/// Returns real files by their stamps, or `None` without real data.
fn real_files(stamps: &[&str]) -> Option<Vec<(Timestamp, Vec<u8>)>> {
    let folder = drills::real_data::folder()?.join("gdelt2/export");
    let file = |stamp: &&str| {
        let csv = std::fs::read(folder.join(format!("{stamp}.export.CSV"))).unwrap();
        (Timestamp::parse_compact(stamp.as_bytes()).unwrap(), csv)
    };
    Some(stamps.iter().map(file).collect())
}

/// Files from eight days of one June. The last one still mentions events of the first.
const JUNE: [&str; 5] =
    ["20250602193000", "20250603100000", "20250608171500", "20250609150000", "20250610090000"];

#[tokio::test]
async fn the_thirty_highest_events_of_real_files() {
    let Some(files) = real_files(&JUNE) else { return };
    let events = live(&files).await;
    assert!(events.len() >= TOP, "{}", events.len());
    insta::assert_snapshot!("real_files", table(&events));
}

/// A coded row in the format of GDELT 2.0: 61 cells between tabs, most of them empty here.
struct CodedRow {
    code: &'static str,
    quad_class: u8,
    /// Name, country and role of the two sides.
    sides: [(&'static str, &'static str, &'static str); 2],
    /// Kind, name, FIPS country, first-level region, latitude, longitude.
    place: (u8, &'static str, &'static str, &'static str, f64, f64),
    address: &'static str,
}

impl CodedRow {
    fn line(&self, id: u64, stamp: &str) -> String {
        let mut cells = vec![String::new(); 61];
        let day = &stamp[..8];
        for (at, value) in
            [(0, id.to_string()), (1, day.to_owned()), (2, day[..6].to_owned()), (3, day[..4].to_owned())]
        {
            cells[at] = value;
        }
        cells[4] = format!("{}.4500", &day[..4]);
        for (first, (name, country, role)) in [5, 15].into_iter().zip(self.sides) {
            cells[first] = format!("{country}{role}");
            cells[first + 1] = name.to_owned();
            cells[first + 2] = country.to_owned();
            cells[first + 7] = role.to_owned();
        }
        cells[25] = "1".to_owned();
        cells[26] = self.code.to_owned();
        cells[27] = self.code[..3].to_owned();
        cells[28] = self.code[..2].to_owned();
        cells[29] = self.quad_class.to_string();
        cells[30] = "-10.0".to_owned();
        for at in [31, 32, 33] {
            cells[at] = "2".to_owned();
        }
        cells[34] = "-7.25".to_owned();
        cells[35] = "0".to_owned();
        cells[43] = "0".to_owned();
        let (kind, name, country, region, lat, lon) = self.place;
        let place =
            [kind.to_string(), name.into(), country.into(), region.into(), String::new(), lat.to_string()];
        cells.splice(51..57, place);
        cells[57] = lon.to_string();
        cells[58] = "-1".to_owned();
        cells[59] = stamp.to_owned();
        cells[60] = self.address.to_owned();
        cells.join("\t") + "\n"
    }
}

const RUSSIAN_ARMY: (&str, &str, &str) = ("RUSSIA", "RUS", "MIL");
const UKRAINE: (&str, &str, &str) = ("UKRAINE", "UKR", "");
const CIVILIANS: (&str, &str, &str) = ("CIVILIAN", "", "CVL");
const POLICE: (&str, &str, &str) = ("POLICE", "", "COP");
const NO_ACTOR: (&str, &str, &str) = ("", "", "");
const KHARKIV: (u8, &str, &str, &str, f64, f64) =
    (4, "Kharkiv, Kharkivs'ka Oblast', Ukraine", "UP", "UP07", 49.98, 36.25);
const KREMLIN: (u8, &str, &str, &str, f64, f64) = (4, "Kremlin, Moskva, Russia", "RS", "RS48", 55.75, 37.62);
const NAIROBI: (u8, &str, &str, &str, f64, f64) =
    (4, "Nairobi, Nairobi Area, Kenya", "KE", "KE05", -1.28, 36.82);
const OHIO: (u8, &str, &str, &str, f64, f64) = (2, "Ohio, United States", "US", "USOH", 40.4, -82.8);

#[tokio::test]
async fn the_events_of_a_hand_written_file() {
    let stamp = "20260302120000";
    let war = [RUSSIAN_ARMY, UKRAINE];
    let row = |code, quad_class, sides, place, address| CodedRow { code, quad_class, sides, place, address };
    let rows = [
        // One raid, reported three times, once from the seat of the attacker's government.
        row(
            "195",
            4,
            war,
            KHARKIV,
            "https://one.example.de/world/russian-drones-kill-seven-in-kharkiv-apartment-block",
        ),
        row(
            "195",
            4,
            war,
            KHARKIV,
            "https://two.example.fr/international/seven-killed-as-russian-drones-hit-kharkiv-apartment-block",
        ),
        row(
            "190",
            4,
            war,
            KREMLIN,
            "https://three.example.ie/world/overnight-russian-drone-attack-kills-seven-in-kharkiv",
        ),
        // A protest.
        row(
            "141",
            3,
            [CIVILIANS, POLICE],
            NAIROBI,
            "https://four.example.ke/news/protesters-clash-with-police-in-nairobi-over-arrests",
        ),
        row(
            "145",
            3,
            [CIVILIANS, POLICE],
            NAIROBI,
            "https://five.example.uk/world/africa/kenyan-police-fire-tear-gas-at-protesters-in-nairobi",
        ),
        // Courts, sport, history, opinion and business.
        row(
            "173",
            4,
            [POLICE, NO_ACTOR],
            OHIO,
            "https://six.example.com/crime/man-sentenced-to-ten-years-for-2014-shooting-judge-rules",
        ),
        row(
            "190",
            4,
            [CIVILIANS, NO_ACTOR],
            OHIO,
            "https://seven.example.com/sports/high-school-team-battles-back-to-win-championship-game",
        ),
        row(
            "193",
            4,
            war,
            KHARKIV,
            "https://eight.example.com/history/remembering-the-battle-of-kharkiv-eighty-years-on",
        ),
        row(
            "138",
            3,
            war,
            KREMLIN,
            "https://nine.example.com/opinion/why-the-west-should-not-fear-russian-threats",
        ),
        row("163", 4, war, OHIO, "https://ten.example.com/business/supermarkets-in-price-war-as-shares-fall"),
    ];
    let csv: String =
        rows.iter().enumerate().map(|(n, row)| row.line(900_000_001 + n as u64, stamp)).collect();
    let at = Timestamp::parse_compact(stamp.as_bytes()).unwrap();
    let events = live(&[(at, csv.into_bytes())]).await;
    insta::assert_snapshot!("hand_written", table(&events));
}
