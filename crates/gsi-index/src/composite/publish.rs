//! From a score to the published one: the smoothing, and band and trend with hysteresis so that they do not flicker.

use crate::arithmetic::smoothing;
use crate::catalogue::Parameters;
use gsi_model::{Band, Trend};

const BANDS: [Band; 5] = [Band::Calm, Band::Guarded, Band::Elevated, Band::High, Band::Severe];

/// How a published score moves: the share of its distance to the unsmoothed one that it covers, and whether it
/// follows a move of an alert's size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pace {
    pub step: f64,
    pub following: bool,
}

/// Ordinary changes are smoothed. A move of an alert's size is followed within the hour, until the distance is gone.
pub(crate) fn pace(p: &Parameters, elapsed_hours: f64, distance: f64, following: bool) -> Pace {
    let following = distance.abs() >= if following { p.follow_until } else { p.follow_gap };
    let half_life = if following { p.follow_half_life_hours } else { p.publication_half_life_hours };
    Pace { step: smoothing(elapsed_hours, half_life), following }
}

/// A higher band is entered at its edge and left only when the score falls below it by the hysteresis.
pub(crate) fn band(score: f64, before: Option<Band>, p: &Parameters) -> Band {
    let reached = |slack: f64| p.band_edges.iter().filter(|edge| score >= **edge - slack).count();
    let up = BANDS[reached(0.0)];
    match before {
        Some(before) if before > up => before.min(BANDS[reached(p.band_hysteresis)]),
        _ => up,
    }
}

/// The direction of the number, entered beyond one threshold and left below a smaller one.
pub(crate) fn trend(momentum: f64, before: Trend, p: &Parameters) -> Trend {
    if momentum > p.trend_enter {
        return Trend::Up;
    }
    if momentum < -p.trend_enter {
        return Trend::Down;
    }
    match before {
        Trend::Up if momentum >= p.trend_leave => Trend::Up,
        Trend::Down if momentum <= -p.trend_leave => Trend::Down,
        _ => Trend::Flat,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    fn parameters() -> Parameters {
        let mut p = Catalogue::parse(crate::Method::default_text()).unwrap().parameters;
        p.band_edges = [30.0, 43.0, 50.0, 60.0];
        p.band_hysteresis = 1.5;
        p.trend_enter = 2.5;
        p.trend_leave = 1.25;
        p
    }

    #[test]
    fn news_of_an_alerts_size_is_followed_within_the_hour() {
        let mut p = parameters();
        (p.publication_half_life_hours, p.follow_half_life_hours) = (9.0, 0.25);
        (p.follow_gap, p.follow_until) = (8.0, 1.0);
        let published = |target: f64| {
            let (mut score, mut following) = (30.0, false);
            for _ in 0..4 {
                let pace = pace(&p, 0.25, target - score, following);
                score += pace.step * (target - score);
                following = pace.following;
            }
            score
        };
        assert!(published(50.0) > 48.7, "{}", published(50.0));
        assert!(published(10.0) < 11.3, "{}", published(10.0));
        assert!(published(37.0) < 31.0, "an ordinary move is smoothed: {}", published(37.0));
    }

    #[test]
    fn bands_have_hysteresis() {
        let p = parameters();
        let mut band_now = None;
        for (score, want) in [
            (29.9, Band::Calm),
            (30.0, Band::Guarded),
            (28.6, Band::Guarded),
            (28.4, Band::Calm),
            (61.0, Band::Severe),
            (58.6, Band::Severe),
            (58.4, Band::High),
            (20.0, Band::Calm),
            (49.9, Band::Elevated),
        ] {
            band_now = Some(band(score, band_now, &p));
            assert_eq!(band_now, Some(want), "{score}");
        }
    }

    #[test]
    fn trends_have_hysteresis() {
        let p = parameters();
        let mut now = Trend::Flat;
        for (momentum, want) in [
            (2.5, Trend::Flat),
            (2.6, Trend::Up),
            (1.3, Trend::Up),
            (1.2, Trend::Flat),
            (2.6, Trend::Up),
            (-2.6, Trend::Down),
            (-1.3, Trend::Down),
            (0.0, Trend::Flat),
        ] {
            now = trend(momentum, now, &p);
            assert_eq!(now, want, "{momentum}");
        }
    }
}
