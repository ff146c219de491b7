//! One row of the event file, column by column, written straight into the file's buffer.

use crate::chance::{Chance, Weighted};
use crate::tables::{self, Code, GazetteerCountry, GazetteerPlace};
use crate::theaters::TheaterActor;
use gsi_model::Timestamp;
use std::sync::LazyLock;

const NO_GEO: &[u8] = b"0\t\t\t\t\t\t\t";
const NO_ACTOR: &[u8] = b"\t\t\t\t\t\t\t\t\t";

static ROLES: LazyLock<Weighted> = LazyLock::new(|| Weighted::new(tables::ROLES.iter().map(|r| r.2)));
static MENTIONS: LazyLock<Weighted> = LazyLock::new(|| Weighted::new(tables::MENTIONS.iter().map(|m| m.1)));
static ACTOR1: LazyLock<Weighted> = LazyLock::new(|| Weighted::new(tables::ACTOR1_KINDS));
static ACTOR2: LazyLock<Weighted> = LazyLock::new(|| Weighted::new(tables::ACTOR2_KINDS));
static COUNTRIES: LazyLock<Weighted> =
    LazyLock::new(|| Weighted::new(tables::countries().iter().map(|c| c.share)));

pub struct RowWriter {
    out: Vec<u8>,
    next_id: u64,
    id_limit: u64,
    /// `Day … FractionDate` for the file's day and for the four earlier days.
    days: Vec<(f64, String)>,
    /// `DATEADDED`, tab, address, newline of the current article.
    tail: Vec<u8>,
    tone: String,
    stamp: String,
    /// A hostile text that replaces the first actor's name in the article's next row, once: it may be a megabyte.
    pub poison: Option<String>,
}

impl RowWriter {
    pub fn new(slot: Timestamp, first_id: u64, capacity: usize, id_stride: u64) -> Self {
        let mut days = Vec::with_capacity(5);
        let mut earlier = 0.0;
        for (back, share) in tables::EARLIER_DAY {
            earlier += share;
            days.push((earlier, date_columns(slot, back)));
        }
        days.push((1.0, date_columns(slot, 0)));
        RowWriter {
            out: Vec::with_capacity(capacity),
            next_id: first_id,
            id_limit: first_id + id_stride - tables::ROWS_PER_ARTICLE_MAX as u64,
            days,
            tail: Vec::with_capacity(256),
            tone: String::new(),
            stamp: slot.to_compact(),
            poison: None,
        }
    }

    /// No room for another article before the next slot's numbers begin.
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

    fn head(&mut self, c: &mut Chance) {
        self.number(self.next_id);
        self.next_id += 1;
        self.tab();
        let u = c.unit();
        let day = self.days.iter().position(|(upto, _)| u < *upto).unwrap_or(self.days.len() - 1);
        self.out.extend_from_slice(self.days[day].1.as_bytes());
        self.tab();
    }

    /// The ten columns of an actor: code, name, country, group, ethnic, two religions, three roles.
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

