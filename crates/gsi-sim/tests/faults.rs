//! Every fault does what its name says, affects its own publisher only, and is gone when it is cleared.

mod support;

use calamine::{Data, Reader, Xls};
use gsi_sim::{Fault, PUBLISHERS};
use std::io::Read;
use std::time::{Duration, Instant};
use support::*;

#[test]
fn faults_that_show_in_the_status() {
    let stage = stage(settings(1), NOW);
    for (publisher, path) in ADDRESSES {
        for (fault, status, part) in [
            (Fault::NotFound, 404, "Not Found"),
            (Fault::Wall, 403, "<html>"),
            (Fault::ServerError, 500, "Error"),
            (Fault::PrivateRedirect, 302, ""),
        ] {
            stage.server.faults().set(publisher, fault);
            let reply = stage.get(path);
            assert_eq!(reply.status, status, "{publisher} {fault}");
            assert!(String::from_utf8_lossy(&reply.body).contains(part), "{publisher} {fault}");
            assert_eq!(reply.header("location").starts_with("http://169.254."), status == 302);
        }
        stage.server.faults().clear(publisher);
        assert_eq!(stage.get(path).status, 200, "{publisher}");
    }
}

#[test]
fn a_fault_is_its_publishers_own() {
    let stage = stage(settings(1), NOW);
    for sick in PUBLISHERS {
        stage.server.faults().clear_all();
        stage.server.faults().set(sick, Fault::NotFound);
        for (publisher, path) in [ADDRESSES[0], ADDRESSES[1], ADDRESSES[3], ADDRESSES[6]] {
            assert_eq!(stage.get(path).status == 404, publisher == sick, "{sick} sick, {publisher} asked");
        }
    }
}

#[test]
fn truncated_bodies_end_early() {
    let stage = stage(settings(1), NOW);
    for (publisher, path) in ADDRESSES {
        stage.server.faults().set(publisher, Fault::Truncated);
        let reply = stage.get(path);
        assert!(reply.status == 200 && reply.cut, "{publisher}: {} bytes", reply.body.len());
        stage.server.faults().clear(publisher);
    }
}

#[test]
fn slow_bodies_take_their_time() {
    let stage = stage(settings(1), NOW);
    stage.server.faults().set("ofr", Fault::Slow(Duration::from_millis(600)));
    let begun = Instant::now();
    let reply = stage.get(ADDRESSES[6].1);
    assert!(!reply.cut && begun.elapsed() >= Duration::from_millis(550), "{:?}", begun.elapsed());
}

#[test]
fn frozen_content_does_not_change_and_a_fast_clock_is_ahead() {
    let stage = stage(settings(1), NOW);
    for (publisher, path) in
        ADDRESSES.into_iter().filter(|(p, _)| !["epss", "ucdp", "exploits", "ioda"].contains(p))
    {
        let before = stage.get(path).body;
        stage.server.faults().set(publisher, Fault::Frozen);
        stage.advance(40);
        let frozen = stage.get(path);
        assert!(frozen.status == 200 && frozen.body == before, "{publisher}");
        stage.server.faults().clear(publisher);
        assert!(stage.get(path).body != before, "{publisher} continues afterwards");
        stage.advance(-40);
    }
    let newest = |reply: &Reply| reply.text().lines().last().unwrap().to_owned();
    let honest = newest(&stage.get(ADDRESSES[0].1));
    stage.server.faults().set("gdelt", Fault::ClockAhead);
    let ahead = newest(&stage.get(ADDRESSES[0].1));
    assert!(honest.contains("20261115120000") && ahead.contains("20261117120000"), "{ahead}");
}

/// The publisher's sizes and checksums match its corrupted bytes.
#[test]
fn content_faults_of_the_news_files() {
    let stage = stage(settings(1), NOW);
    let fetch = || {
        let lines = list(stage.get(&format!("{GDELT}/lastupdate.txt")).text());
        let (size, md5, url) =
            lines.iter().find(|l| l.2.ends_with("export.CSV.zip")).expect("an export line").clone();
        let body = stage.get(url.strip_prefix("http://").unwrap()).body;
        (size == body.len(), md5 == md5_hex(&body), body)
    };
    let rows = |body: &[u8]| -> Vec<String> {
        let text = String::from_utf8(unzip(body).unwrap().1).unwrap();
        text.lines().map(str::to_owned).collect()
    };
    let honest = rows(&fetch().2);
    let set = |fault| stage.server.faults().set("gdelt", fault);

    set(Fault::WrongMd5);
    let (size, md5, body) = fetch();
    assert!(size && !md5 && rows(&body) == honest);

    set(Fault::Duplicate);
    let (size, md5, body) = fetch();
    assert!(size && md5 && rows(&body).len() == 2 * honest.len() && rows(&body)[0] == rows(&body)[1]);

    set(Fault::OutOfOrder);
    let (_, md5, body) = fetch();
    let mut turned = rows(&body);
    turned.reverse();
    assert!(md5 && turned == honest);
    assert!(stage.get(&format!("{GDELT}/lastupdate.txt")).text().lines().next().unwrap().contains("gkg"));

    set(Fault::SchemaChange);
    let (_, md5, body) = fetch();
    assert!(md5 && rows(&body).iter().all(|r| r.split('\t').count() == 62));

    stage.server.faults().clear_all();
    let path = format!("{GDELT}/20261115120000.export.CSV.zip");
    set(Fault::Garbage);
    let inside = unzip(&stage.get(&path).body).unwrap().1;
    assert!(std::str::from_utf8(&inside).is_err());
    set(Fault::EmptySuccess);
    assert_eq!(unzip(&stage.get(&path).body).unwrap().1.len(), 0);
    assert_eq!(stage.get(&format!("{GDELT}/lastupdate.txt")).body.len(), 0);
    set(Fault::ZipBomb);
    let bomb = stage.get(&path).body;
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(&bomb)).unwrap();
    let size = archive.by_index(0).unwrap().size();
    assert!(size > 100_000_000 && bomb.len() < 5_000_000, "{} bytes unpack to {size}", bomb.len());

    stage.server.faults().clear_all();
    assert_eq!(rows(&fetch().2), honest);
}

