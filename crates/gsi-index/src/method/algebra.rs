//! The numbers of the algebra: constants in the code that change a score and that no catalogue should set. Numbers
//! listed here are in the digest of the method; a test finds numbers elsewhere in this crate that are not.

use data_encoding::HEXLOWER;
use gsi_model::{DAY, HOUR};
use sha2::{Digest, Sha256};

/// Digests of these numbers from before the method's digest covered them. While the numbers are unchanged their
/// digest is left out of the document, so a document from that time still describes what this program computes.
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
    /// A series with at least this cadence is monthly, and each of its values counts as a month of business days.
    MONTHLY_CADENCE_HOURS: f64 = 24.0 * 28.0;
    MONTHLY_VALUE_DAYS: f64 = 21.0;
    /// A value past its budget is half as fresh after this many cadences.
    CADENCES_TO_HALF_FRESH: f64 = 2.0;
    /// Standard error at which indicators no longer agree at all.
    NO_AGREEMENT: f64 = 15.0;
    /// The composite needs this many scored pillars, conflict or macro among them.
    MIN_PILLARS: usize = 2;

    /// Residuals kept per weekday for the pattern of weekdays: half a year.
    RESIDUALS_KEPT: usize = 26;
    /// With fewer residuals there is no pattern.
    RESIDUALS_NEEDED: usize = 8;
    /// A larger residual is news and not part of the pattern.
    RESIDUAL_LIMIT: f64 = 1.5;
    /// Days of closes that the pattern can draw on.
    PATTERN_DAYS: usize = RESIDUALS_KEPT * 7 + 7;
    /// Days over which the typical level is taken.
    LEVEL_DAYS: usize = 365;
    /// Added before the logarithm, as a share of the typical level.
    OFFSET_SHARE: f64 = 0.01;

    /// Half-life, in days, of the correlations between pillars; the score they are computed around; the days of
    /// history they use; and the days needed before they are published.
    COUPLING_HALF_LIFE: f64 = 65.0;
    ORDINARY_SCORE: f64 = 28.8;
    COUPLING_DAYS: i64 = 650;
    COUPLING_NEEDED: usize = 60;
    RECORD_DAYS: i64 = 3653;
    /// A percentile needs at least a year: over less it would mislead.
    RECORD_NEEDED: usize = 365;
    CHANGE_DAYS: i64 = 90;
    CHANGES_NEEDED: usize = 10;
    /// Makes the median absolute deviation comparable with a standard deviation.
    MAD_TO_SIGMA: f64 = 1.4826;
    SMALLEST_CHANGE: f64 = 1.0;
    /// A change of more than this many ordinary ones is significant.
    SIGNIFICANT: f64 = 2.0;

    /// When the tick of a day ago is missing, one up to this many seconds earlier replaces it.
    DAY_AGO_TOLERANCE: i64 = 2 * HOUR;
    /// Half of a 90 % interval, in standard errors.
    Z90: f64 = 1.645;
    /// A pillar at or above this counts towards the breadth.
    BREADTH_SCORE: f64 = 50.0;
    /// An input below this freshness is reported as late.
    LATE_FRESHNESS: f64 = 0.5;
    /// A pillar that lost at least this share of its weight to age is stale and not only degraded.
    STALE_SHARE: f64 = 1.0 / 3.0;

    /// Days of closes of news that the pattern of weekdays is learnt from.
    NEWS_YEAR_DAYS: i64 = 365;

    /// Events rarer than once in 27 years are not distinguished.
    MIN_SURVIVAL: f64 = 1e-4;
    /// Standard normal quantile at 95 %.
    Z95: f64 = 1.644_853_626_951_472_2;

    /// The shortest half-life of freshness after the budget ran out, even for a fast feed.
    MIN_HALF_LIFE_HOURS: f64 = 6.0;
    /// A value below this freshness no longer counts as covered, or no longer weighs at all.
    MIN_FRESHNESS: f64 = 0.05;

    /// A period may be reported before it is over (a running month), by at most this many seconds.
    MAX_LEAD: i64 = 40 * DAY;
    /// An average is cut off where the weights are below a thousandth.
    HALF_LIVES_KEPT: f64 = 10.0;
    TRADING_DAYS: f64 = 252.0;
    /// The smallest argument of a logarithm.
    SMALLEST: f64 = 1e-12;
    /// A realised volatility in a basket counts at most this many times the basket's median.
    WINSOR: f64 = 3.0;
    DAYS_PER_YEAR: f64 = 365.25;
    /// Quality of packed history: its moments of publication are the publishers' usual ones and were not observed.
    RECONSTRUCTED_QUALITY: f64 = 0.8;
}

numbers! { COUNTRIES;
    /// The files of the last 24 h needed for a reading of a country: a quarter of a day's.
    MIN_SLOTS: u32 = 24;
    /// The articles needed for one, as a share of the usual number.
    MIN_ARTICLES_SHARE: f64 = 0.25;
    /// Maximum age of the newest file in seconds. With an older one the news is silent and the last readings are
    /// held.
    NEWS_AGE: i64 = 2 * HOUR;
    /// Daily closes needed before a score's place in its own year is published.
    YEAR_CLOSES: usize = 60;
    /// Decimals of published figures and digits of values: more would store noise.
    DECIMALS: u32 = 4;
    DIGITS: i32 = 6;
    /// Business days in a year, by which volatility is annualised and a currency's year is counted.
    BUSINESS_YEAR_DAYS: usize = 261;
    /// Half-lives of history needed before a volatility is published.
    WARM_HALF_LIVES: f64 = 2.0;
    /// Values of a currency that are read: a year, and what the slowest formula needs before it.
    MAX_CURRENCY_VALUES: usize = BUSINESS_YEAR_DAYS + 200;
    /// Learning begins with the first of a month this many months back, which is more than a year and the quarter before it.
    LEARNED_MONTHS: i32 = 17;
    /// Half-lives after which a day no longer counts: less than half a percent of its weight is left. An average over
    /// a fixed number of days does not depend on when the service was started.
    SHARE_HALF_LIVES: f64 = 8.0;
    /// Days of the past of all countries together. Their mixture changes slowly and has many countries, so a quarter
    /// is enough.
    WORLD_DAYS: usize = 90;
}

fn digest_of(numbers: &[(&str, f64)]) -> String {
    let mut hash = Sha256::new();
    for (name, value) in numbers {
        hash.update(format!("{name} {value:?}\n"));
    }
    HEXLOWER.encode(&hash.finalize())
}

fn changed_digest(before: &str, digest: String) -> Option<String> {
    (digest != before).then_some(digest)
}

/// The digest of these numbers, as part of the method's digest; none while they are unchanged from before digests.
pub(crate) fn index_digest() -> Option<String> {
    changed_digest(BEFORE_DIGESTS, digest_of(INDEX))
}

/// The same for the countries, whose scores use both lists.
pub(crate) fn countries_digest() -> Option<String> {
    changed_digest(COUNTRIES_BEFORE_DIGESTS, digest_of(&[INDEX, COUNTRIES].concat()))
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
    fn the_numbers_are_unchanged_since_documents_without_a_digest() {
        // A change of a number changes the method: it needs a new version and an entry in changes.toml. Then this
        // test is removed.
        assert_eq!((index_digest(), countries_digest()), (None, None));
    }

    #[test]
    fn the_digest_is_part_of_the_method_once_a_number_changes() {
        let own = digest_of(INDEX);
        assert_eq!(changed_digest(&own, own.clone()), None);
        assert_eq!(changed_digest("the digest from before", own.clone()), Some(own));
    }
}
