//! The publisher's lists of files, with one file per line: `<bytes> <md5> <address>`.
//!
//! The address in a list is untrusted. Only its last segment is used, if it has the expected shape; the routes are ours.

use crate::refusal::{self, refuse};
use gsi_model::{PayloadRefusal, RefusalCode, Timestamp};

/// An event file in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    pub stamp: Timestamp,
    pub bytes: u64,
    pub md5: [u8; 16],
}

const HOST: &str = "data.gdeltproject.org";
const FOLDER: &str = "/gdeltv2/";

/// Returns the event file of `lastupdate.txt`, which has three lines with one stamp, in any order.
pub fn newest(text: &[u8]) -> Result<Listed, PayloadRefusal> {
    let Ok(text) = std::str::from_utf8(text) else {
        return refuse(RefusalCode::Manifest, "not text");
    };
    let lines: Vec<_> = text.lines().filter(|l| !l.trim().is_empty()).collect();
    if lines.len() != 3 {
        return refuse(RefusalCode::Manifest, format!("{} lines where three were expected", lines.len()));
    }
    let mut found = None;
    let mut stamps = Vec::new();
    for line in lines {
        let Some((listed, kind)) = parse(line) else {
            let shown = refusal::extract(line.as_bytes());
            return refuse(RefusalCode::Manifest, format!("a malformed or foreign line: {shown}"));
        };
        stamps.push(listed.stamp);
        if kind == ListedKind::Export {
            found = Some(listed);
        }
    }
    if stamps.iter().any(|s| *s != stamps[0]) {
        return refuse(
            RefusalCode::Manifest,
            "its lines are of different times: read while it was being written",
        );
    }
    found.ok_or_else(|| PayloadRefusal::new(RefusalCode::Manifest, "no event file listed"))
}

/// Returns the event files in a piece of the master list. The first line of a piece is cut, so it is skipped, and so are
/// malformed lines.
pub fn listed(piece: &[u8], from_start: bool) -> Vec<Listed> {
    let text = String::from_utf8_lossy(piece);
    let skip = usize::from(!from_start);
    let exports = text.lines().skip(skip).filter_map(parse).filter(|(_, kind)| *kind == ListedKind::Export);
    exports.map(|(listed, _)| listed).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListedKind {
    Export,
    Mentions,
    Gkg,
}

fn parse(line: &str) -> Option<(Listed, ListedKind)> {
    let mut parts = line.trim_end().split(' ');
    let (bytes, md5, url) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"))?;
    let name = rest.strip_prefix(HOST)?.strip_prefix(FOLDER)?;
    let (stamp, kind) = stamp_and_kind(name.strip_suffix(".zip")?)?;
    let bytes = bytes.parse().ok().filter(|n| *n > 0)?;
    let md5: [u8; 16] = data_encoding::HEXLOWER_PERMISSIVE.decode(md5.as_bytes()).ok()?.try_into().ok()?;
    Some((Listed { stamp, bytes, md5 }, kind))
}

fn stamp_and_kind(name: &str) -> Option<(Timestamp, ListedKind)> {
    let (stamp, kind) = name.split_once('.')?;
    let kind = match kind {
        "export.CSV" => ListedKind::Export,
        "mentions.CSV" => ListedKind::Mentions,
        "gkg.csv" => ListedKind::Gkg,
        _ => return None,
    };
    let stamp = Timestamp::parse_compact(stamp.as_bytes()).filter(|s| s.is_tick())?;
    Some((stamp, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MD5: &str = "297a16b493de7cf6ca809a7cc31d0b93";

    fn lines(stamp: &str) -> String {
        let line =
            |kind: &str| format!("150 {MD5} http://data.gdeltproject.org/gdeltv2/{stamp}.{kind}.zip\n");
        [line("mentions.CSV"), line("export.CSV"), line("gkg.csv")].concat()
    }

    #[test]
    fn the_event_file_is_found_in_any_order() {
        let found = newest(lines("20180328050000").as_bytes()).unwrap();
        assert_eq!((found.stamp.to_compact().as_str(), found.bytes), ("20180328050000", 150));
    }

    #[test]
    fn malformed_and_foreign_lists_are_refused() {
        let good = lines("20180328050000");
        for bad in [
            String::new(),
            good.lines().take(2).collect::<Vec<_>>().join("\n"),
            good.replace("data.gdeltproject.org", "127.0.0.1"),
            good.replace("data.gdeltproject.org", "data.gdeltproject.org.evil.com"),
            good.replace("data.gdeltproject.org", "data.gdeltproject.org@evil.com"),
            good.replace("/gdeltv2/", "/gdeltv2/../"),
            good.replace("http://", "file://"),
            good.replacen("20180328050000", "20180328051500", 1),
            good.replace("20180328050000", "20180328050001"),
            good.replace("150 ", "-1 "),
            good.replace(MD5, "297a"),
            good.replace("export", "events"),
            good[..good.len() - 30].to_owned(),
            "<html><body>404</body></html>".to_owned(),
        ] {
            assert_eq!(newest(bad.as_bytes()).unwrap_err().code.key(), "manifest", "{bad}");
        }
    }

    #[test]
    fn a_piece_of_the_master_list_is_read() {
        let text = format!("ut line\n{}junk\n{}", lines("20180328050000"), lines("20180328051500"));
        let stamps: Vec<_> = listed(text.as_bytes(), false).iter().map(|l| l.stamp.to_compact()).collect();
        assert_eq!(stamps, ["20180328050000", "20180328051500"]);
    }
}
