//! The publishers' names and addresses.

/// Hosts, each with a part of the path. The longest part that a path contains decides.
type Addresses = &'static [(&'static str, &'static str)];

#[rustfmt::skip]
pub const ADDRESSES: [(&str, Addresses); 21] = [
    ("gdelt", &[("data.gdeltproject.org", ""), ("storage.googleapis.com", "/data.gdeltproject.org/")]),
    ("gdelt_doc", &[("api.gdeltproject.org", "")]),
    ("kev", &[("www.cisa.gov", "")]),
    ("kev_mirror", &[("raw.githubusercontent.com", "/cisagov/kev-data/")]),
    ("oil", &[("raw.githubusercontent.com", "/datasets/oil-prices/")]),
    ("gas", &[("raw.githubusercontent.com", "/datasets/natural-gas/")]),
    ("ofr", &[("www.financialresearch.gov", "")]),
    ("epu", &[("www.policyuncertainty.com", "")]),
    ("gpr", &[("www.matteoiacoviello.com", "")]),
    ("treasury", &[("home.treasury.gov", "")]),
    ("ecb", &[("data-api.ecb.europa.eu", "")]),
    // One server, two feeds that can fail separately.
    ("portwatch", &[("services9.arcgis.com", "")]),
    ("ports", &[("services9.arcgis.com", "/Daily_Ports_Data/")]),
    ("gscpi", &[("www.newyorkfed.org", "")]),
    ("epss", &[("epss.empiricalsecurity.com", "")]),
    ("exploits", &[("api.github.com", "")]),
    ("ransomware", &[("api.ransomware.live", "")]),
    ("ioda", &[("api.ioda.inetintel.cc.gatech.edu", "")]),
    ("usgs", &[("earthquake.usgs.gov", "")]),
    ("gdacs", &[("www.gdacs.org", "")]),
    ("ucdp", &[("ucdp.uu.se", "")]),
];

/// The names that fault switches and scenarios use.
pub const PUBLISHERS: [&str; ADDRESSES.len()] = {
    let mut names = [""; ADDRESSES.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = ADDRESSES[i].0;
        i += 1;
    }
    names
};

/// Finds the publisher of `/{host}{path}`.
pub fn publisher(host: &str, path: &str) -> Option<&'static str> {
    ADDRESSES
        .iter()
        .flat_map(|(name, addresses)| addresses.iter().map(move |(host, part)| (*name, *host, *part)))
        .filter(|(_, known, part)| *known == host && path.contains(part))
        .max_by_key(|(_, _, part)| part.len())
        .map(|(name, _, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_part_of_a_path_decides() {
        for (host, path, want) in [
            (
                "services9.arcgis.com",
                "/x/arcgis/rest/services/Daily_Ports_Data/FeatureServer/0",
                Some("ports"),
            ),
            (
                "services9.arcgis.com",
                "/x/arcgis/rest/services/Daily_Chokepoints_Data/FeatureServer/0",
                Some("portwatch"),
            ),
            ("storage.googleapis.com", "/data.gdeltproject.org/gdeltv2/x.zip", Some("gdelt")),
            ("raw.githubusercontent.com", "/other/file", None),
        ] {
            assert_eq!(publisher(host, path), want, "{host}{path}");
        }
    }
}
