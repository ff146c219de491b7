//! A world on a held clock, and the smallest HTTP client that shows exactly what a publisher sent.

#![allow(dead_code)]

use gsi_model::{DAY, HeldClock, Timestamp};
use gsi_sim::{Scenario, SimServer, World, WorldSettings};
use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

pub fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// 45 days before the time of the held clock in most tests.
pub fn settings(seed: u64) -> WorldSettings {
    WorldSettings {
        rows_per_slot: 120.0,
        missing_slots: false,
        ..WorldSettings::new(seed, time("2026-10-01T00:00:00Z"))
    }
}

pub fn staged(name: &str) -> WorldSettings {
    WorldSettings { scenario: Scenario::built_in(name).unwrap(), ..settings(1) }
}

pub struct Stage {
    pub server: SimServer,
    pub clock: Arc<HeldClock>,
}

pub fn stage(settings: WorldSettings, now: &str) -> Stage {
    let clock = Arc::new(HeldClock::at(time(now)));
    let server = SimServer::start(Arc::new(World::new(settings)), clock.clone()).unwrap();
    Stage { server, clock }
}

#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
    /// The connection closed before the announced length arrived.
    pub cut: bool,
}

impl Reply {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

impl Stage {
    pub fn get(&self, path: &str) -> Reply {
        self.get_with(path, &[])
    }

    pub fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        let mut stream = TcpStream::connect(self.server.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut request = format!("GET /{path} HTTP/1.1\r\nHost: sim\r\nConnection: close\r\n");
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        stream.write_all((request + "\r\n").as_bytes()).unwrap();
        let mut raw = Vec::new();
        let _ = stream.read_to_end(&mut raw);
        let end = raw.windows(4).position(|w| w == b"\r\n\r\n").expect("a complete head");
        let head = String::from_utf8(raw[..end].to_vec()).unwrap();
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers: HashMap<String, String> = lines
            .filter_map(|l| l.split_once(": "))
            .map(|(n, v)| (n.to_ascii_lowercase(), v.to_owned()))
            .collect();
        let body = raw[end + 4..].to_vec();
        let announced = headers.get("content-length").and_then(|n| n.parse().ok()).unwrap_or(0);
        Reply { status, headers, cut: status != 304 && body.len() < announced, body }
    }

    pub fn advance(&self, days: i64) {
        self.clock.advance(days * DAY);
    }
}

pub const GDELT: &str = "data.gdeltproject.org/gdeltv2";

/// The single member of a zip.
pub fn unzip(bytes: &[u8]) -> Option<(String, Vec<u8>)> {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).ok()?;
    assert_eq!(archive.len(), 1);
    let mut member = archive.by_index(0).ok()?;
    let name = member.name().ok()?.into_owned();
    let mut content = Vec::new();
    member.read_to_end(&mut content).ok()?;
    Some((name, content))
}

/// (size, md5, address) of each line of a list.
pub fn list(text: &str) -> Vec<(usize, String, String)> {
    text.lines()
        .map(|line| {
            let parts: Vec<&str> = line.split(' ').collect();
            assert_eq!(parts.len(), 3, "{line}");
            (parts[0].parse().unwrap(), parts[1].to_owned(), parts[2].to_owned())
        })
        .collect()
}

pub fn md5_hex(bytes: &[u8]) -> String {
    use md5::{Digest, Md5};
    Md5::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// One address per publisher, requested at the world's present.
pub const ADDRESSES: [(&str, &str); 22] = [
    ("gdelt", "data.gdeltproject.org/gdeltv2/lastupdate.txt"),
    ("kev", "www.cisa.gov/sites/default/files/feeds/known_exploited_vulnerabilities.json"),
    ("kev_mirror", "raw.githubusercontent.com/cisagov/kev-data/develop/known_exploited_vulnerabilities.json"),
    ("oil", "raw.githubusercontent.com/datasets/oil-prices/main/data/brent-daily.csv"),
    ("oil", "raw.githubusercontent.com/datasets/oil-prices/main/data/wti-daily.csv"),
    ("gas", "raw.githubusercontent.com/datasets/natural-gas/main/data/daily.csv"),
    ("ofr", "www.financialresearch.gov/financial-stress-index/data/fsi.csv"),
    ("epu", "www.policyuncertainty.com/media/All_Daily_Policy_Data.csv"),
    ("gpr", "www.matteoiacoviello.com/gpr_files/data_gpr_daily_recent.xls"),
    (
        "treasury",
        "home.treasury.gov/resource-center/data-chart-center/interest-rates/daily-treasury-rates.csv/2026/all?type=daily_treasury_yield_curve&field_tdr_date_value=2026&page&_format=csv",
    ),
    (
        "ecb",
        "data-api.ecb.europa.eu/service/data/EXR/D.USD+JPY+GBP.EUR.SP00.A?format=csvdata&detail=dataonly&startPeriod=2026-06-01",
    ),
    (
        "portwatch",
        "services9.arcgis.com/weJ1QsnbMYJlCHdG/arcgis/rest/services/Daily_Chokepoints_Data/FeatureServer/0/query?where=portid%3D%27chokepoint6%27+AND+date+%3E%3D+DATE+%272026-08-01%27&outFields=*&orderByFields=date+DESC&resultRecordCount=1000&f=json",
    ),
    (
        "ports",
        "services9.arcgis.com/weJ1QsnbMYJlCHdG/arcgis/rest/services/Daily_Ports_Data/FeatureServer/0/query?where=date%20%3E%3D%20DATE%20%272026-08-01%27&groupByFieldsForStatistics=date&outStatistics=%5B%7B%22statisticType%22%3A%22sum%22%2C%22onStatisticField%22%3A%22portcalls%22%2C%22outStatisticFieldName%22%3A%22calls%22%7D%5D&f=json",
    ),
    ("gscpi", "www.newyorkfed.org/medialibrary/research/interactives/data/gscpi/gscpi_interactive_data.csv"),
    ("epss", "epss.empiricalsecurity.com/epss_scores-2026-11-14.csv.gz"),
    (
        "exploits",
        "api.github.com/search/repositories?q=CVE-2026+in:name,description+created:2026-11-13&sort=updated&per_page=100&page=1",
    ),
    ("ransomware", "api.ransomware.live/v2/recentvictims"),
    (
        "ioda",
        "api.ioda.inetintel.cc.gatech.edu/v2/outages/events?from=1794500000&until=1794700000&entityType=country&format=codf&limit=2000",
    ),
    ("usgs", "earthquake.usgs.gov/earthquakes/feed/v1.0/summary/4.5_day.geojson"),
    ("gdacs", "www.gdacs.org/gdacsapi/api/events/geteventlist/MAP"),
    ("ucdp", "ucdp.uu.se/downloads/candidateged/GEDEvent_v26_0_9.csv"),
    (
        "gdelt_doc",
        "api.gdeltproject.org/api/v2/doc/doc?query=%28nasdaq+OR+%22stock+market%22+OR+%22wall+street%22%29+sourcelang%3Aenglish&mode=timelinetone&format=json&STARTDATETIME=20170101000000&ENDDATETIME=20261114235959",
    ),
];

pub const NOW: &str = "2026-11-15T12:05:00Z";
