//! The countries of UCDP's events, by its names for them.

use gsi_model::CountryCode;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Names that differ from ours after the former name in brackets has been removed.
const OTHER_NAMES: [(&str, &str); 12] = [
    ("Russia", "RU"),
    ("DR Congo", "CD"),
    ("Congo", "CG"),
    ("Ivory Coast", "CI"),
    ("Bosnia-Herzegovina", "BA"),
    ("Kingdom of eSwatini", "SZ"),
    ("Macedonia, FYR", "MK"),
    ("United States of America", "US"),
    ("Burma", "MM"),
    ("Czech Republic", "CZ"),
    ("East Timor", "TL"),
    ("Vietnam", "VN"),
];

static NAMES: LazyLock<BTreeMap<&'static str, CountryCode>> = LazyLock::new(|| {
    let ours = CountryCode::all().into_iter().map(|code| (code.name(), code));
    let others =
        OTHER_NAMES.into_iter().filter_map(|(name, code)| Some((name, CountryCode::from_iso2(code)?)));
    ours.chain(others).collect()
});

/// Returns the country of a name. Deaths in an unknown country count only for the world.
pub fn country_of(name: &str) -> Option<CountryCode> {
    let plain = name.split_once(" (").map_or(name, |(current, _)| current).trim();
    NAMES.get(plain).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn former_names_are_removed() {
        for (name, want) in [
            ("Ukraine", "UA"),
            ("Russia (Soviet Union)", "RU"),
            ("DR Congo (Zaire)", "CD"),
            ("Yemen (North Yemen)", "YE"),
            ("Myanmar (Burma)", "MM"),
            ("Israel", "IL"),
            ("Syria", "SY"),
        ] {
            assert_eq!(country_of(name).map(|c| c.to_string()).as_deref(), Some(want), "{name}");
        }
        assert_eq!(country_of("Atlantis"), None);
    }
}
