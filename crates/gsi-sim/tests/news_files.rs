//! The event publisher's files: when they appear, their entries in the lists, and their content.

mod support;

use gsi_model::{TICK, Timestamp};
use support::*;

#[test]
fn a_file_lands_three_and_a_half_minutes_after_its_stamp() {
    let check = |now: &str, newest: &str| {
        let stage = stage(settings(1), now);
        let reply = stage.get(&format!("{GDELT}/lastupdate.txt"));
        let lines = list(reply.text());
        assert_eq!(lines.len(), 3, "{now}");
        for ((_, _, url), suffix) in lines.iter().zip(["export.CSV", "mentions.CSV", "gkg.csv"]) {
            assert_eq!(url, &format!("http://data.gdeltproject.org/gdeltv2/{newest}.{suffix}.zip"), "{now}");
        }
        assert_eq!(stage.get(&format!("{GDELT}/{newest}.export.CSV.zip")).status, 200);
        let next = Timestamp::parse_compact(newest.as_bytes()).unwrap().plus(TICK).to_compact();
        assert_eq!(stage.get(&format!("{GDELT}/{next}.export.CSV.zip")).status, 404, "{now}");
    };
    check("2026-11-15T12:00:00Z", "20261115114500");
    check("2026-11-15T12:03:29Z", "20261115114500");
    check("2026-11-15T12:03:30Z", "20261115120000");
    check("2026-11-15T12:15:00Z", "20261115120000");
}

#[test]
fn sizes_checksums_members_and_columns_hold() {
    let stage = stage(settings(1), NOW);
    let lines = list(stage.get(&format!("{GDELT}/lastupdate.txt")).text());
    for ((size, md5, url), columns) in lines.iter().zip([61, 16]) {
        let path = url.strip_prefix("http://").unwrap();
        let reply = stage.get(path);
        assert_eq!((reply.body.len(), &md5_hex(&reply.body)), (*size, md5), "{path}");
        let (name, content) = unzip(&reply.body).unwrap();
        assert!(path.ends_with(&format!("{name}.zip")));
        let text = String::from_utf8(content).unwrap();
        assert!(text.lines().count() > 20 && text.ends_with('\n'));
        assert!(text.lines().all(|l| l.split('\t').count() == columns), "{name}");
        let mirrored = stage.get(&format!("storage.googleapis.com/{path}"));
        assert_eq!(mirrored.body, reply.body);
    }
    assert_eq!(stage.get(&format!("{GDELT}/20261115120000.gkg.csv.zip")).status, 404);
    assert_eq!(stage.get(&format!("{GDELT}/../../etc/passwd")).status, 404);
    assert_eq!(stage.get("unknown.example/anything").status, 404);
}

#[test]
fn rows_are_consistent_within_themselves() {
    let world = gsi_sim::World::new(settings(3));
    let stamp = time("2026-11-10T14:30:00Z");
    let news = world.slot(stamp);
    let mut last = 0;
    for line in std::str::from_utf8(&news.export).unwrap().lines() {
        let c: Vec<&str> = line.split('\t').collect();
        let id: u64 = c[0].parse().unwrap();
        assert!(id > last, "numbers rise");
        last = id;
        assert_eq!(c[59], "20261110143000");
        assert_eq!((&c[1][..6], &c[1][..4]), (c[2], c[3]));
        assert!(c[26].starts_with(c[27]) && c[27].starts_with(c[28]), "{line}");
        assert!(c[30].parse::<f64>().is_ok_and(|g| g.abs() <= 10.0));
        assert!(c[34].parse::<f64>().is_ok_and(|t| t.abs() <= 100.0));
        assert!(!c[5].is_empty() || !c[15].is_empty(), "an actor");
        for at in [35, 43, 51] {
            let none = c[at] == "0";
            assert_eq!(none, c[at + 5].is_empty(), "{line}");
            assert!(none || gsi_model::CountryCode::from_fips(c[at + 2]).is_some(), "{line}");
        }
        assert!(c[60].starts_with("http") && c[60].contains("-sim."), "{}", c[60]);
    }
    let next = world.slot(stamp.plus(TICK));
    let first: u64 = std::str::from_utf8(&next.export).unwrap().split('\t').next().unwrap().parse().unwrap();
    assert!(first > last, "and go on rising in the next file");
}

