//! `gsi doctor` finds what keeps a service from running, and names the fix of each fault.

use crate::GSI;
use drills::succeed;
use serde_json::Value;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

fn doctor(data: &Path) -> Command {
    let mut command = Command::new(GSI);
    command.args(["doctor", "--json", "--offline", "--listen", "127.0.0.1:0", "--data"]).arg(data);
    command
}

fn findings(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text)
        .unwrap_or_else(|e| panic!("{e}: {text} {}", String::from_utf8_lossy(&output.stderr)))
}

/// Returns the finding about one subject that is not sound.
fn finding(output: &Output, what: &str) -> Value {
    let found = findings(output).into_iter().find(|f| f["what"] == what && f["verdict"] != "sound");
    found.unwrap_or_else(|| panic!("nothing is wrong with {what}: {:#?}", findings(output)))
}

/// Checks the verdict on one planted fault, and words of the finding and of the fix.
fn expect(command: &mut Command, what: &str, verdict: &str, found: &str, fix: &str) {
    let output = command.output().unwrap();
    let finding = finding(&output, what);
    assert_eq!(finding["verdict"], verdict, "{finding}");
    assert!(finding["found"].as_str().unwrap().contains(found), "{finding}");
    assert!(finding["fix"].as_str().unwrap().contains(fix), "{finding}");
    let code = output.status.code().unwrap();
    match verdict {
        "bad" => assert!(matches!(code, 1 | 2), "{finding}: exit code {code}"),
        _ => assert_eq!(code, 0, "{finding}"),
    }
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_report_without_faults_fits_one_screen() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let output = doctor(&data).env("GSI_FEEDS_CONTACT", "desk@example.org").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{:#?}", findings(&output));
    assert!(!data.exists(), "doctor creates no folder");
    let plain = Command::new(GSI)
        .args(["doctor", "--offline", "--listen", "127.0.0.1:0", "--data"])
        .arg(&data)
        .output()
        .unwrap();
    let text = String::from_utf8(plain.stdout).unwrap();
    assert!(text.lines().count() < 24, "{text}");
    assert!(text.contains("ok   disk") && text.contains("warn contact"), "{text}");
}

#[test]
fn planted_faults_are_found_and_the_fix_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let data = at("data");
    std::fs::create_dir(&data).unwrap();
    set_mode(&data, 0o700);

    // 1 and 2: the configuration cannot be read, or names an unknown feed.
    std::fs::write(at("wrong.toml"), "listne = \"127.0.0.1:1\"\n").unwrap();
    expect(
        doctor(&data).arg("--config").arg(at("wrong.toml")),
        "configuration",
        "bad",
        "listen",
        "gsi config",
    );
    expect(doctor(&data).env("GSI_FEEDS_DISABLED", "gdlet"), "configuration", "bad", "gdlet", "feeds");
    // 3: there is no contact address.
    expect(doctor(&data).env("GSI_FEEDS_CONTACT", ""), "contact", "doubtful", "publishers", "feeds.contact");
    // 4: the data folder is a file; 5: every user may read it.
    std::fs::write(at("file"), "").unwrap();
    expect(&mut doctor(&at("file")), "data folder", "bad", "not a folder", "--data");
    set_mode(&data, 0o755);
    expect(&mut doctor(&data), "data folder", "doubtful", "every user", "chmod");
    set_mode(&data, 0o700);
    // 6: fewer files than connections.
    let few = "ulimit -n 600 && exec \"$0\" \"$@\"";
    let mut limited = Command::new("bash");
    limited.args(["-c", few, GSI, "doctor", "--json", "--offline", "--listen", "127.0.0.1:0"]);
    expect(limited.arg("--data").arg(&data), "open files", "doubtful", "344 of", "LimitNOFILE");
    // 7: the operator's key is short; 8: every user may read it.
    std::fs::write(at("key"), "short").unwrap();
    expect(
        doctor(&data).env("GSI_API_KEY_FILE", at("key")),
        "operator's key",
        "bad",
        "at least 16",
        "api_key_file",
    );
    std::fs::write(at("key"), "a key of the operator's own".replace(' ', "-")).unwrap();
    set_mode(&at("key"), 0o644);
    expect(
        doctor(&data).env("GSI_API_KEY_FILE", at("key")),
        "operator's key",
        "doubtful",
        "every user",
        "chmod",
    );
    // 9: the certificate file has no certificate.
    std::fs::write(at("pem"), "no certificate").unwrap();
    let mut tls = doctor(&data);
    tls.env("GSI_TLS_CERTIFICATE", at("pem")).env("GSI_TLS_PRIVATE_KEY", at("pem"));
    expect(&mut tls, "certificate", "bad", "PEM", "PEM files");
    // An expired certificate, and a valid one.
    let made = |year: i32| {
        let mut params = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        params.not_after = rcgen::date_time_ymd(year, 1, 2);
        let pair = rcgen::KeyPair::generate().unwrap();
        std::fs::write(at("cert"), params.self_signed(&pair).unwrap().pem()).unwrap();
        std::fs::write(at("cert.key"), pair.serialize_pem()).unwrap();
        set_mode(&at("cert.key"), 0o600);
        let mut tls = doctor(&data);
        tls.env("GSI_TLS_CERTIFICATE", at("cert")).env("GSI_TLS_PRIVATE_KEY", at("cert.key"));
        tls
    };
    expect(&mut made(2024), "certificate", "bad", "ended on 2024-01-02", "renew");
    let sound = findings(&made(2100).output().unwrap());
    let certificate = sound.iter().find(|f| f["what"] == "certificate").unwrap();
    assert_eq!(certificate["verdict"], "sound", "{certificate}");
    assert!(certificate["found"].to_string().contains("until 2100-01-02"), "{certificate}");
    // 10: another program listens on the address.
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    std::thread::spawn(move || taken.incoming().for_each(drop));
    let mut held = Command::new(GSI);
    held.args(["doctor", "--json", "--offline", "--listen", &address, "--data"]).arg(&data);
    expect(&mut held, "address", "bad", "another program", "--listen");
    // 11: the log file cannot be written.
    expect(
        doctor(&data).env("GSI_LOG_REQUESTS", "/nowhere/requests.log"),
        "request log",
        "bad",
        "cannot write",
        "log.requests",
    );
    std::fs::write(at("requests.log"), "").unwrap();
    set_mode(&at("requests.log"), 0o644);
    expect(
        doctor(&data).env("GSI_LOG_REQUESTS", at("requests.log")),
        "request log",
        "doubtful",
        "every user",
        "chmod",
    );
    // 12: the store is not a database; 13: the store cannot be reached.
    std::fs::write(data.join("gsi.db"), "this is no database, whatever its name says".repeat(40)).unwrap();
    expect(&mut doctor(&data), "store", "bad", "gsi.db", "store");
    std::fs::remove_file(data.join("gsi.db")).unwrap();
    let mut database = doctor(&data);
    database.args(["--store", "postgres://gsi:secret@127.0.0.1:1/gsi"]);
    let output = database.output().unwrap();
    let finding = finding(&output, "store");
    assert_eq!(finding["verdict"], "bad");
    assert!(!finding.to_string().contains("secret"), "{finding}");
}

