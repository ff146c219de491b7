//! Coded news as GDELT publishes it: the stored part of a row, and the counts over a whole 15-minute file.

use crate::{Actor, CameoCode, CountryCode, Text, Timestamp};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One coded event row that may matter to the conflict picture (CAMEO roots 13–20). All other rows are only counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewsRow {
    /// GlobalEventID.
    pub id: u64,
    /// The file's stamp (DATEADDED): when the report became public.
    pub added: Timestamp,
    /// The day the coder assigned; may be an anniversary.
    pub day: DayNumber,
    /// Shared between rows, because many rows of a file name the same actor.
    pub actor1: Arc<Actor>,
    pub actor2: Arc<Actor>,
    pub is_root: bool,
    pub code: CameoCode,
    pub quad_class: u8,
    pub goldstein: f64,
    pub mentions: u32,
    pub sources: u32,
    pub articles: u32,
    pub tone: f64,
    pub geo: Option<Geo>,
    pub url: Text,
}

/// Days since 1970-01-01, kept as a number in storage.
pub type DayNumber = i32;

impl NewsRow {
    /// Two digits: `18` of `183`.
    pub fn root(&self) -> &str {
        self.code.get(..2).unwrap_or("")
    }
}

/// The coded place of the action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Geo {
    /// 1 country, 2 US state, 3 US city, 4 city, 5 first-order region.
    pub kind: u8,
    pub name: Text,
    pub country: Option<CountryCode>,
    /// FIPS country plus first-order region, for example `UP12`.
    pub adm1: Text,
    pub lat: f64,
    pub lon: f64,
}

/// Counts over one file. Shares over any window are formed by adding slots.
///
/// An article is one distinct address within the file; it weighs one, divided among its rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NewsSlot {
    pub stamp: Timestamp,
    pub known_at: Timestamp,
    pub rows: u32,
    pub articles: u32,
    /// Sum over articles of the share of their rows with root code 18, 19 or 20.
    pub conflict: f64,
    /// The same for roots 13 and 15.
    pub threat: f64,
    /// Articles whose address mentions cyber attacks.
    pub cyber: u32,
    /// Articles whose address mentions disrupted supply.
    pub supply: u32,
    pub countries: Vec<SlotCountry>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotCountry {
    pub country: CountryCode,
    pub articles: u32,
    pub conflict: f64,
}
