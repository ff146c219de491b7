//! The volume of news: it makes counts of reports comparable over time, and shows when silence may be the publisher's
//! and not the world's.

use crate::parameters::PARAMETERS;
use gsi_model::{DAY, Timestamp};
use std::collections::BTreeMap;

/// Articles per file over the last 24 hours.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewsVolume {
    files: BTreeMap<Timestamp, u32>,
    articles: u64,
}

impl NewsVolume {
    /// Whether a file of this stamp is among those of the 24 hours before a tick.
    pub fn reaches(stamp: Timestamp, tick: Timestamp) -> bool {
        (0..DAY).contains(&tick.since(stamp))
    }

    /// `false` when the file is already counted, is outside the window, or is from the future.
    pub fn add(&mut self, stamp: Timestamp, articles: u32, tick: Timestamp) -> bool {
        if !Self::reaches(stamp, tick) || self.files.contains_key(&stamp) {
            return false;
        }
        self.files.insert(stamp, articles);
        self.articles += u64::from(articles);
        true
    }

    pub fn forget(&mut self, tick: Timestamp) {
        while let Some((stamp, articles)) = self.files.first_key_value().map(|(s, a)| (*s, *a)) {
            if tick.since(stamp) < DAY {
                break;
            }
            self.files.remove(&stamp);
            self.articles -= u64::from(articles);
        }
    }

    pub fn articles(&self) -> u64 {
        self.articles
    }

    /// The count of a whole day, or `None` when too many files are missing for it to be one.
    pub fn full_day_articles(&self) -> Option<f64> {
        (self.files.len() >= PARAMETERS.news.full_day_files && self.articles > 0)
            .then_some(self.articles as f64)
    }

    /// Usual articles divided by today's. 1 while there is no usual number yet.
    pub fn scale(&self, usual: Option<f64>) -> f64 {
        let most = PARAMETERS.news.max_scale;
        match usual {
            Some(usual) if self.articles > 0 => (usual / self.articles as f64).clamp(1.0 / most, most),
            Some(_) => most,
            None => 1.0,
        }
    }

    pub fn quality(&self, usual: Option<f64>) -> f64 {
        let (parameters, articles) = (&PARAMETERS.news, self.articles as f64);
        match usual {
            _ if self.articles == 0 => 0.0,
            Some(usual) if articles < parameters.missing_share * usual => 0.0,
            Some(usual) if articles < parameters.thin_share * usual => parameters.thin_quality,
            None if self.files.len() < parameters.partial_files => parameters.thin_quality,
            _ => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsi_model::TICK;

    #[test]
    fn a_file_counts_once_and_for_a_day() {
        let at = |n: i64| Timestamp::from_unix(n * TICK);
        let mut volume = NewsVolume::default();
        assert!(volume.add(at(100), 10, at(100)));
        assert!(!volume.add(at(100), 10, at(100)), "twice");
        assert!(!volume.add(at(101), 10, at(100)), "from the future");
        assert!(!volume.add(at(4), 10, at(100)), "a day old");
        assert!(volume.add(at(5), 7, at(100)));
        assert_eq!(volume.articles(), 17);
        volume.forget(at(101));
        assert_eq!(volume.articles(), 10);
        volume.forget(at(196));
        assert_eq!(volume.articles(), 0);
    }

    #[test]
    fn silence_is_not_calm() {
        let with = |articles: u32, files: i64| {
            let mut volume = NewsVolume::default();
            for n in 0..files {
                volume.add(Timestamp::from_unix(n * TICK), articles, Timestamp::from_unix(files * TICK));
            }
            volume
        };
        for (articles, files, usual, quality, scale) in [
            (0, 0, None, 0.0, 1.0),
            (100, 10, None, 0.5, 1.0),
            (100, 90, None, 1.0, 1.0),
            (100, 90, Some(9_000.0), 1.0, 1.0),
            (100, 90, Some(18_000.0), 1.0, 2.0),
            (20, 90, Some(9_000.0), 0.5, 5.0),
            (5, 90, Some(9_000.0), 0.0, 10.0),
            (0, 0, Some(9_000.0), 0.0, 10.0),
        ] {
            let volume = with(articles, files);
            assert_eq!(volume.quality(usual), quality, "{articles} {files} {usual:?}");
            assert_eq!(volume.scale(usual), scale, "{articles} {files} {usual:?}");
        }
        assert_eq!(with(10, 71).full_day_articles(), None);
        assert_eq!(with(10, 90).full_day_articles(), Some(900.0));
    }
}
