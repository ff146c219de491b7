//! The central bank's data service: euro reference rates, and systemic stress by area.

use super::super::{Document, Format, Request, query};
use super::ofr;
use crate::series::Release;
use crate::world::{Calendar, World};
use gsi_model::Day;
use std::io::Write;
use std::sync::Arc;

const STRESS_RELEASE: Release = Release::BusinessDays { calendar: Calendar::Target, hour: 11, lag_days: 2 };
/// 2025-05-12: the old stress series stopped on this day and is still served.
const OLD_STRESS_END: Day = Day(20_220);

pub fn respond(world: &Arc<World>, request: &Request) -> Option<Document> {
    let key = request.path.strip_prefix("/service/data/")?;
    if let Some(key) = key.strip_prefix("EXR/") {
        return reference_rates(world, request, key);
    }
    systemic_stress(world, request, key.strip_prefix("CISS/")?)
}

fn reference_rates(world: &Arc<World>, request: &Request, key: &str) -> Option<Document> {
    let currencies = key.strip_prefix("D.")?.strip_suffix(".EUR.SP00.A")?.replace("%2B", "+");
    let group = world.series.group("fx");
    let wanted: Vec<(String, usize)> =
        currencies.split('+').filter_map(|name| Some((name.to_owned(), group.column(name)?))).collect();
    let posting = group.newest(request.as_of);
    let (from, to) = period(request, posting.last)?;
    if wanted.is_empty() {
        return None;
    }
    let maker = world.clone();
    Some(Document::new(Format::Csv, posting.last.0 as u64, Some(posting.at), move || {
        let mut out =
            b"KEY,FREQ,CURRENCY,CURRENCY_DENOM,EXR_TYPE,EXR_SUFFIX,TIME_PERIOD,OBS_VALUE\r\n".to_vec();
        maker.series.group("fx").read(to, |rows| {
            for (name, column) in wanted {
                for (day, rates) in rows.since(from).iter() {
                    // Writing into a Vec cannot fail.
                    let _ = write!(
                        out,
                        "EXR.D.{name}.EUR.SP00.A,D,{name},EUR,SP00,A,{day},{}\r\n",
                        rates[column]
                    );
                }
            }
        });
        out
    }))
}

fn systemic_stress(world: &Arc<World>, request: &Request, key: &str) -> Option<Document> {
    let (areas, rest) = key.strip_prefix("D.")?.split_once('.')?;
    let old = match rest {
        "Z0Z.4F.EC.SS_CIN.IDX" => false,
        "Z0Z.4F.EC.SS_CI.IDX" => true,
        _ => return None,
    };
    let series = if old { "SS_CI" } else { "SS_CIN" };
    let posting = STRESS_RELEASE.newest(request.as_of);
    let last = if old { posting.last.min(OLD_STRESS_END) } else { posting.last };
    let (from, to) = period(request, last)?;
    let areas: Vec<String> = areas.replace("%2B", "+").split('+').map(str::to_owned).collect();
    let maker = world.clone();
    Some(Document::new(Format::Csv, last.0 as u64, Some(posting.at), move || {
        let mut out =
            b"KEY,FREQ,REF_AREA,CURRENCY,PROVIDER_FM,INSTRUMENT_FM,PROVIDER_FM_ID,DATA_TYPE_FM,TIME_PERIOD,OBS_VALUE\r\n"
                .to_vec();
        maker.series.group("ofr").read(to, |rows| {
            for (i, area) in areas.iter().enumerate() {
                for (day, values) in rows.since(from).iter() {
                    // 0.05 when calm, 0.3 and more in a crisis.
                    let level = 1.0 / (1.0 + libm::exp(2.6 - 0.3 * ofr::index(values) - 0.1 * i as f64));
                    // Writing into a Vec cannot fail.
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

/// Reads `startPeriod` and `endPeriod`. Without a day between them the service answers 404.
fn period(request: &Request, last: Day) -> Option<(Day, Day)> {
    let from = query::day(request.query, "startPeriod").unwrap_or(Day(10_000));
    let to = query::day(request.query, "endPeriod").unwrap_or(last).min(last);
    (from <= to).then_some((from, to))
}
