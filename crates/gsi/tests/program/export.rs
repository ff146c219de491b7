//! `gsi export` writes the same rows from a store and from the service on it, in every format, with a correct manifest.

use crate::GSI;
use drills::demo::RunningDemo;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::process::{Command, Stdio};

/// One feed of each kind is enough.
const DISABLED: &str = "epss,poc,portwatch,ports,gscpi,usgs,ecb";
const FROM: &str = "2026-11-13";
const TO: &str = "2026-11-15T12:00:00Z";

fn gsi() -> Command {
    let mut command = Command::new(GSI);
    command
        .env("GSI_DEMO_ROWS_PER_SLOT", "60")
        .env("GSI_FEEDS_DISABLED", DISABLED)
        .env("GSI_LOG_REQUESTS", "off")
        .stdin(Stdio::null());
    command
}

fn run(command: &mut Command) -> (Option<i32>, String, String) {
    let done = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (done.status.code(), text(done.stdout), text(done.stderr))
}

/// The rows of an export, as objects, and its manifest.
fn exported(what: &str, format: &str, from: &[&str], key: Option<&str>) -> (Vec<Value>, Value) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = gsi();
    command.args(["export", "--what", what, "--format", format, "--from", FROM, "--to", TO]);
    command.arg("--out").arg(folder.path()).args(from);
    command.envs(key.map(|key| ("GSI_KEY", key)));
    let (code, said, stderr) = run(&mut command);
    assert_eq!(code, Some(0), "{what} as {format}: {said}{stderr}");
    let manifest: Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("manifest.json")).unwrap()).unwrap();
    let file = folder.path().join(format!("{what}.{format}"));
    let bytes = std::fs::read(&file).unwrap();
    let listed = &manifest["files"][0];
    assert_eq!(listed["sha256"], data_encoding::HEXLOWER.encode(&Sha256::digest(&bytes)));
    assert_eq!((&listed["bytes"], &listed["rows"]), (&json!(bytes.len()), &manifest["rows"]));
    let names: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names.len(), 2, "no temporary file is left: {names:?}");
    let columns: Vec<(String, String)> = manifest["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| (c["name"].as_str().unwrap().to_owned(), c["type"].as_str().unwrap().to_owned()))
        .collect();
    let rows: Vec<Value> = match format {
        "ndjson" => {
            let text = String::from_utf8(bytes).unwrap();
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        }
        "csv" => csv_rows(&bytes, &columns),
        _ => parquet_rows(&file),
    };
    assert_eq!(manifest["rows"], rows.len());
    (rows, manifest)
}

fn csv_rows(bytes: &[u8], columns: &[(String, String)]) -> Vec<Value> {
    let mut reader = csv::Reader::from_reader(bytes);
    let header: Vec<&str> = reader.headers().unwrap().iter().collect();
    assert_eq!(header, columns.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>());
    let row = |record: csv::StringRecord| {
        let cell = |text: &str, kind: &str| match (text, kind) {
            // Where a text is missing, it is empty.
            ("", _) => Value::Null,
            (text, "number" | "whole" | "flag") => serde_json::from_str(text).unwrap(),
            (text, _) => text.strip_prefix('\'').unwrap_or(text).into(),
        };
        record
            .iter()
            .zip(columns)
            .map(|(text, (name, kind))| (name.clone(), cell(text, kind)))
            .collect::<Map<_, _>>()
            .into()
    };
    reader.records().map(|record| row(record.unwrap())).collect()
}

fn parquet_rows(file: &Path) -> Vec<Value> {
    let reader = SerializedFileReader::new(std::fs::File::open(file).unwrap()).unwrap();
    let cell = |field: &Field| match field {
        Field::Null => Value::Null,
        Field::Bool(flag) => (*flag).into(),
        Field::Long(number) => (*number).into(),
        Field::Double(number) => (*number).into(),
        Field::Str(text) => text.clone().into(),
        Field::TimestampMillis(at) => gsi_model::Timestamp::from_unix(at / 1000).to_string().into(),
        other => panic!("{other:?}"),
    };
    let rows = reader.get_row_iter(None).unwrap().map(|row| {
        let row = row.unwrap();
        row.get_column_iter().map(|(name, field)| (name.clone(), cell(field))).collect::<Map<_, _>>().into()
    });
    rows.collect()
}

/// The rows as CSV can show them, which does not tell an empty text from a missing one.
fn as_in_csv(rows: &[Value]) -> Vec<Value> {
    let mut rows = rows.to_vec();
    for row in &mut rows {
        for cell in row.as_object_mut().unwrap().values_mut() {
            match cell.as_str() {
                Some("") => *cell = Value::Null,
                Some(text) => *cell = text.strip_prefix('\'').unwrap_or(text).into(),
                None => {}
            }
        }
    }
    rows
}

