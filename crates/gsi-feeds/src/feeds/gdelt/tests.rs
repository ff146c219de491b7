use super::*;
use std::path::PathBuf;

fn run(name: &str, bytes: &[u8]) -> Result<Decoded, PayloadRefusal> {
    decode(&Payload::new(name, bytes, "2026-11-15T00:00:00Z".parse().unwrap()))
}

#[test]
fn packed_files_have_the_stamp_of_their_names() {
    let files = drills::real_data::files("gdelt2/zips");
    let is_export = |path: &&PathBuf| path.to_string_lossy().contains(".export.");
    let exports: Vec<_> = files.iter().filter(is_export).collect();
    assert!(!exports.is_empty() || files.is_empty(), "no event file among the packed ones");
    for path in exports {
        let name = path.file_name().unwrap().to_string_lossy();
        let decoded = run(&name, &std::fs::read(path).unwrap()).unwrap_or_else(|r| panic!("{name}: {r}"));
        assert!(decoded.is_balanced() && decoded.seen > 500 && decoded.rejected.is_empty(), "{name}");
        assert_eq!(decoded.newest, stamp_of(&name));
    }
}

#[test]
fn a_file_from_the_future_is_refused() {
    assert_eq!(run("20290820163000.export.CSV", b"1\t2\n").unwrap_err().code, RefusalCode::Clock);
    assert_eq!(run("20250820163000.export.CSV", b"1\t2\n").unwrap_err().code, RefusalCode::Schema);
    assert_eq!(run("20250820163000.export.CSV", b"").unwrap_err().code, RefusalCode::Empty);
}

#[test]
fn history_is_every_quarter_hour_newest_first() {
    let day = |text: &str| Day::parse_iso(text).unwrap();
    let files = Gdelt::default().history(day("2026-11-12"), day("2026-11-13")).unwrap();
    assert_eq!((files.len(), files[0].name.as_str()), (192, "20261113234500.export.CSV.zip"));
    assert_eq!(files[191].name, "20261112000000.export.CSV.zip");
}
