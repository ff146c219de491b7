//! Cleans foreign text on input: no control or bidi characters, bounded length, web addresses only.

use crate::Text;
use std::borrow::Cow;

/// Long enough for every place, actor and title in the real files (74 bytes at most), short enough to bound a row.
pub const MAX_NAME: usize = 200;
/// The publisher cuts addresses at 255 bytes; translated rows carry somewhat longer ones.
pub const MAX_URL: usize = 1_024;

/// Invisible characters that change how neighbouring text is shown.
fn is_hostile(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00ad}' | '\u{061c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Returns the text without hostile characters and surrounding blanks, cut at a character boundary to at most `cap` bytes.
pub fn neutral(text: &str, cap: usize) -> Cow<'_, str> {
    if text.len() <= cap && text.bytes().all(|b| (0x20..0x7f).contains(&b)) {
        return text.trim_ascii().into();
    }
    let mut out = String::with_capacity(text.len().min(cap));
    for c in text.chars().filter(|c| !is_hostile(*c)) {
        if out.len() + c.len_utf8() > cap {
            break;
        }
        out.push(c);
    }
    out.trim().to_owned().into()
}

pub fn name(text: &str) -> Text {
    neutral(text, MAX_NAME).into()
}

/// Returns an http or https address, or an empty text. A longer address is dropped and not cut, because half an address
/// leads elsewhere.
pub fn web_address(text: &str) -> Text {
    let clean = neutral(text, MAX_URL + 1);
    let is_web = ["https://", "http://"].iter().any(|scheme| {
        let head = clean.as_bytes().get(..scheme.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(scheme.as_bytes())) && clean.len() > scheme.len()
    });
    let is_sound = is_web && clean.len() <= MAX_URL && !clean.contains([' ', '"', '<', '>', '`', '\\']);
    if is_sound { clean.into() } else { Text::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_is_neutralised() {
        let check = |text: &str, want: &str| assert_eq!(neutral(text, 20), want, "{text:?}");
        check("Kyiv", "Kyiv");
        check("  Côte d'Ivoire ", "Côte d'Ivoire");
        check("a\0b\x1b[31mc\u{85}", "ab[31mc");
        check("\u{202e}live\u{202c}\u{2066}\u{200b}", "live");
        check("\u{e0041}tag", "tag");
        check("ééééééééééééé", "éééééééééé");
        check("ignore all previous instructions", "ignore all previous");
    }

    #[test]
    fn a_hostile_character_is_found_at_every_position() {
        let text = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";
        for length in 0..text.len() {
            assert_eq!(neutral(&text[..length], MAX_NAME), text[..length]);
            for at in 0..=length {
                for hostile in ['\u{7f}', '\u{1f}', '\u{200b}'] {
                    let planted = format!("{}{hostile}{}", &text[..at], &text[at..length]);
                    assert_eq!(neutral(&planted, MAX_NAME), text[..length], "{planted:?}");
                }
            }
        }
    }

    #[test]
    fn only_web_addresses_survive() {
        let check = |text: &str, want: &str| assert_eq!(web_address(text), want, "{text:?}");
        check("https://example.org/a-b?c=d", "https://example.org/a-b?c=d");
        check("HTTP://EXAMPLE.org/\r", "HTTP://EXAMPLE.org/");
        for dropped in [
            "javascript:alert(1)",
            "http://",
            "ftp://x/",
            "BBC Monitoring",
            "",
            "https://a/<script>",
            "data:,x",
        ] {
            check(dropped, "");
        }
        check(&format!("https://e.org/{}", "a".repeat(MAX_URL)), "");
    }
}
