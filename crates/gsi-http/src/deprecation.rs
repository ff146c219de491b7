//! What will go, announced on the answers it concerns (RFC 9745, RFC 8594) long before it does.

use crate::prepared::http_date;
use crate::reply::Reply;
use gsi_model::{DAY, Timestamp};
use http::{HeaderName, HeaderValue, header};

/// Nothing goes sooner after its announcement than this.
const NOTICE: i64 = 180 * DAY;

const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
const SUNSET: HeaderName = HeaderName::from_static("sunset");

/// One announcement.
pub struct Announcement {
    /// The resource by its metrics label.
    pub resource: &'static str,
    pub since: Timestamp,
    pub until: Timestamp,
    /// Where the note is that says what goes and what takes its place.
    pub note: &'static str,
}

/// Everything announced at present. An entry stays until the thing is gone.
pub const ANNOUNCED: &[Announcement] = &[];

const _: () = assert!(all_in_time(ANNOUNCED), "an announcement gives less notice than was promised");

const fn all_in_time(announcements: &[Announcement]) -> bool {
    let mut i = 0;
    while i < announcements.len() {
        if announcements[i].until.since(announcements[i].since) < NOTICE {
            return false;
        }
        i += 1;
    }
    true
}

/// Puts the announcements about a resource on its answer.
pub fn announce(announcements: &[Announcement], resource: &str, reply: &mut Reply) {
    for one in announcements.iter().filter(|a| a.resource == resource) {
        let link = format!("<{}>; rel=\"deprecation\"; type=\"text/html\"", one.note);
        let since = format!("@{}", one.since.unix());
        if let (Ok(since), Ok(link)) = (HeaderValue::from_str(&since), HeaderValue::from_str(&link)) {
            reply.more.extend([(DEPRECATION, since), (SUNSET, http_date(one.until)), (header::LINK, link)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn announcement(days: i64) -> Announcement {
        let since: Timestamp = "2026-11-14T00:00:00Z".parse().unwrap();
        Announcement {
            resource: "events",
            since,
            until: since.plus(days * DAY),
            note: "/docs/changes#events",
        }
    }

    #[test]
    fn half_a_year_of_notice() {
        for (days, fine) in [(179, false), (180, true), (400, true)] {
            assert_eq!(all_in_time(&[announcement(400), announcement(days)]), fine, "{days}");
        }
    }

    #[test]
    fn the_headers_say_since_until_and_where() {
        let mut reply = Reply::empty(http::StatusCode::OK);
        announce(&[announcement(200)], "overview", &mut reply);
        assert!(reply.more.is_empty(), "only on what it is about");
        announce(&[announcement(200)], "events", &mut reply);
        let shown: Vec<_> = reply.more.iter().map(|(n, v)| format!("{n}: {}", v.to_str().unwrap())).collect();
        assert_eq!(
            shown,
            [
                "deprecation: @1794614400",
                "sunset: Wed, 02 Jun 2027 00:00:00 GMT",
                "link: </docs/changes#events>; rel=\"deprecation\"; type=\"text/html\"",
            ]
        );
    }
}