#[test]
fn a_store_and_the_service_on_it_give_the_same_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let mut command = gsi();
    command.args(["demo", "--listen", "127.0.0.1:0", "--data", data, "--days", "2"]);
    command.args(["--scenario", "border_war", "--at", "2026-11-15T12:01:00Z"]);
    let running = RunningDemo::start(&mut command);
    let address = format!("http://{}", running.address);
    for what in ["scores", "events", "briefings", "countries", "observations"] {
        let (rows, manifest) = exported(what, "ndjson", &["--data", data], None);
        assert!(!rows.is_empty(), "{what}");
        assert_eq!((&manifest["simulated"], &manifest["what"]), (&json!(true), &json!(what)));
        assert_eq!(manifest["method"]["digest"], running.json("/v1/method")["digest"]);
        let gdelt = manifest["sources"].as_array().unwrap().iter().find(|s| s["feed"] == "gdelt").unwrap();
        assert!(gdelt["attribution"].as_str().unwrap().contains("GDELT"), "{gdelt}");
        assert_eq!(exported(what, "parquet", &["--data", data], None).0, rows, "{what}");
        assert_eq!(exported(what, "csv", &["--data", data], None).0, as_in_csv(&rows), "{what}");
        if what != "observations" {
            let (asked, its_manifest) = exported(what, "ndjson", &["--url", &address], Some(&running.key));
            assert_eq!(asked, rows, "{what}");
            for part in ["method", "as_of", "simulated", "rows", "files", "from", "to", "columns"] {
                assert_eq!(its_manifest[part], manifest[part], "{what}: {part}");
            }
        }
        match what {
            "scores" => {
                let now = running.json("/v1/global-stability");
                let last = rows.last().unwrap();
                let last_scores = json!({ "score": last["score"], "pillars": { "conflict": last["conflict"], "cyber": last["cyber"],
                    "supply_chain": last["supply_chain"], "macro": last["macro"] } });
                // The newest tick is the end of the window, which the window does not include.
                let before = running.json("/v1/global-stability?as_of=2026-11-15T11:59:00Z");
                assert_eq!(last_scores["pillars"], before["pillars"], "{now}");
                assert_eq!((&last_scores["score"], &last["at"]), (&before["score"], &before["as_of"]));
            }
            "briefings" => {
                let listed =
                    running.json(&format!("/v1/briefings?limit=200&since={FROM}T00:00:00Z&until={TO}"));
                let listed = listed["briefings"].as_array().unwrap();
                assert_eq!(listed.len(), rows.len());
                for (row, briefing) in rows.iter().zip(listed) {
                    assert_eq!((&row["id"], &row["summary"]), (&briefing["id"], &briefing["summary"]));
                }
            }
            "observations" => {
                for left in manifest["left_out"].as_array().unwrap() {
                    assert!(rows.iter().all(|row| row["series"] != left["series"]), "{left}");
                    assert!(left["rows"].as_u64().unwrap() > 0 && left["reason"].is_string());
                }
            }
            _ => {}
        }
    }
    refusals(data, &address, &running.key);
}

fn refusals(data: &str, address: &str, key: &str) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("a/b");
    let export = |more: &[&str]| {
        let mut command = gsi();
        command.args(["export", "--format", "csv"]).arg("--out").arg(&out).args(more);
        run(&mut command)
    };
    let scores = ["--what", "scores", "--data", data, "--from", FROM];
    let (code, said, _) = export(&scores);
    assert_eq!(code, Some(0), "{said}");
    let before = std::fs::read(out.join("scores.csv")).unwrap();
    let (code, _, said) = export(&scores);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("scores.csv exists; --force replaces it"), "{said}");
    // Another kind in the same folder would leave a manifest that lists only one of the files.
    assert_eq!(export(&["--what", "events", "--data", data, "--from", FROM]).0, Some(2));
    assert_eq!(export(&[&scores[..], &["--force"]].concat()).0, Some(0));
    assert_eq!(std::fs::read(out.join("scores.csv")).unwrap(), before, "the same again");

    let nowhere = folder.path().join("nothing");
    let rows: [(&[&str], &str); 9] = [
        (&["--what", "scores", "--data", data, "--from", "yesterday"], "a day such as 2026-11-01"),
        (&["--what", "scores", "--data", data, "--from", TO, "--to", FROM], "--from is not before --to"),
        (&["--what", "weather", "--data", data, "--from", FROM], "possible values: scores"),
        (&["--what", "scores", "--data", nowhere.to_str().unwrap(), "--from", FROM], "there is no store"),
        (&["--what", "scores", "--url", address, "--from", FROM], "needs a key"),
        (&["--what", "scores", "--url", address, "--key", key, "--data", data, "--from", FROM], "not both"),
        (&["--what", "observations", "--url", address, "--key", key, "--from", FROM], "only from a store"),
        (&["--what", "scores", "--data", data, "--from", "2030-01-01"], "the newest tick is"),
        (&["--what", "scores", "--data", data], "--from"),
    ];
    for (arguments, why) in rows {
        let (code, _, said) = export(&[arguments, &["--force"]].concat());
        assert_eq!(code, Some(2), "{arguments:?}: {said}");
        assert!(said.contains(why), "{arguments:?}: {said}");
    }
    assert!(!nowhere.exists(), "no folder is created");
    let (code, _, said) =
        export(&["--what", "scores", "--url", address, "--key", "gsi_wrong", "--from", FROM, "--force"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("401 The key is not valid."), "{said}");
    assert_eq!(std::fs::read(out.join("scores.csv")).unwrap(), before, "a failed export replaces nothing");
}
