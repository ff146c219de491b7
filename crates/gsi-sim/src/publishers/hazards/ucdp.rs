//! Researcher-coded fatal events: an index page that names the files, and one CSV per month, weeks after the month.
//!
//! The events are drawn from the same theaters as the news, so that the two sources agree on places.

use super::super::{Document, Format, Request};
use crate::news::hostile_text;
use crate::series::{month_end, month_of};
use crate::world::geography;
use crate::world::theaters;
use crate::world::{Rng, Stream, Weighted, World};
use gsi_model::{DAY, Day, HOUR, Timestamp};
use std::fmt::Write;
use std::sync::Arc;

/// A month's file appears this long after the month.
const LAG_SECONDS: i64 = 24 * DAY + 10 * HOUR;
/// Files on the index page.
const MONTHS: i32 = 24;
/// Events a month, of which a ninth have no confirmed death.
const EVENTS: f64 = 1_650.0;
const NO_DEATHS: f64 = 0.11;
const UNCLEAR: f64 = 0.43;

const COLUMNS: &str = "id,relid,year,active_year,code_status,type_of_violence,conflict_dset_id,conflict_new_id,\
conflict_name,dyad_dset_id,dyad_new_id,dyad_name,side_a_dset_id,side_a_new_id,side_a,side_b_dset_id,side_b_new_id,side_b,\
number_of_sources,source_article,source_office,source_date,source_headline,source_original,where_prec,where_coordinates,\
where_description,adm_1,adm_2,latitude,longitude,geom_wkt,priogrid_gid,country,country_id,region,event_clarity,date_prec,\
date_start,date_end,deaths_a,deaths_b,deaths_civilians,deaths_unknown,best,high,low,gwnoa,gwnob\n";

fn file_name(month: i32) -> String {
    let (y, m, _) = month_end(month).ymd();
    format!("GEDEvent_v{:02}_0_{m}.csv", y % 100)
}

fn posted(month: i32) -> Timestamp {
    month_end(month).end().plus(LAG_SECONDS)
}

pub fn respond(world: &Arc<World>, request: &Request) -> Option<Document> {
    let mut newest = month_of(request.as_of.day());
    while posted(newest) > request.as_of {
        newest -= 1;
    }
    let path = request.path.strip_prefix("/downloads/")?;
    if path.is_empty() {
        return Some(Document::new(Format::Html, newest as u64, Some(posted(newest)), move || {
            index_page(newest)
        }));
    }
    let file = path.strip_prefix("candidateged/")?;
    let month = (newest - MONTHS + 1..=newest).find(|m| file_name(*m) == file)?;
    let maker = world.clone();
    Some(Document::new(Format::Csv, month as u64, Some(posted(month)), move || table(&maker, month)))
}

fn index_page(newest: i32) -> Vec<u8> {
    let mut page =
        String::from("<!DOCTYPE html>\n<html><head><title>Download Center</title></head><body>\n<ul>\n");
    for month in (newest - MONTHS + 1..=newest).rev() {
        let file = file_name(month);
        let _ = writeln!(page, "<li><a href=\"candidateged/{file}\">{file}</a></li>");
    }
    page.push_str("</ul>\n</body></html>\n");
    page.into_bytes()
}

fn table(world: &World, month: i32) -> Vec<u8> {
    let last = month_end(month);
    let days = i32::from(last.ymd().2);
    let first = last.plus(1 - days);
    let middle = first.plus(days / 2).start();
    let mut rng = Rng::new(world.settings.seed, Stream::Fatalities, i64::from(month));
    let effect = world.timeline.series("fatalities", middle);
    let theaters = theaters::all();
    let weights = Weighted::new(theaters.iter().map(|t| {
        let (extra, _, _) = world.timeline.theater(&t.id, middle);
        (t.incidents_per_day + extra) * (0.4 + t.severity)
    }));
    let count = rng.poisson(EVENTS * effect.factor);
    let mut out = String::with_capacity(count as usize * 620 + COLUMNS.len());
    out.push_str(COLUMNS);
    for number in 0..count {
        let index = weights.draw(&mut rng);
        let day = first.plus(rng.below(days as usize) as i32);
        write_event(world, &mut out, (month, number), index, day, &mut rng);
    }
    out.into_bytes()
}

