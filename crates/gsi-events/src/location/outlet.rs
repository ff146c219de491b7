//! The country that an outlet reports from, so that three sites of one press do not confirm each other across
//! borders.
//!
//! First the reviewed table (`method/outlets.tsv`), then the country domain. A generic domain outside the table
//! counts as American: in the English stream most of them are, and one country for all of them can only make
//! confirmation harder to reach.

use crate::lookup::FastMap;
use crate::parameters::PARAMETERS;
use gsi_model::{CountryCode, method_files};
use std::sync::LazyLock;

static OUTLETS: LazyLock<FastMap<&'static str, CountryCode>> = LazyLock::new(|| {
    method_files::OUTLETS
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('\t'))
        .filter_map(|(domain, country)| Some((domain, CountryCode::from_iso2(country)?)))
        .collect()
});

/// Country of the outlet behind a registrable domain, where the table or the domain gives one.
pub fn known_country(domain: &str) -> Option<CountryCode> {
    if let Some(country) = OUTLETS.get(domain) {
        return Some(*country);
    }
    let last = domain.rsplit('.').next().unwrap_or("");
    match last {
        _ if last.len() != 2 || PARAMETERS.outlets.generic_country_domains.contains(last) => None,
        "uk" => CountryCode::from_iso2("GB"),
        _ => CountryCode::from_iso2(&last.to_ascii_uppercase()),
    }
}

/// Country of the outlet behind a registrable domain; American where neither gives one.
pub fn source_country(domain: &str) -> Option<CountryCode> {
    known_country(domain).or_else(|| CountryCode::from_iso2(&PARAMETERS.outlets.unlisted_country))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read_whole() {
        let lines = method_files::OUTLETS.lines().filter(|l| !l.starts_with('#')).count();
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
