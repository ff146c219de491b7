//! `gsi doctor` finds what keeps a service from running, and names the way out of each.

use serde_json::Value;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

fn doctor(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gsi"));
    command.args(["doctor", "--json", "--offline", "--listen", "127.0.0.1:0", "--data"]).arg(data);
    command.env_remove("GSI_BLESS");
    command
}

fn findings(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text)
        .unwrap_or_else(|e| panic!("{e}: {text} {}", String::from_utf8_lossy(&output.stderr)))
}

/// What is said of one thing, with every planted fault it has to have a fix for.
fn finding(output: &Output, what: &str) -> Value {
    let found = findings(output).into_iter().find(|f| f["what"] == what && f["verdict"] != "sound");
    found.unwrap_or_else(|| panic!("nothing is wrong with {what}: {:#?}", findings(output)))
}

/// One planted fault: how it is judged, and words of what is found and of the fix.
fn expect(command: &mut Command, what: &str, verdict: &str, found: &str, fix: &str) {
    let output = command.output().unwrap();
    let told = finding(&output, what);
    assert_eq!(told["verdict"], verdict, "{told}");
    assert!(told["found"].as_str().unwrap().contains(found), "{told}");
    assert!(told["fix"].as_str().unwrap().contains(fix), "{told}");
    let code = output.status.code().unwrap();
    match verdict {
        "bad" => assert!(matches!(code, 1 | 2), "{told}: exit code {code}"),
        _ => assert_eq!(code, 0, "{told}"),
    }
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_sound_machine_is_told_so_on_one_screen() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let output = doctor(&data).env("GSI_FEEDS_CONTACT", "desk@example.org").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{:#?}", findings(&output));
    assert!(!data.exists(), "it makes nothing");
    let plain = Command::new(env!("CARGO_BIN_EXE_gsi"))
        .args(["doctor", "--offline", "--listen", "127.0.0.1:0", "--data"])
        .arg(&data)
        .output()
        .unwrap();
    let text = String::from_utf8(plain.stdout).unwrap();
    assert!(text.lines().count() < 24, "{text}");
    assert!(text.contains("ok   disk") && text.contains("look contact"), "{text}");
}

#[test]
fn planted_faults_are_found_and_the_fix_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let data = at("data");
    std::fs::create_dir(&data).unwrap();
    set_mode(&data, 0o700);

    // 1 and 2: the configuration cannot be read, or names a feed that there is not.
    std::fs::write(at("wrong.toml"), "listne = \"127.0.0.1:1\"\n").unwrap();
    expect(
        doctor(&data).arg("--config").arg(at("wrong.toml")),
        "configuration",
        "bad",
        "listen",
        "gsi config",
    );
    expect(doctor(&data).env("GSI_FEEDS_DISABLED", "gdlet"), "configuration", "bad", "gdlet", "feeds");
    // 3: nobody to write to.
    expect(doctor(&data).env("GSI_FEEDS_CONTACT", ""), "contact", "doubtful", "publishers", "feeds.contact");
    // 4: the data folder is a file; 5: everybody may read it.
    std::fs::write(at("file"), "").unwrap();
    expect(&mut doctor(&at("file")), "data folder", "bad", "not a folder", "--data");
    set_mode(&data, 0o755);
    expect(&mut doctor(&data), "data folder", "doubtful", "every user", "chmod");
    set_mode(&data, 0o700);
    // 6: fewer files than connections.
    let few = "ulimit -n 600 && exec \"$0\" \"$@\"";
    let mut limited = Command::new("bash");
    limited.args([
        "-c",
        few,
        env!("CARGO_BIN_EXE_gsi"),
        "doctor",
        "--json",
        "--offline",
        "--listen",
        "127.0.0.1:0",
    ]);
    expect(limited.arg("--data").arg(&data), "open files", "doubtful", "344 of", "LimitNOFILE");
    // 7: a short key of the operator's; 8: one that everybody may read.
    std::fs::write(at("key"), "short").unwrap();
    expect(
        doctor(&data).env("GSI_API_KEY_FILE", at("key")),
        "operator's key",
        "bad",
        "16 or more",
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
    // 9: a certificate that is none.
    std::fs::write(at("pem"), "no certificate").unwrap();
    let mut tls = doctor(&data);
    tls.env("GSI_TLS_CERTIFICATE", at("pem")).env("GSI_TLS_PRIVATE_KEY", at("pem"));
    expect(&mut tls, "certificate", "bad", "PEM", "PEM files");
    // One that has ended, and one that is good.
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
    let told = findings(&made(2100).output().unwrap());
    let told = told.iter().find(|f| f["what"] == "certificate").unwrap();
    assert_eq!(told["verdict"], "sound", "{told}");
    assert!(told["found"].to_string().contains("until 2100-01-02"), "{told}");
    // 10: somebody else has the address.
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    std::thread::spawn(move || taken.incoming().for_each(drop));
    let mut held = Command::new(env!("CARGO_BIN_EXE_gsi"));
    held.args(["doctor", "--json", "--offline", "--listen", &address, "--data"]).arg(&data);
    expect(&mut held, "address", "bad", "another program", "--listen");
    // 11: a log file where nothing can be written.
    expect(
        doctor(&data).env("GSI_LOG_REQUESTS", "/nowhere/requests.log"),
        "request log",
        "bad",
        "cannot be written",
        "log.requests",
    );
    // 12: a store that is none; 13: one that cannot be reached.
    std::fs::write(data.join("gsi.db"), "this is no database, whatever its name says".repeat(40)).unwrap();
    expect(&mut doctor(&data), "store", "bad", "gsi.db", "store");
    std::fs::remove_file(data.join("gsi.db")).unwrap();
    let mut database = doctor(&data);
    database.args(["--store", "postgres://gsi:secret@127.0.0.1:1/gsi"]);
    let output = database.output().unwrap();
    let told = finding(&output, "store");
    assert_eq!(told["verdict"], "bad");
    assert!(!told.to_string().contains("secret"), "{told}");
}

#[test]
fn a_store_without_keys_or_ticks_is_told_what_comes_next() {
    let folder = tempfile::tempdir().unwrap();
    set_mode(folder.path(), 0o700);
    let made = Command::new(env!("CARGO_BIN_EXE_gsi"))
        .args([
            "demo",
            "--days",
            "1",
            "--listen",
            "127.0.0.1:0",
            "--until",
            "2026-11-14T00:30:00Z",
            "--at",
            "2026-11-14T00:00:00Z",
        ])
        .args(["--time-scale", "9000", "--data"])
        .arg(folder.path())
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    // The demo has a key; a simulated world's ticks are not held against the clock.
    let output = doctor(folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{:#?}", findings(&output));
    assert!(findings(&output).iter().all(|f| f["what"] != "newest tick"));
    let keys = Command::new(env!("CARGO_BIN_EXE_gsi"))
        .args(["key", "list", "--json", "--data"])
        .arg(folder.path())
        .output();
    let keys: Value = serde_json::from_slice(&keys.unwrap().stdout).unwrap();
    for key in keys.as_array().or(keys["keys"].as_array()).unwrap() {
        let id = key["id"].as_str().unwrap();
        let revoked = Command::new(env!("CARGO_BIN_EXE_gsi"))
            .args(["key", "revoke", id, "--data"])
            .arg(folder.path())
            .output();
        assert!(revoked.unwrap().status.success());
    }
    expect(&mut doctor(folder.path()), "keys", "doubtful", "nobody can ask", "gsi key create");
}