    /// Returns whether there is an actor.
    fn drawn_actor(
        &mut self,
        kinds: &Weighted,
        missing: f64,
        home: &GazetteerCountry,
        first: bool,
        c: &mut Chance,
    ) -> bool {
        if c.hit(missing) {
            self.out.extend_from_slice(NO_ACTOR);
            self.tab();
            return false;
        }
        let country = if c.hit(0.82) { home } else { &tables::countries()[COUNTRIES.draw(c)] };
        let (role, name, _) = tables::ROLES[ROLES.draw(c)];
        let poison = if first { self.poison.take() } else { None };
        match kinds.draw(c) {
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

    fn event(&mut self, code: &Code, root: bool, c: &mut Chance) {
        self.text(if root { "1\t" } else { "0\t" });
        for part in [code.code, code.base(), code.root()] {
            self.text(part);
            self.tab();
        }
        self.number(u64::from(code.quad));
        self.tab();
        self.text(code.goldstein);
        self.tab();
        let mentions = u64::from(tables::MENTIONS[MENTIONS.draw(c)].0);
        let sources = if c.hit(tables::ONE_SOURCE) { 1 } else { 2 + c.exponential(0.9) as u64 };
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

    fn geos(&mut self, action: &str, has: (bool, bool), other: &GazetteerCountry, c: &mut Chance) {
        for present in [has.0, has.1] {
            if !present {
                self.out.extend_from_slice(NO_GEO);
                self.tab();
            } else if c.hit(tables::SAME_ACTOR_PLACE) {
                self.geo(action);
            } else {
                let place = other.pick_place(c);
                self.geo(located(other, place, c));
            }
        }
        self.geo(action);
        self.out.extend_from_slice(&self.tail);
    }

    pub fn background(
        &mut self,
        code: usize,
        country: &GazetteerCountry,
        place: &GazetteerPlace,
        c: &mut Chance,
    ) {
        let code = &tables::codes()[code];
        self.head(c);
        let first = self.drawn_actor(&ACTOR1, tables::NO_ACTOR1, country, true, c);
        // A row has at least one actor.
        let second =
            self.drawn_actor(&ACTOR2, if first { tables::NO_ACTOR2 } else { 0.0 }, country, false, c);
        self.event(code, c.hit(tables::ROOT_EVENT), c);
        let columns = located(country, place, c);
        let other = &tables::countries()[COUNTRIES.draw(c)];
        self.geos(columns, (first, second), other, c);
    }

    #[allow(clippy::too_many_arguments)]
    pub fn fighting(
        &mut self,
        code: usize,
        lead: bool,
        country: &GazetteerCountry,
        place: &GazetteerPlace,
        a: &TheaterActor,
        b: &TheaterActor,
        c: &mut Chance,
    ) {
        let code = &tables::codes()[code];
        self.head(c);
        let mut has = (true, true);
        if lead || c.hit(0.75) {
            let poison = self.poison.take();
            self.actor([&a.code, ""], poison.as_deref().unwrap_or(&a.name), &a.country, &a.role);
            self.tab();
            // One side is often left out, as in the real feed.
            if c.hit(0.85) {
                self.actor([&b.code, ""], &b.name, &b.country, &b.role);
            } else {
                self.out.extend_from_slice(NO_ACTOR);
                has.1 = false;
            }
            self.tab();
        } else {
            has.0 = self.drawn_actor(&ACTOR1, tables::NO_ACTOR1, country, true, c);
            let missing = if has.0 { tables::NO_ACTOR2 } else { 0.0 };
            has.1 = self.drawn_actor(&ACTOR2, missing, country, false, c);
        }
        self.event(code, lead || c.hit(tables::ROOT_EVENT), c);
        let columns = if c.hit(0.8) { place.geo.as_str() } else { located(country, place, c) };
        self.geos(columns, has, country, c);
    }
}

/// The action's place at one of the feed's resolutions; sometimes none at all.
fn located<'a>(country: &'a GazetteerCountry, place: &'a GazetteerPlace, c: &mut Chance) -> &'a str {
    if c.hit(tables::NO_PLACE) {
        return "0\t\t\t\t\t\t\t";
    }
    let shares = if country.fips == "US" { tables::US_RESOLUTION } else { tables::WORLD_RESOLUTION };
    let u = c.unit();
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
    c: &mut Chance,
) {
    let host = url.split_once("://").map_or(url, |(_, rest)| rest).split('/').next().unwrap_or("");
    let domain = host.strip_prefix("www.").unwrap_or(host);
    let length = 900 + c.below(9_000);
    let (sentence, confidence) = (1 + c.exponential(7.0) as i64, 10 * (1 + c.below(10) as i64));
    let mut offset = |absent: f64| if c.hit(absent) { -1 } else { c.below(length) as i64 };
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
