//! One value of one period, as the table of observations stores it.

use gsi_model::{Observation, Timestamp};

/// One value of one period as known from `known_at` on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vintage {
    pub period_end: Timestamp,
    pub known_at: Timestamp,
    pub value: f64,
    pub quality: f64,
    pub revision: u32,
}

/// Seconds since 1970 in five bytes, which is 17,000 years either way: the table holds a million moments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct PackedTime([u8; 5]);

impl PackedTime {
    pub fn new(unix: i64) -> Self {
        let [a, b, c, d, e, ..] = unix.to_le_bytes();
        let packed = PackedTime([a, b, c, d, e]);
        assert_eq!(packed.unix(), unix, "a moment beyond any calendar");
        packed
    }

    pub fn unix(self) -> i64 {
        let [a, b, c, d, e] = self.0;
        // The sign is in the highest of the five.
        i64::from_le_bytes([0, 0, 0, a, b, c, d, e]) >> 24
    }
}

impl std::fmt::Debug for PackedTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.unix().fmt(f)
    }
}

/// One vintage of one period: 24 bytes, since there are several hundred thousand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub value: f64,
    end: PackedTime,
    known_at: PackedTime,
    /// Thousandths of quality, and [`Row::REVISED`].
    quality_and_mark: u16,
    pub revision: u32,
}

impl Row {
    /// Marks the earliest-known vintage of a period that has others.
    const REVISED: u16 = 1 << 15;

    pub fn from_observation(obs: &Observation) -> Row {
        Row {
            value: obs.value,
            end: PackedTime::new(obs.period_end.unix()),
            known_at: PackedTime::new(obs.known_at.unix()),
            quality_and_mark: (obs.quality.clamp(0.0, 1.0) * 1000.0).round() as u16,
            revision: obs.revision,
        }
    }

    /// When its period ends.
    pub fn end(&self) -> i64 {
        self.end.unix()
    }

    pub fn known_at(&self) -> i64 {
        self.known_at.unix()
    }

    pub fn quality(&self) -> f64 {
        f64::from(self.quality_and_mark & !Row::REVISED) / 1000.0
    }

    pub fn is_revised(&self) -> bool {
        self.quality_and_mark & Row::REVISED != 0
    }

    pub fn marked(self, is_revised: bool) -> Row {
        let quality = self.quality_and_mark & !Row::REVISED;
        Row { quality_and_mark: quality | if is_revised { Row::REVISED } else { 0 }, ..self }
    }

    pub fn vintage(self) -> Vintage {
        Vintage {
            period_end: Timestamp::from_unix(self.end()),
            known_at: Timestamp::from_unix(self.known_at()),
            value: self.value,
            quality: self.quality(),
            revision: self.revision,
        }
    }

    pub fn order(&self) -> (i64, u32) {
        (self.known_at(), self.revision)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsi_model::{Day, FeedId};

    #[test]
    fn a_row_is_small_and_loses_nothing() {
        assert_eq!(size_of::<Row>(), 24);
        for unix in [0, 1, -1, 4_294_967_296, -2_208_988_800, 253_402_300_799, -377_705_116_800] {
            assert_eq!(PackedTime::new(unix).unix(), unix);
        }
        let (start, end) = (Day(1).start(), Day(1).end());
        let row = Row::from_observation(&Observation {
            series: "a.b".into(),
            entity: String::new(),
            period_start: start,
            period_end: end,
            value: 10.0,
            known_at: end,
            ingested_at: end,
            revision: u32::MAX,
            quality: 0.375,
            feed: FeedId::new("a"),
            raw: String::new(),
        });
        for row in [row, row.marked(true), row.marked(true).marked(false)] {
            assert_eq!((row.quality(), row.revision, row.value), (0.375, u32::MAX, 10.0));
            assert_eq!((row.end(), row.known_at()), (end.unix(), end.unix()));
        }
        assert!(row.marked(true).is_revised() && !row.is_revised());
    }
}
