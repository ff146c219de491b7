//! Failures of publishers' payloads: payloads refused whole, and single rows rejected.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The reason why a whole payload was refused. Earlier data stays in use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{code}: {detail}")]
pub struct PayloadRefusal {
    pub code: RefusalCode,
    /// A sentence for people. It contains no payload text beyond a short, escaped extract.
    pub detail: String,
}

impl PayloadRefusal {
    pub fn new(code: RefusalCode, detail: impl Into<String>) -> Self {
        PayloadRefusal { code, detail: detail.into() }
    }
}

closed_set! {
    /// Each code is a metric label and a line in the documentation.
    RefusalCode {
        /// The publisher could not be reached: no route, refused connection, failed TLS or name lookup.
        Connect = "connect",
        /// The answer did not arrive, or did not end, in time.
        Timeout = "timeout",
        /// Access denied; often a wall against data centres.
        Status403 = "status_403",
        /// The publisher has no such file.
        Status404 = "status_404",
        /// The publisher asks for fewer requests.
        Status429 = "status_429",
        /// Another client-side status.
        Status4xx = "status_4xx",
        /// The publisher reports an error on its side.
        Status5xx = "status_5xx",
        /// A status that does not fit the request.
        StatusOther = "status_other",
        /// A redirect to a host that is not the feed's, to a private address, or one too many.
        Redirect = "redirect",
        /// The publisher can only be reached without encryption, which the operator has not allowed.
        PlainHttp = "plain_http",
        /// The name resolves to a private or reserved address.
        Address = "address",
        /// The body exceeds the feed's cap.
        TooLarge = "too_large",
        /// The connection ended before the announced length, or the size differs from the manifest.
        ShortBody = "short_body",
        /// The checksum differs from the publisher's manifest.
        Md5 = "md5",
        /// A web page where data was expected.
        HtmlWall = "html_wall",
        /// A success without content.
        Empty = "empty",
        /// Damaged gzip data.
        BadGzip = "bad_gzip",
        /// Damaged zip archive, or one whose members differ from the publisher's usual ones.
        BadZip = "bad_zip",
        /// Unpacks to more than the feed's cap or at an absurd ratio.
        ZipBomb = "zip_bomb",
        /// Not the JSON document that was expected.
        BadJson = "bad_json",
        /// Not a readable workbook, or the expected sheet is missing.
        BadWorkbook = "bad_workbook",
        /// A success status around an error message.
        ErrorBody = "error_body",
        /// Columns or fields are not those of the format.
        Schema = "schema",
        /// The content stops in the middle of a row.
        Truncated = "truncated",
        /// Too many rows are malformed to trust the others.
        Garbage = "garbage",
        /// No row passed its checks.
        NoValidRows = "no_valid_rows",
        /// The stated number of entries differs from the entries present.
        Count = "count",
        /// Earlier history is missing.
        Shrink = "shrink",
        /// The content claims to be from the future.
        Clock = "clock",
        /// The list of files is malformed or points elsewhere.
        Manifest = "manifest",
        /// A recorded payload is missing or damaged.
        Archive = "archive",
        /// The connector itself failed on the payload.
        Panic = "panic",
        /// A code that another version of this service has stored.
        #[serde(other)]
        Other = "other",
    }
}

closed_set! {
    /// Why a single row was rejected, in the alphabetical order of the keys, in which counts are listed.
    Reject {
        /// Parts do not add up to the stated whole.
        Checksum = "checksum",
        /// An unknown or contradictory code.
        Code = "code",
        /// Too few or too many cells, or a missing field.
        Columns = "columns",
        /// A second, different value for the same period.
        Conflict = "conflict",
        Date = "date",
        /// The publisher has withdrawn the entry.
        Deleted = "deleted",
        /// An impossible place.
        Geo = "geo",
        /// A shape where a point was expected.
        Geometry = "geometry",
        /// Column titles in the middle of the data.
        Header = "header",
        Id = "id",
        /// Further from the value before it than the series can move.
        Jump = "jump",
        /// The publisher left the value blank.
        Missing = "missing",
        Nul = "nul",
        Number = "number",
        /// A period that ends before it starts, or is known before it starts.
        Order = "order",
        /// A sensor outside the trusted ones.
        Sensor = "sensor",
        /// Not the name of a series.
        Series = "series",
        /// The row's time differs from the one in the file's name.
        Stamp = "stamp",
        /// The file ends in the middle of the row.
        Truncated = "truncated",
        /// About something else than the series.
        Unrelated = "unrelated",
        Url = "url",
        Utf8 = "utf8",
        /// A reason that another version of this service has stored.
        #[serde(other)]
        Other = "other",
    }
}

/// Rejected rows by reason.
pub type RejectCounts = BTreeMap<Reject, u64>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_listed_by_key_and_unknown_reasons_are_kept() {
        let (other, named) = Reject::ALL.split_last().unwrap();
        assert!(named.is_sorted_by_key(|reason| reason.key()) && *other == Reject::Other);
        let counts: RejectCounts = serde_json::from_str(r#"{"bad_date":2,"geo":1,"code":3}"#).unwrap();
        assert_eq!(serde_json::to_string(&counts).unwrap(), r#"{"code":3,"geo":1,"other":2}"#);
        let refusal: PayloadRefusal = serde_json::from_str(r#"{"code":"frozen","detail":"x"}"#).unwrap();
        assert_eq!((refusal.code, refusal.to_string().as_str()), (RefusalCode::Other, "other: x"));
    }
}
