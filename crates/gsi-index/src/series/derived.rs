//! Names of the series that the index derives and reads back, and of the tallies of coded news.

pub(crate) const COMPOSITE_SERIES: &str = "index.composite";

/// Daily closes of the pillars, one entity each.
pub(crate) const PILLAR_SERIES: &str = "index.pillar";

/// Unsmoothed scores at the close of each day: a pillar's key or `composite` is the entity.
pub(crate) const UNSMOOTHED_SERIES: &str = "index.unsmoothed";

/// Conflict share of each country's own articles at the close of a day. The limit for the spread is learnt from it.
pub(crate) const COUNTRY_SERIES: &str = "news.country_conflict";

/// Articles seen in a UTC day (24 h that end with its last tick), each copy of a wire report counted. A day with a
/// row here is complete.
pub const ARTICLES_SERIES: &str = "news.articles";

/// Of all articles of a UTC day, the percentage that report fighting, assault or mass violence (CAMEO roots 18 to 20, an
/// article counted by the share of its rows) located in one country; the entity is its ISO 3166 alpha-2 code. A country
/// without a row on a complete day had none.
pub const CONFLICT_BY_COUNTRY_SERIES: &str = "news.conflict_by_country";

/// Not a series: the name by which an explanation refers to the newest file of coded news, whose shares are read from
/// many files.
pub(crate) const NEWS_FILE: &str = "gdelt.slot";

/// The feed id of observations that the index derives.
pub const DERIVED_FEED: &str = "index";
