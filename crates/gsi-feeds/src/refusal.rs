//! Helpers to refuse payloads. The codes are in [`gsi_model::RefusalCode`].

use gsi_model::{PayloadRefusal, RefusalCode};

pub fn refuse<T>(code: RefusalCode, detail: impl Into<String>) -> Result<T, PayloadRefusal> {
    Err(PayloadRefusal::new(code, detail))
}

/// Returns a short extract of hostile bytes that is safe to print.
pub fn extract(bytes: &[u8]) -> String {
    /// Long enough to recognise a block page or an error, and too short to smuggle anything.
    const SHOWN: usize = 60;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)]);
    gsi_model::text::neutral(&text, SHOWN).escape_default().to_string()
}

#[cfg(test)]
mod tests {
    #[test]
    fn extracts_are_printable() {
        assert_eq!(super::extract(b"<script>\x00\x1b[31m\xff"), "<script>[31m\\u{fffd}");
    }
}
