//! Who publishes in the simulated world.

/// The names that fault switches and scenarios use.
pub const PUBLISHERS: [&str; 21] = [
    "gdelt",
    "gdelt_doc",
    "kev",
    "kev_mirror",
    "oil",
    "gas",
    "ofr",
    "epu",
    "gpr",
    "treasury",
    "ecb",
    "portwatch",
    "ports",
    "gscpi",
    "epss",
    "exploits",
    "ransomware",
    "ioda",
    "usgs",
    "gdacs",
    "ucdp",
];