#[test]
fn the_finding_about_a_store_without_keys_names_the_fix() {
    let folder = tempfile::tempdir().unwrap();
    set_mode(folder.path(), 0o700);
    let mut demo = Command::new(GSI);
    demo.args(["demo", "--days", "1", "--listen", "127.0.0.1:0", "--at", "2026-11-14T00:00:00Z"]);
    demo.args(["--until", "2026-11-14T00:30:00Z", "--time-scale", "9000", "--data"]).arg(folder.path());
    succeed(&mut demo);
    set_mode(&folder.path().join("gsi.db"), 0o644);
    expect(&mut doctor(folder.path()), "store", "doubtful", "every user", "chmod");
    set_mode(&folder.path().join("gsi.db"), 0o600);
    // The demo has a key. Ticks of a simulated world are not compared with the clock.
    let output = doctor(folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{:#?}", findings(&output));
    assert!(findings(&output).iter().all(|f| f["what"] != "newest tick"));
    let keys = succeed(Command::new(GSI).args(["key", "list", "--json", "--data"]).arg(folder.path()));
    let keys: Value = serde_json::from_str(&keys).unwrap();
    for key in keys.as_array().or(keys["keys"].as_array()).unwrap() {
        let id = key["id"].as_str().unwrap();
        succeed(Command::new(GSI).args(["key", "revoke", id, "--data"]).arg(folder.path()));
    }
    expect(&mut doctor(folder.path()), "keys", "doubtful", "no client can ask", "gsi key create");
}

#[test]
fn the_program_creates_private_folders_and_files() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    // An operator's shell usually lets every user read new files.
    let mut demo = Command::new("sh");
    demo.args([
        "-c",
        "umask 022 && exec \"$0\" \"$@\"",
        GSI,
        "demo",
        "--days",
        "1",
        "--listen",
        "127.0.0.1:0",
    ]);
    demo.args(["--at", "2026-11-14T00:00:00Z", "--until", "2026-11-14T00:30:00Z", "--time-scale", "9000"]);
    demo.arg("--data").arg(&data).env("GSI_LOG_REQUESTS", folder.path().join("requests.log"));
    succeed(&mut demo);
    let mut created = vec![data.clone(), folder.path().join("requests.log")];
    created.extend(std::fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().path()));
    assert!(created.contains(&data.join("gsi.db")), "{created:?}");
    for path in created {
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{} has the mode {mode:o}", path.display());
    }
}