/// Gleditsch–Ward number and region of the countries in the table of theaters.
fn state_of(fips: &str) -> (u32, &'static str) {
    match fips {
        "UP" => (369, "Europe"),
        "RS" => (365, "Europe"),
        "GZ" | "IS" => (666, "Middle East"),
        "LE" => (660, "Middle East"),
        "SY" => (652, "Middle East"),
        "YM" => (678, "Middle East"),
        "IR" => (630, "Middle East"),
        "SU" => (625, "Africa"),
        "CG" => (490, "Africa"),
        "ML" => (432, "Africa"),
        "UV" => (439, "Africa"),
        "SO" => (520, "Africa"),
        "NI" => (475, "Africa"),
        "ET" => (530, "Africa"),
        "ER" => (531, "Africa"),
        "BM" => (775, "Asia"),
        "PK" => (770, "Asia"),
        "AF" => (700, "Asia"),
        _ => (41, "Americas"),
    }
}

fn write_event(world: &World, out: &mut String, key: (i32, u32), index: usize, day: Day, rng: &mut Rng) {
    let theater = &theaters::all()[index];
    let place = *rng.pick(&theater.places);
    let best =
        if rng.chance(NO_DEATHS) { 0 } else { 1 + rng.exponential(4.0 + 6.0 * theater.severity) as u32 };
    let civilians = best * rng.below(60) as u32 / 100;
    let (side_a, side_b) = (&theater.a, &theater.b);
    let country = geography::country(place.fips).map_or("", |n| n.name);
    let (state, region) = state_of(place.fips);
    let id = i64::from(key.0) * 10_000 + i64::from(key.1);
    let kind = if theater.b.role == "CRM" { 2 } else { 1 + 2 * u32::from(rng.chance(0.2)) };
    let status = if rng.chance(UNCLEAR) { "Check deaths" } else { "Clear" };
    let headline = if world.settings.hostile && rng.chance(0.05) {
        // Quotes are doubled, as CSV asks.
        hostile_text(rng).replace('"', "\"\"")
    } else {
        format!("Fighting reported near {}", place.city)
    };
    let (lat, lon) = (place.latitude, place.longitude);
    let grid = (libm::floor((lat + 90.0) * 2.0) as i64) * 720 + libm::floor((lon + 180.0) * 2.0) as i64 + 1;
    let high = best + best / 3;
    let (low, rest) = (best - best / 4, best - civilians);
    let year = day.ymd().0;
    // Writing into a String cannot fail.
    let _ = writeln!(
        out,
        "{id},SIM-{year}-{kind}-{index}-{n},{year},true,{status},{kind},{index},{index},\"{theater}\",{index},{index},\"{a} - \
         {b}\",{index},{index},\"{a}\",{index},{index},\"{b}\",{sources},\"Simulated Agency\",\"Simulated Agency\",{day},\
         \"{headline}\",\"local sources\",{precision},\"{city} town\",\"{city} area\",\"{city} region\",,{lat},{lon},\
         \"POINT ({lon} {lat})\",{grid},\"{country}\",{state},{region},1,1,{day} 00:00:00.000,{day} 00:00:00.000,{da},{db},\
         {civilians},0,{best},{high},{low},{state},",
        n = key.1,
        theater = theater.id.replace('_', " "),
        a = side_a.name,
        b = side_b.name,
        sources = 1 + rng.below(4),
        precision = 1 + rng.below(5),
        city = place.city,
        da = rest / 2,
        db = rest - rest / 2,
    );
}
