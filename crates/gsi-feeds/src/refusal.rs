//! Why a payload is refused whole. The set is closed, so that each code can be a metric label and a line in the docs.

use gsi_model::Refusal;

macro_rules! codes {
    ($($name:ident = $code:literal, $meaning:literal;)*) => {
        $(#[doc = $meaning] pub const $name: &str = $code;)*
        /// Every code with its meaning.
        pub const ALL: &[(&str, &str)] = &[$(($code, $meaning)),*];
    };
}

codes! {
    CONNECT = "connect", "The publisher could not be reached: no route, refused connection, failed TLS or name lookup.";
    TIMEOUT = "timeout", "The answer did not come, or did not end, in time.";
    STATUS_403 = "status_403", "Access denied; often a wall against data centres.";
    STATUS_404 = "status_404", "The publisher has no such file.";
    STATUS_429 = "status_429", "The publisher asks for fewer requests.";
    STATUS_4XX = "status_4xx", "Another client-side status.";
    STATUS_5XX = "status_5xx", "The publisher reports trouble of its own.";
    STATUS_OTHER = "status_other", "A status that makes no sense for the request.";
    REDIRECT = "redirect", "A redirect to a host that is not the feed's, to a private address, or one too many.";
    ADDRESS = "address", "The name resolves to a private or reserved address.";
    TOO_LARGE = "too_large", "The body exceeds the feed's cap.";
    SHORT_BODY = "short_body", "The connection ended before the announced length, or the size differs from the manifest.";
    MD5 = "md5", "The checksum differs from the publisher's manifest.";
    HTML_WALL = "html_wall", "A web page where data was expected.";
    EMPTY = "empty", "A success without content.";
    BAD_GZIP = "bad_gzip", "Damaged gzip data.";
    BAD_ZIP = "bad_zip", "Damaged zip archive, or one whose members are not as the publisher makes them.";
    ZIP_BOMB = "zip_bomb", "Unpacks to more than the feed's cap or at an absurd ratio.";
    BAD_JSON = "bad_json", "Not the JSON document that was expected.";
    BAD_WORKBOOK = "bad_workbook", "Not a readable workbook, or the expected sheet is missing.";
    ERROR_BODY = "error_body", "A success status around an error message.";
    SCHEMA = "schema", "Columns or fields are not those of the format.";
    TRUNCATED = "truncated", "The content stops in the middle of a row.";
    GARBAGE = "garbage", "Too many rows are malformed to trust the others.";
    NO_VALID_ROWS = "no_valid_rows", "No row passed its checks.";
    COUNT = "count", "The stated number of entries differs from the entries present.";
    SHRINK = "shrink", "History that was there before is gone.";
    CLOCK = "clock", "The content claims to be from the future.";
    MANIFEST = "manifest", "The list of files is malformed or points elsewhere.";
    ARCHIVE = "archive", "A recorded payload is missing or damaged.";
}

/// A refusal with one of the codes above.
pub fn refuse<T>(code: &'static str, detail: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::new(code, detail))
}

/// A short extract of hostile bytes that is safe to print.
pub fn extract(bytes: &[u8]) -> String {
    /// Enough to recognise a wall or an error, too little to smuggle anything.
    const SHOWN: usize = 60;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)]);
    crate::text::neutral(&text, SHOWN).escape_default().to_string()
}

#[cfg(test)]
mod tests {
    #[test]
    fn codes_are_distinct_and_fit_for_labels() {
        let mut codes: Vec<_> = super::ALL.iter().map(|(code, _)| *code).collect();
        codes.sort();
        codes.dedup();
        assert_eq!(codes.len(), super::ALL.len());
        assert!(
            codes
                .iter()
                .all(|c| c.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'))
        );
    }

    #[test]
    fn extracts_are_printable() {
        assert_eq!(super::extract(b"<script>\x00\x1b[31m\xff"), "<script>[31m\\u{fffd}");
    }
}
