//! One row of the event file, column by column, written straight into the file's buffer.

use super::measured::{self, Code, Role};
use crate::world::geography::{self, Country, Place};
use crate::world::theaters::Actor;
use crate::world::{Rng, Weighted};
use gsi_model::Timestamp;
use std::sync::LazyLock;

const NO_GEO: &[u8] = b"0\t\t\t\t\t\t\t";
const NO_ACTOR: &[u8] = b"\t\t\t\t\t\t\t\t\t";

static ROLES: LazyLock<Weighted> =
    LazyLock::new(|| Weighted::new(measured::roles().iter().map(|r| r.weight)));
static MENTIONS: LazyLock<Weighted> = LazyLock::new(|| Weighted::new(measured::MENTIONS.iter().map(|m| m.1)));
static ACTOR1: LazyLock<Weighted> = LazyLock::new(|| Weighted::new(measured::ACTOR1_KINDS));
static ACTOR2: LazyLock<Weighted> = LazyLock::new(|| Weighted::new(measured::ACTOR2_KINDS));
static COUNTRIES: LazyLock<Weighted> =
    LazyLock::new(|| Weighted::new(geography::countries().iter().map(|c| c.share)));

pub struct RowWriter {
    out: Vec<u8>,
    next_id: u64,
    id_limit: u64,
    /// Cumulative shares and `Day … FractionDate`, for the four earlier days and for the file's day.
    days: Vec<(f64, String)>,
    /// `DATEADDED`, tab, address, newline of the current article.
    tail: Vec<u8>,
    tone: String,
    stamp: String,
    /// A hostile text for the first actor's name in the article's next row only: it may be a megabyte.
    pub poison: Option<String>,
}

impl RowWriter {
    pub fn new(slot: Timestamp, first_id: u64, capacity: usize, id_stride: u64) -> Self {
        let mut days = Vec::with_capacity(5);
        let mut earlier = 0.0;
        for (back, share) in measured::EARLIER_DAY {
            earlier += share;
            days.push((earlier, date_columns(slot, back)));
        }
        days.push((1.0, date_columns(slot, 0)));
        RowWriter {
            out: Vec::with_capacity(capacity),
            next_id: first_id,
            id_limit: first_id + id_stride - measured::ROWS_PER_ARTICLE_MAX as u64,
            days,
            tail: Vec::with_capacity(256),
            tone: String::new(),
            stamp: slot.to_compact(),
            poison: None,
        }
    }

    /// Returns whether another article could reach the next slot's numbers.
    pub fn full(&self) -> bool {
        self.next_id >= self.id_limit
    }

    pub fn next_id(&self) -> u64 {
        self.next_id
    }

    pub fn finish(self) -> Vec<u8> {
        self.out
    }

    pub fn start_article(&mut self, url: &str, tone: &str) {
        self.tail.clear();
        self.tail.extend_from_slice(self.stamp.as_bytes());
        self.tail.push(b'\t');
        self.tail.extend_from_slice(url.as_bytes());
        self.tail.push(b'\n');
        self.tone.clear();
        self.tone.push_str(tone);
    }

    fn number(&mut self, n: u64) {
        self.out.extend_from_slice(itoa::Buffer::new().format(n).as_bytes());
    }

    fn tab(&mut self) {
        self.out.push(b'\t');
    }

    fn text(&mut self, s: &str) {
        self.out.extend_from_slice(s.as_bytes());
    }

    fn head(&mut self, rng: &mut Rng) {
        self.number(self.next_id);
        self.next_id += 1;
        self.tab();
        let u = rng.unit();
        let day = self.days.iter().position(|(upto, _)| u < *upto).unwrap_or(self.days.len() - 1);
        self.out.extend_from_slice(self.days[day].1.as_bytes());
        self.tab();
    }

    /// Writes the ten columns of an actor: code, name, country, group, ethnic, two religions, three roles.
    fn actor(&mut self, code: [&str; 2], name: &str, country: &str, role: &str) {
        self.text(code[0]);
        self.text(code[1]);
        self.tab();
        self.text(name);
        self.tab();
        self.text(country);
        self.text("\t\t\t\t\t");
        self.text(role);
        self.text("\t\t");
    }

    /// Draws and writes an actor. Returns whether there is one.
    fn drawn_actor(
        &mut self,
        kinds: &Weighted,
        missing: f64,
        home: &Country,
        first: bool,
        rng: &mut Rng,
    ) -> bool {
        if rng.chance(missing) {
            self.out.extend_from_slice(NO_ACTOR);
            self.tab();
            return false;
        }
        let country = if rng.chance(0.82) { home } else { &geography::countries()[COUNTRIES.draw(rng)] };
        let &Role { code: role, name, .. } = &measured::roles()[ROLES.draw(rng)];
        let poison = if first { self.poison.take() } else { None };
        match kinds.draw(rng) {
            0 => self.actor([role, ""], poison.as_deref().unwrap_or(name), "", role),
            1 => self.actor(
                [country.cameo, ""],
                poison.as_deref().unwrap_or(&country.actor_name),
                country.cameo,
                "",
            ),
            _ => self.actor(
                [country.cameo, role],
                poison.as_deref().unwrap_or(&country.actor_name),
                country.cameo,
                role,
            ),
        }
        self.tab();
        true
    }