#[test]
fn any_range_of_the_list_is_that_part_of_the_whole() {
    let stage = stage(settings(1), "2026-08-24T12:04:00Z");
    let path = format!("{GDELT}/masterfilelist.txt");
    let whole = stage.get(&path);
    assert_eq!(whole.status, 200);
    let text = whole.text();
    assert_eq!(list(text).len() % 3, 0);
    assert!(text.lines().last().unwrap().contains("20260824120000.gkg"));
    let total = whole.body.len();
    let check = |range: &str, from: usize, to: usize| {
        let part = stage.get_with(&path, &[("Range", range)]);
        assert_eq!(part.status, 206, "{range}");
        assert_eq!(part.header("content-range"), format!("bytes {from}-{}/{total}", to - 1), "{range}");
        assert_eq!(part.body, whole.body[from..to], "{range}");
    };
    check("bytes=-5000", total - 5000, total);
    check("bytes=100-999", 100, 1000);
    check(&format!("bytes={}-", total - 7), total - 7, total);
    check("bytes=0-999999999", 0, total);
    assert_eq!(stage.get_with(&path, &[("Range", &format!("bytes={total}-"))]).status, 416);
    // The list that a client saw is the beginning of the later list.
    stage.advance(1);
    let grown = stage.get_with(&path, &[("Range", &format!("bytes={total}-"))]);
    assert_eq!(grown.status, 206);
    assert_eq!(list(grown.text()).len(), 96 * 3);
}

#[test]
fn a_range_of_a_file_is_served_too() {
    let stage = stage(settings(1), NOW);
    let path = format!("{GDELT}/20261115120000.export.CSV.zip");
    let whole = stage.get(&path).body;
    assert_eq!(stage.get_with(&path, &[("Range", "bytes=-10")]).body, whole[whole.len() - 10..]);
}

#[test]
fn some_slots_are_never_published() {
    let with_gaps = gsi_sim::WorldSettings { missing_slots: true, ..settings(1) };
    let stage = stage(with_gaps, "2026-09-20T00:04:00Z");
    let tail = stage.get_with(&format!("{GDELT}/masterfilelist.txt"), &[("Range", "bytes=-1")]);
    let total: usize = tail.header("content-range").rsplit('/').next().unwrap().parse().unwrap();
    let slots = 29 * 96 + 1;
    let line = stage.get(&format!("{GDELT}/lastupdate.txt")).body.len();
    let listed = total / line;
    assert!((slots - 15..slots).contains(&listed), "{listed} of {slots}");
}

#[test]
fn an_unchanged_document_is_not_sent_again() {
    let stage = stage(settings(1), NOW);
    for (_, path) in ADDRESSES {
        let first = stage.get(path);
        assert_eq!(first.status, 200, "{path}");
        assert!(!first.cut && !first.body.is_empty(), "{path}");
        let tag = first.header("etag").to_owned();
        assert!(!tag.is_empty(), "{path}");
        let again = stage.get_with(path, &[("If-None-Match", &tag)]);
        assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
        let other = stage.get_with(path, &[("If-None-Match", "\"other\"")]);
        assert_eq!((other.status, &other.body), (200, &first.body), "{path}");
        if !first.header("last-modified").is_empty() {
            let since = first.header("last-modified").to_owned();
            assert_eq!(stage.get_with(path, &[("If-Modified-Since", &since)]).status, 304, "{path}");
            let long_ago = "Thu, 01 Jan 2015 00:00:00 GMT";
            assert_eq!(stage.get_with(path, &[("If-Modified-Since", long_ago)]).status, 200, "{path}");
        }
    }
    assert_eq!(stage.get(ADDRESSES[0].1).header("date"), "Sun, 15 Nov 2026 12:05:00 GMT");
}
