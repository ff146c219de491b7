//! The yield curve (one CSV per year, newest first) and the euro reference rates and systemic stress of the central bank's
//! data service.

use super::{Ask, Document, Format, query};
use crate::calendar::Calendar;
use crate::markets::{CURRENCIES, TENORS};
use crate::world::World;
use gsi_model::{Day, HOUR, Timestamp};
use std::io::Write;
use std::sync::Arc;

/// After the New York close.
const CURVE_POSTED_SECONDS: i64 = 21 * HOUR;
/// 16:00 in Frankfurt.
const FIXING_POSTED_SECONDS: i64 = 15 * HOUR;
const CISS_LAG_DAYS: u32 = 2;

fn newest(calendar: Calendar, now: Timestamp, posted: i64, lag: u32) -> (Day, Timestamp) {
    let last = calendar.before(now.minus(posted).day(), lag);
    (last, calendar.after(last, lag).start().plus(posted))
}

/// The tenors that the table of a year has.
fn tenors(year: i16) -> impl Iterator<Item = (usize, &'static str)> {
    TENORS.iter().enumerate().filter_map(move |(i, (name, _))| {
        let since = match *name {
            "1 Mo" => 2001,
            "1.5 Month" => 2025,
            "2 Mo" => 2018,
            "4 Mo" => 2022,
            "20 Yr" => 1993,
            _ => 1990,
        };
        (year >= since).then_some((i, *name))
    })
}

pub fn curve(world: &Arc<World>, ask: &Ask) -> Option<Document> {
    let year: i16 = ask
        .path
        .strip_prefix("/resource-center/data-chart-center/interest-rates/daily-treasury-rates.csv/")?
        .strip_suffix("/all")?
        .parse()
        .ok()?;
    let (last, posted) = newest(Calendar::UnitedStates, ask.as_of, CURVE_POSTED_SECONDS, 0);
    let first = Day::from_ymd(year, 1, 1)?;
    let end = Day::from_ymd(year, 12, 31)?.0.min(last.0);
    if year < 1990
        || first > last
        || query::value(ask.query, "type").as_deref() != Some("daily_treasury_yield_curve")
    {
        return None;
    }
    let maker = world.clone();
    Some(Document::whole(Format::Csv, end as u64, Some(posted), move || {
        let mut out = Vec::with_capacity(24 * 1024);
        // Writing into a Vec cannot fail.
        let _ = write!(out, "Date");
        for (_, name) in tenors(year) {
            let _ = write!(out, ",\"{name}\"");
        }
        out.push(b'\n');
        maker.markets.curve.upto(Day(end), |days| {
            for (day, yields) in days.iter().rev().take_while(|(day, _)| *day >= first) {
                let (y, m, d) = day.ymd();
                let _ = write!(out, "{m:02}/{d:02}/{y:04}");
                for (i, name) in tenors(year) {
                    // Issues of thirty years paused from 2002 to 2006.
                    if name == "30 Yr" && (2002..2006).contains(&y) {
                        out.push(b',');
                    } else {
                        let _ = write!(out, ",{:.2}", yields[i]);
                    }
                }
                out.push(b'\n');
            }
        });
        out
    }))
}

pub fn central_bank(world: &Arc<World>, ask: &Ask) -> Option<Document> {
    let key = ask.path.strip_prefix("/service/data/")?;
    if let Some(key) = key.strip_prefix("EXR/") {
        return reference_rates(world, ask, key);
    }
    systemic_stress(world, ask, key.strip_prefix("CISS/")?)
}

fn reference_rates(world: &Arc<World>, ask: &Ask, key: &str) -> Option<Document> {
    let currencies = key.strip_prefix("D.")?.strip_suffix(".EUR.SP00.A")?.replace("%2B", "+");
    let wanted: Vec<usize> =
        currencies.split('+').filter_map(|c| CURRENCIES.iter().position(|(name, _, _)| *name == c)).collect();
    let (last, posted) = newest(Calendar::Target, ask.as_of, FIXING_POSTED_SECONDS, 0);
    let (from, to) = period(ask, last)?;
    if wanted.is_empty() {
        return None;
    }
    let maker = world.clone();
    Some(Document::whole(Format::Csv, last.0 as u64, Some(posted), move || {
        let mut out =
            b"KEY,FREQ,CURRENCY,CURRENCY_DENOM,EXR_TYPE,EXR_SUFFIX,TIME_PERIOD,OBS_VALUE\r\n".to_vec();
        maker.markets.reference_rates.upto(to, |days| {
            let days = &days[days.partition_point(|(day, _)| *day < from)..];
            for i in wanted {
                let name = CURRENCIES[i].0;
                for (day, rates) in days {
                    let _ = write!(out, "EXR.D.{name}.EUR.SP00.A,D,{name},EUR,SP00,A,{day},{}\r\n", rates[i]);
                }
            }
        });
        out
    }))
}

/// The new series lives; the old one stopped in May 2025 and is still served.
fn systemic_stress(world: &Arc<World>, ask: &Ask, key: &str) -> Option<Document> {
    let areas = key.strip_prefix("D.")?;
    let (areas, rest) = areas.split_once('.')?;
    let old = match rest {
        "Z0Z.4F.EC.SS_CIN.IDX" => false,
        "Z0Z.4F.EC.SS_CI.IDX" => true,
        _ => return None,
    };
    let series = if old { "SS_CI" } else { "SS_CIN" };
    let (mut last, posted) = newest(Calendar::Target, ask.as_of, 11 * HOUR, CISS_LAG_DAYS);
    if old {
        last = last.min(Day(20_220)); // 2025-05-12
    }
    let (from, to) = period(ask, last)?;
    let areas: Vec<String> = areas.replace("%2B", "+").split('+').map(str::to_owned).collect();
    let maker = world.clone();
    Some(Document::whole(Format::Csv, last.0 as u64, Some(posted), move || {
        let mut out =
            b"KEY,FREQ,REF_AREA,CURRENCY,PROVIDER_FM,INSTRUMENT_FM,PROVIDER_FM_ID,DATA_TYPE_FM,TIME_PERIOD,OBS_VALUE\r\n"
                .to_vec();
        maker.markets.stress.upto(to, |days| {
            let days = &days[days.partition_point(|(day, _)| *day < from)..];
            for (i, area) in areas.iter().enumerate() {
                for (day, value) in days {
                    // 0.05 when calm, 0.3 and more in a crisis.
                    let level = 1.0 / (1.0 + libm::exp(2.6 - 0.3 * value.index - 0.1 * i as f64));
                    let _ = write!(
                        out,
                        "CISS.D.{area}.Z0Z.4F.EC.{series}.IDX,D,{area},Z0Z,4F,EC,{series},IDX,{day},{level:.4}\r\n"
                    );
                }
            }
        });
        out
    }))
}

/// `startPeriod` and `endPeriod`; nothing in between is a 404, as the service answers.
fn period(ask: &Ask, last: Day) -> Option<(Day, Day)> {
    let from = query::day(ask.query, "startPeriod").unwrap_or(Day(10_000));
    let to = query::day(ask.query, "endPeriod").unwrap_or(last).min(last);
    (from <= to).then_some((from, to))
}