    fn event(&mut self, code: &Code, root: bool, rng: &mut Rng) {
        self.text(if root { "1\t" } else { "0\t" });
        for part in [code.code, code.base(), code.root()] {
            self.text(part);
            self.tab();
        }
        self.number(u64::from(code.quad));
        self.tab();
        self.text(code.goldstein);
        self.tab();
        let mentions = u64::from(measured::MENTIONS[MENTIONS.draw(rng)].0);
        let sources = if rng.chance(measured::ONE_SOURCE) { 1 } else { 2 + rng.exponential(0.9) as u64 };
        for n in [mentions, sources.min(mentions.max(1)), mentions] {
            self.number(n);
            self.tab();
        }
        self.out.extend_from_slice(self.tone.as_bytes());
        self.tab();
    }

    fn geo(&mut self, columns: &str) {
        self.text(columns);
        self.tab();
    }

    fn geos(&mut self, action: &str, has: (bool, bool), other: &Country, rng: &mut Rng) {
        for present in [has.0, has.1] {
            if !present {
                self.out.extend_from_slice(NO_GEO);
                self.tab();
            } else if rng.chance(measured::SAME_ACTOR_PLACE) {
                self.geo(action);
            } else {
                let place = other.pick_place(rng);
                self.geo(located(other, place, rng));
            }
        }
        self.geo(action);
        self.out.extend_from_slice(&self.tail);
    }

    pub fn background(&mut self, code: usize, country: &Country, place: &Place, rng: &mut Rng) {
        let code = &measured::codes()[code];
        self.head(rng);
        let first = self.drawn_actor(&ACTOR1, measured::NO_ACTOR1, country, true, rng);
        // A row has at least one actor.
        let second =
            self.drawn_actor(&ACTOR2, if first { measured::NO_ACTOR2 } else { 0.0 }, country, false, rng);
        self.event(code, rng.chance(measured::ROOT_EVENT), rng);
        let columns = located(country, place, rng);
        let other = &geography::countries()[COUNTRIES.draw(rng)];
        self.geos(columns, (first, second), other, rng);
    }

    #[allow(clippy::too_many_arguments)]
    pub fn fighting(
        &mut self,
        code: usize,
        lead: bool,
        country: &Country,
        place: &Place,
        a: &Actor,
        b: &Actor,
        rng: &mut Rng,
    ) {
        let code = &measured::codes()[code];
        self.head(rng);
        let mut has = (true, true);
        if lead || rng.chance(0.75) {
            let poison = self.poison.take();
            self.actor([&a.code, ""], poison.as_deref().unwrap_or(&a.name), &a.country, &a.role);
            self.tab();
            // One side is often left out, as in the real feed.
            if rng.chance(0.85) {
                self.actor([&b.code, ""], &b.name, &b.country, &b.role);
            } else {
                self.out.extend_from_slice(NO_ACTOR);
                has.1 = false;
            }
            self.tab();
        } else {
            has.0 = self.drawn_actor(&ACTOR1, measured::NO_ACTOR1, country, true, rng);
            let missing = if has.0 { measured::NO_ACTOR2 } else { 0.0 };
            has.1 = self.drawn_actor(&ACTOR2, missing, country, false, rng);
        }
        self.event(code, lead || rng.chance(measured::ROOT_EVENT), rng);
        let columns = if rng.chance(0.8) { place.geo.as_str() } else { located(country, place, rng) };
        self.geos(columns, has, country, rng);
    }
}

/// Draws the columns of the action's place at one of the feed's resolutions, or without a place.
fn located<'a>(country: &'a Country, place: &'a Place, rng: &mut Rng) -> &'a str {
    if rng.chance(measured::NO_PLACE) {
        return "0\t\t\t\t\t\t\t";
    }
    let shares = if country.fips == "US" { measured::US_RESOLUTION } else { measured::WORLD_RESOLUTION };
    let u = rng.unit();
    if u < shares[0] {
        &country.geo
    } else if u < shares[0] + shares[1] {
        &place.geo_adm1
    } else {
        &place.geo
    }
}

/// `Day`, `MonthYear`, `Year`, `FractionDate`.
fn date_columns(slot: Timestamp, days_back: i32) -> String {
    let (y, m, d) = slot.day().plus(-days_back).ymd();
    let fraction = f64::from(y) + (f64::from(m - 1) * 30.0 + f64::from(d)) / 365.0;
    format!("{y:04}{m:02}{d:02}\t{y:04}{m:02}\t{y:04}\t{fraction:.4}")
}

pub fn write_mention(
    out: &mut Vec<u8>,
    id: u64,
    event_stamp: &str,
    stamp: &str,
    url: &str,
    tone: &str,
    rng: &mut Rng,
) {
    let host = url.split_once("://").map_or(url, |(_, rest)| rest).split('/').next().unwrap_or("");
    let domain = host.strip_prefix("www.").unwrap_or(host);
    let length = 900 + rng.below(9_000);
    let (sentence, confidence) = (1 + rng.exponential(7.0) as i64, 10 * (1 + rng.below(10) as i64));
    let mut offset = |absent: f64| if rng.chance(absent) { -1 } else { rng.below(length) as i64 };
    let (first, second, action) = (offset(0.12), offset(0.3), offset(0.0));
    let mut number = itoa::Buffer::new();
    out.extend_from_slice(number.format(id).as_bytes());
    for text in [event_stamp, stamp, "1", domain, url] {
        out.push(b'\t');
        out.extend_from_slice(text.as_bytes());
    }
    let in_raw_text = i64::from(confidence >= 50);
    for n in [sentence, first, second, action, in_raw_text, confidence, length as i64] {
        out.push(b'\t');
        out.extend_from_slice(number.format(n).as_bytes());
    }
    out.push(b'\t');
    out.extend_from_slice(tone.as_bytes());
    out.extend_from_slice(b"\t\t\n");
}