#[test]
fn content_faults_of_tables_and_catalogues() {
    let stage = stage(settings(1), NOW);
    let set = |publisher, fault| stage.server.faults().set(publisher, fault);
    let (ofr, kev) = (ADDRESSES[6].1, ADDRESSES[1].1);
    let lines = |path| stage.get(path).text().lines().map(str::to_owned).collect::<Vec<_>>();
    let (table, entries) = (lines(ofr), stage.get(kev).json()["vulnerabilities"].as_array().unwrap().len());

    set("ofr", Fault::Duplicate);
    assert_eq!(lines(ofr).len(), 2 * table.len() - 1);
    set("ofr", Fault::OutOfOrder);
    let turned = lines(ofr);
    assert!(turned[0] == table[0] && &turned[1] == table.last().unwrap());
    set("ofr", Fault::SchemaChange);
    assert!(lines(ofr)[0].starts_with("revision,Date") && lines(ofr)[5].split(',').count() == 11);
    set("ofr", Fault::EmptySuccess);
    assert_eq!(lines(ofr), table[..1]);
    set("ofr", Fault::Garbage);
    assert!(std::str::from_utf8(&stage.get(ofr).body).is_err());
    set("ofr", Fault::ZipBomb);
    let bomb = stage.get(ofr);
    assert_eq!(bomb.header("content-encoding"), "gzip");
    let unpacked =
        std::io::copy(&mut flate2::read::GzDecoder::new(&bomb.body[..]), &mut std::io::sink()).unwrap();
    assert!(unpacked > 100_000_000 && bomb.body.len() < 5_000_000);

    set("kev", Fault::Duplicate);
    let doubled = stage.get(kev).json();
    assert_eq!(doubled["vulnerabilities"].as_array().unwrap().len(), 2 * entries);
    assert_eq!(doubled["count"], 2 * entries);
    set("kev", Fault::EmptySuccess);
    assert_eq!(stage.get(kev).json()["vulnerabilities"], serde_json::json!([]));
    set("kev", Fault::SchemaChange);
    assert!(stage.get(kev).json()["payload"]["vulnerabilities"].is_array());

    set("epss", Fault::EmptySuccess);
    let mut text = String::new();
    let path = "epss.empiricalsecurity.com/epss_scores-2026-11-14.csv.gz";
    flate2::read::GzDecoder::new(&stage.get(path).body[..]).read_to_string(&mut text).unwrap();
    assert_eq!(text.lines().count(), 1);
}

/// The sheet is written again for each fault, in the publisher's own binary format.
#[test]
fn content_faults_of_the_workbook() {
    let stage = stage(settings(1), NOW);
    let sheet = || -> Vec<Vec<Data>> {
        let mut book: Xls<_> = Xls::new(std::io::Cursor::new(stage.get(ADDRESSES[8].1).body)).unwrap();
        book.worksheet_range("Sheet1").unwrap().rows().map(<[Data]>::to_vec).collect()
    };
    // The codebook in the last columns belongs to the sheet and not to a day.
    let table = |rows: &[Vec<Data>]| rows.iter().map(|r| r[..9].to_vec()).collect::<Vec<_>>();
    let honest = sheet();
    let (names, days) = (honest[0].clone(), table(&honest[1..]));
    let set = |fault| stage.server.faults().set("gpr", fault);

    set(Fault::Duplicate);
    let doubled = sheet();
    let twice: Vec<_> = days.iter().flat_map(|day| [day.clone(), day.clone()]).collect();
    assert!(doubled[0] == names && table(&doubled[1..]) == twice);

    set(Fault::OutOfOrder);
    let mut turned = sheet();
    assert!(turned.remove(0) == names && turned[0][9] == honest[1][9], "the codebook stays");
    turned.reverse();
    assert_eq!(table(&turned), days);

    set(Fault::SchemaChange);
    let changed = sheet();
    assert!(changed[0][1..].iter().all(|cell| *cell == Data::Empty), "a title alone");
    assert_eq!((&changed[1][0], &changed[1][1..]), (&Data::String("revision".into()), &names[..]));
    assert!(changed[2..].iter().zip(&honest[1..]).all(|(is, was)| is[1..] == was[..]));

    set(Fault::EmptySuccess);
    assert_eq!(sheet(), [names]);

    stage.server.faults().clear_all();
    assert_eq!(sheet(), honest);
}

#[test]
fn a_changed_document_has_a_changed_tag() {
    let stage = stage(settings(1), NOW);
    let honest = stage.get(ADDRESSES[6].1).header("etag").to_owned();
    stage.server.faults().set("ofr", Fault::Duplicate);
    assert_ne!(stage.get(ADDRESSES[6].1).header("etag"), honest);
}

#[test]
fn names_come_back() {
    for fault in Fault::ALL {
        assert_eq!(fault.name().parse::<Fault>().unwrap(), fault);
    }
    assert!("sulks".parse::<Fault>().is_err());
}
