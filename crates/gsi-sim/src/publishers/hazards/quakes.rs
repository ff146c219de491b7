//! Earthquakes: they follow the magnitude law at the world's usual rate, and a scenario can add one.

use crate::series::draw_count;
use crate::world::geography::{self, Place};
use crate::world::{Rng, Stream, World};
use gsi_model::{DAY, Day, HOUR, MINUTE, Timestamp};

/// The slope of the magnitude law.
const SLOPE: f64 = 1.0;
/// A quake is listed this long after it happened, and reviewed later.
pub const LISTED_AFTER_SECONDS: i64 = 12 * MINUTE;
pub const REVIEWED_AFTER_SECONDS: i64 = 6 * HOUR;
/// An earthquake.
pub struct Quake {
    pub id: String,
    pub at: Timestamp,
    pub magnitude: f64,
    pub latitude: f64,
    pub longitude: f64,
    pub depth: f64,
    pub near: &'static Place,
}

/// Returns the quakes that happen on a day.
pub fn on_day(world: &World, day: Day) -> Vec<Quake> {
    let mut rng = Rng::new(world.settings.seed, Stream::Quakes, i64::from(day.0));
    let mut found: Vec<Quake> = (0..draw_count("quakes", &world.timeline, day, &mut rng))
        .map(|number| {
            let place = rng.pick(geography::places());
            Quake {
                id: format!("us6000{:05x}{number:02}", day.0),
                at: day.start().plus(rng.below(DAY as usize) as i64),
                magnitude: ((4.5 - libm::log10(1.0 - rng.unit()) / SLOPE).min(9.0) * 10.0).round() / 10.0,
                latitude: (place.latitude + rng.between(-12.0, 12.0)).clamp(-89.0, 89.0),
                longitude: wrap(place.longitude + rng.between(-12.0, 12.0)),
                depth: 5.0 + rng.exponential(45.0),
                near: place,
            }
        })
        .collect();
    for (number, (at, magnitude, key)) in world.timeline.quakes().enumerate() {
        if at.day() == day
            && let Some(place) = geography::place(key)
        {
            found.push(Quake {
                id: format!("us7000sim{number:02}"),
                at,
                magnitude,
                latitude: place.latitude,
                longitude: place.longitude,
                depth: 18.0,
                near: place,
            });
        }
    }
    found
}

fn wrap(longitude: f64) -> f64 {
    (longitude + 540.0).rem_euclid(360.0) - 180.0
}

/// Returns the quakes of at least `minimum` that are listed at `now`, newest first.
pub fn listed(world: &World, from: Timestamp, now: Timestamp, minimum: f64) -> Vec<Quake> {
    let mut found: Vec<Quake> = (from.day().0..=now.day().0)
        .flat_map(|d| on_day(world, Day(d)))
        .filter(|q| q.at >= from && q.at.plus(LISTED_AFTER_SECONDS) <= now && q.magnitude >= minimum)
        .collect();
    found.sort_by_key(|q| std::cmp::Reverse(q.at));
    found
}
