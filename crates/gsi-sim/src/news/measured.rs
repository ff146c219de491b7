//! Figures that make the simulated news look like the real one, measured on 21 export files of 2018–2025 (29,232 rows, 6,225
//! articles).

use crate::data;
use std::sync::LazyLock;

/// Rows per article are log-normal: median 3, mean 4.7, the 99th percentile 30, 0.1 % above 80.
pub const ROWS_PER_ARTICLE_MU: f64 = 1.0;
pub const ROWS_PER_ARTICLE_SIGMA: f64 = 1.06;
/// The largest article ever seen had 235 rows.
pub const ROWS_PER_ARTICLE_MAX: f64 = 235.0;
/// Mean of the two above after rounding and clamping.
pub const ROWS_PER_ARTICLE_MEAN: f64 = 4.7;

/// Share of rows whose event day is 365, 7, 30 or 1 days before the file's day (265, 216, 182, 151 of 29,232).
pub const EARLIER_DAY: [(i32, f64); 4] = [(365, 0.0091), (7, 0.0074), (30, 0.0062), (1, 0.0052)];

pub const NO_PLACE: f64 = 0.0231;
pub const ROOT_EVENT: f64 = 0.5685;
pub const NO_ACTOR1: f64 = 0.0951;
pub const NO_ACTOR2: f64 = 0.2794;
/// Given an actor: only a role (POLICE), only a country, or both.
pub const ACTOR1_KINDS: [f64; 3] = [0.333, 0.474, 0.098];
pub const ACTOR2_KINDS: [f64; 3] = [0.268, 0.378, 0.075];
/// Actor places equal the action's place (of the rows that have one).
pub const SAME_ACTOR_PLACE: f64 = 0.79;

/// `NumMentions` and `NumArticles`: the even numbers come from the publisher's own doubling.
pub const MENTIONS: [(u32, f64); 16] = [
    (2, 0.2718),
    (1, 0.149),
    (10, 0.1383),
    (4, 0.1299),
    (6, 0.0928),
    (3, 0.0673),
    (5, 0.0668),
    (8, 0.0515),
    (7, 0.0117),
    (20, 0.0045),
    (12, 0.0044),
    (9, 0.0028),
    (16, 0.0021),
    (15, 0.0013),
    (40, 0.0008),
    (90, 0.0002),
];

/// `NumSources` is 1 in 98 % of rows.
pub const ONE_SOURCE: f64 = 0.98;

/// Spread of `AvgTone` within a topic, and the mean of articles about fighting.
pub const TONE_SPREAD: f64 = 3.3;
pub const TONE_OF_FIGHTING: f64 = -6.6;

/// Rows per slot, Monday to Sunday, against the mean (weekend files hold about two thirds of a weekday's).
pub const BY_WEEKDAY: [f64; 7] = [1.06, 1.12, 1.12, 1.12, 1.06, 0.79, 0.73];
/// Rows per slot by UTC hour: low before dawn in Europe, high in the American morning.
pub const BY_HOUR: [f64; 24] = [
    0.94, 0.90, 0.88, 0.86, 0.86, 0.88, 0.92, 0.96, 1.00, 1.03, 1.05, 1.06, 1.08, 1.11, 1.14, 1.15, 1.14,
    1.12, 1.08, 1.05, 1.03, 1.01, 0.98, 0.97,
];
/// Slot-to-slot scatter of the volume (standard deviation of the logarithm); files ranged from 775 to 2,111 rows.
pub const VOLUME_SCATTER: f64 = 0.18;

/// Geography by resolution: (country only, state, city) in the US and (country, first-level, city) elsewhere.
pub const US_RESOLUTION: [f64; 3] = [0.06, 0.40, 0.54];
pub const WORLD_RESOLUTION: [f64; 3] = [0.30, 0.04, 0.66];

/// A CAMEO event code with its class, its scale value as printed, and its share in ten-thousandths of rows.
#[derive(Debug)]
pub struct Code {
    pub code: &'static str,
    pub quad: u8,
    pub goldstein: &'static str,
    pub share: f64,
}

impl Code {
    pub fn root(&self) -> &'static str {
        &self.code[..2]
    }

    pub fn base(&self) -> &'static str {
        &self.code[..3]
    }
}

static CODES: LazyLock<Vec<Code>> = LazyLock::new(|| {
    data::lines(include_str!("../../data/codes.tsv"))
        .filter_map(|c| {
            let &[code, quad, goldstein, share] = c.as_slice() else { return None };
            Some(Code { code, quad: quad.parse().ok()?, goldstein, share: share.parse().ok()? })
        })
        .collect()
});

pub fn codes() -> &'static [Code] {
    &CODES
}

pub fn code_index(code: &str) -> Option<usize> {
    CODES.iter().position(|c| c.code == code)
}

/// An actor without a country, with its weight.
#[derive(Debug)]
pub struct Role {
    pub code: &'static str,
    pub name: &'static str,
    pub weight: f64,
}

static ROLES: LazyLock<Vec<Role>> = LazyLock::new(|| {
    data::lines(include_str!("../../data/roles.tsv"))
        .map(|c| Role { code: c[0], name: c[1], weight: data::number(c[2]) })
        .collect()
});

/// Returns the 40 most frequent roles.
pub fn roles() -> &'static [Role] {
    &ROLES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_data_files_is_read() {
        assert_eq!(codes().len(), include_str!("../../data/codes.tsv").lines().count());
        assert_eq!(roles().len(), 40);
    }
}
