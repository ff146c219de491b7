//! Which country an outlet reports from, so that three sites of one press do not confirm each other across borders.
//!
//! First the reviewed table (`data/outlets.tsv`), then the country domain. A generic domain that nobody listed counts as
//! American: in the English stream most of them are, and calling them all one country can only make confirmation harder
//! to reach, never easier.

use crate::lookup::FastMap;
use gsi_model::CountryCode;
use std::sync::LazyLock;

/// Country domains that are sold to the whole world and say nothing about the owner.
const GENERIC_COUNTRY_DOMAINS: [&str; 22] = [
    "ai", "bz", "cc", "cf", "co", "fm", "ga", "gg", "gq", "io", "la", "ly", "me", "ml", "ms", "nu", "sh",
    "st", "tk", "to", "tv", "ws",
];

static OUTLETS: LazyLock<FastMap<&'static str, CountryCode>> = LazyLock::new(|| {
    include_str!("../data/outlets.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('\t'))
        .filter_map(|(domain, country)| Some((domain, CountryCode::from_iso2(country)?)))
        .collect()
});

/// Country of the outlet behind a registrable domain, where the table or the domain tells.
pub fn told_country(domain: &str) -> Option<CountryCode> {
    if let Some(country) = OUTLETS.get(domain) {
        return Some(*country);
    }
    let last = domain.rsplit('.').next().unwrap_or("");
    match last {
        _ if last.len() != 2 || GENERIC_COUNTRY_DOMAINS.contains(&last) => None,
        "uk" => CountryCode::from_iso2("GB"),
        _ => CountryCode::from_iso2(&last.to_ascii_uppercase()),
    }
}

/// Country of the outlet behind a registrable domain; American where nothing tells.
pub fn source_country(domain: &str) -> Option<CountryCode> {
    told_country(domain).or_else(|| CountryCode::from_iso2("US"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read_whole() {
        let lines = include_str!("../data/outlets.tsv").lines().filter(|l| !l.starts_with('#')).count();
        assert_eq!(OUTLETS.len(), lines);
    }

    #[test]
    fn where_outlets_report_from() {
        for (domain, want) in [
            ("reuters.com", "GB"),
            ("dailymail.co.uk", "GB"),
            ("standardmedia.co.ke", "KE"),
            ("spiegel.de", "DE"),
            ("jpost.com", "IL"),
            ("presstv.ir", "IR"),
            ("ktvq.com", "US"),
            ("i24news.tv", "IL"),
            ("someblog.tv", "US"),
            ("news.eu", "US"),
            ("localhost", "US"),
        ] {
            assert_eq!(source_country(domain).map(|c| c.to_string()).as_deref(), Some(want), "{domain}");
        }
    }
}
