//! The numbers of the algebra: those that change a score and stand in the code, because no catalogue should set them. Being here
//! puts them into the digest of the method; a test finds numbers elsewhere in this crate that are not.

use data_encoding::HEXLOWER;
use gsi_model::{DAY, HOUR};
use sha2::{Digest, Sha256};

/// Documents of methods from before the algebra had a digest have none. As long as the numbers are the ones they were computed with,
/// it is left out for everybody, and such a document still describes what this program computes.
const BEFORE_DIGESTS: &str = "ef33a73075a22fce763d186c0fe8603016104eca334f079b1194e08be503acbe";
const COUNTRIES_BEFORE_DIGESTS: &str = "056e37f6bb47efa13b8a0175019cb78fb59f9d9f5e1886c4829905d38918449c";

macro_rules! numbers {
    ($all:ident; $($(#[$doc:meta])* $name:ident: $type:ty = $value:expr;)*) => {
        $($(#[$doc])* pub(crate) const $name: $type = $value;)*
        const $all: &[(&str, f64)] = &[$((stringify!($name), $name as f64)),*];
    };
}

numbers! { INDEX;
    /// Half of the score: points for being above the ordinary, from none at the lowest value to all at the highest.
    RANK_POINTS: f64 = 50.0;
    /// The other half: points for each power of ten of the return period.
    DECADE_POINTS: f64 = 12.5;
    /// A series that is at least this slow is monthly, and one of its values stands for a month of business days.
    MONTHLY_CADENCE_HOURS: f64 = 24.0 * 28.0;
    MONTHLY_VALUE_DAYS: f64 = 21.0;
    /// A value past its budget is half as fresh after so many cadences.
    CADENCES_TO_HALF_FRESH: f64 = 2.0;
    /// Standard error at which indicators no longer agree at all.
    NO_AGREEMENT: f64 = 15.0;
    /// The composite needs this many scored pillars, conflict or macro among them.
    MIN_PILLARS: usize = 2;

    /// Of the pattern of weekdays: half a year of each.
    RESIDUALS_KEPT: usize = 26;
    /// Fewer do not make a pattern.
    RESIDUALS_NEEDED: usize = 8;
    /// A residual beyond this is news, not pattern.
    RESIDUAL_LIMIT: f64 = 1.5;
    /// Days of closes that the pattern can draw on.
    PATTERN_DAYS: usize = RESIDUALS_KEPT * 7 + 7;
    /// Days over which the typical level is taken.
    LEVEL_DAYS: usize = 365;
    /// Added before the logarithm, as a share of the typical level.
    OFFSET_SHARE: f64 = 0.01;

    /// Half-life, in days, of the correlations between pillars; the score they are taken around; and the days it takes before
    /// they say anything.
    COUPLING_HALF_LIFE: f64 = 65.0;
    ORDINARY_SCORE: f64 = 28.8;
    COUPLING_DAYS: i64 = 650;
    COUPLING_NEEDED: usize = 60;
    RECORD_DAYS: i64 = 3653;
    /// A percentile over less than a year would flatter or frighten.
    RECORD_NEEDED: usize = 365;
    CHANGE_DAYS: i64 = 90;
    CHANGES_NEEDED: usize = 10;
    /// Makes the median absolute deviation comparable with a standard deviation.
    MAD_TO_SIGMA: f64 = 1.4826;
    SMALLEST_CHANGE: f64 = 1.0;
    /// A change beyond this many ordinary ones is significant.
    SIGNIFICANT: f64 = 2.0;

    /// When the tick of a day ago is missing, one up to this many seconds earlier stands in for it.
    DAY_AGO_TOLERANCE: i64 = 2 * HOUR;
    /// Half of a 90 % interval, in standard errors.
    Z90: f64 = 1.645;
    /// A pillar at or above this counts towards the breadth.
    BREADTH_SCORE: f64 = 50.0;
    /// An input that is only half fresh is late enough to say so.
    LATE_FRESHNESS: f64 = 0.5;
    /// A pillar in which this share of the weight has left the coverage for its age is more than degraded.
    STALE_SHARE: f64 = 1.0 / 3.0;

    /// Days of closes of news that the pattern of weekdays is learnt from.
    NEWS_YEAR_DAYS: i64 = 365;

    /// Rarer than once in 27 years is not told apart.
    MIN_SURVIVAL: f64 = 1e-4;
    /// Standard normal quantile at 95 %.
    Z95: f64 = 1.644_853_626_951_472_2;

    /// Even a fast feed is half fresh this long after its budget ran out.
    MIN_HALF_LIFE_HOURS: f64 = 6.0;
    /// Below this a value no longer counts as covered, or no longer weighs at all.
    MIN_FRESHNESS: f64 = 0.05;

    /// A period may be reported before it is over (a running month), but never more seconds than this.
    MAX_LEAD: i64 = 40 * DAY;
    /// An average is cut off where the weights are below a thousandth.
    HALF_LIVES_KEPT: f64 = 10.0;
    TRADING_DAYS: f64 = 252.0;
    /// Logarithms start here.
    SMALLEST: f64 = 1e-12;
    /// A realised volatility in a basket counts at most this many times the basket's median.
    WINSOR: f64 = 3.0;
    DAYS_PER_YEAR: f64 = 365.25;
    /// Of packed history: the moments of publication are the publishers' usual ones, not observed.
    RECONSTRUCTED_QUALITY: f64 = 0.8;
}

numbers! { COUNTRIES;
    /// Files of the last 24 h without which they say nothing of a country: a quarter of a day's.
    MIN_SLOTS: u32 = 24;
    /// The same for articles, as a share of what is usual.
    MIN_ARTICLES_SHARE: f64 = 0.25;
    /// The newest file is at most so many seconds old, or the news is silent and what was read is held.
    NEWS_AGE: i64 = 2 * HOUR;
    /// Daily closes from which on a place in the own year is told.
    YEAR_CLOSES: usize = 60;
    /// Published figures have this many decimals, and values this many digits: more would only be noise that is stored.
    DECIMALS: u32 = 4;
    DIGITS: i32 = 6;
    /// Business days in a year, by which volatility is annualised and a currency's year is counted.
    BUSINESS_YEAR_DAYS: usize = 261;
    /// A volatility is told from this many of its half-lives on.
    WARM_HALF_LIVES: f64 = 2.0;
    /// Values of a currency that are looked at: a year, and what the slowest formula needs before it.
    MAX_CURRENCY_VALUES: usize = BUSINESS_YEAR_DAYS + 200;
    /// Learning begins with the first of a month this many months back, which is more than a year and the quarter before it.
    LEARNED_MONTHS: i32 = 17;
    /// Half-lives after which a day no longer counts: less than half a percent is left of it. An average over a fixed number of
    /// days is the same whenever the service was started.
    SHARE_HALF_LIVES: f64 = 8.0;
    /// Days of the past that all countries together are compared with: their mixture changes slowly, and there are many of them.
    WORLD_DAYS: usize = 90;
}

fn digest_of(numbers: &[(&str, f64)]) -> String {
    let mut hash = Sha256::new();
    for (name, value) in numbers {
        hash.update(format!("{name} {value:?}\n"));
    }
    HEXLOWER.encode(&hash.finalize())
}

fn unless(before: &str, digest: String) -> Option<String> {
    (digest != before).then_some(digest)
}

/// What the digest of the method says of these numbers; nothing while they are those from before.
pub(crate) fn index_digest() -> Option<String> {
    unless(BEFORE_DIGESTS, digest_of(INDEX))
}

/// Likewise for the countries, whose scores rest on both.
pub(crate) fn countries_digest() -> Option<String> {
    unless(COUNTRIES_BEFORE_DIGESTS, digest_of(&[INDEX, COUNTRIES].concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_in_the_digest() {
        for numbers in [INDEX, &[INDEX, COUNTRIES].concat()] {
            let own = digest_of(numbers);
            for changed in 0..numbers.len() {
                let mut others = numbers.to_vec();
                others[changed].1 *= 1.0 + f64::EPSILON;
                assert_ne!(digest_of(&others), own, "{}", numbers[changed].0);
                others[changed] = ("OTHER", numbers[changed].1);
                assert_ne!(digest_of(&others), own, "{}", numbers[changed].0);
            }
        }
        assert_ne!(digest_of(INDEX), digest_of(&[INDEX, COUNTRIES].concat()));
    }

    #[test]
    fn the_numbers_are_those_that_earlier_documents_were_computed_with() {
        // Whoever changes one changes the method: its digest is another, and it wants another version and a line in changes.toml.
        // Then this test goes.
        assert_eq!((index_digest(), countries_digest()), (None, None));
    }

    #[test]
    fn the_digest_is_told_once_a_number_is_another() {
        let own = digest_of(INDEX);
        assert_eq!(unless(&own, own.clone()), None);
        assert_eq!(unless("that from before", own.clone()), Some(own));
    }
}
