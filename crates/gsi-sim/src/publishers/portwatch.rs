//! Ship counts behind an ArcGIS feature service: queries with `where`, paging by offset, and errors that arrive as 200.

use super::{Ask, Document, Format, query};
use crate::shipping::{self, PORTS, SHIPS, STRAITS};
use crate::world::World;
use gsi_model::{Day, HOUR, Timestamp};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Tuesdays, 09:00 in Washington; the newest day is then five days old.
const RELEASE_WEEKDAY: i32 = 1;
const POSTED_SECONDS: i64 = 13 * HOUR;
const NEWEST_AGE: i32 = 5;
/// Rows in one answer, whatever was asked for.
const PAGE: usize = 1_000;
/// Days that a release still changes.
const PROVISIONAL_DAYS: i32 = 14;

fn release(now: Timestamp) -> Day {
    let day = now.minus(POSTED_SECONDS).day();
    day.plus(-(day.weekday() as i32 - RELEASE_WEEKDAY).rem_euclid(7))
}

pub fn answer(world: &Arc<World>, ask: &Ask) -> Option<Document> {
    let path = ask.path.strip_prefix("/weJ1QsnbMYJlCHdG/")?;
    let path = path
        .strip_prefix("arcgis")
        .or_else(|| path.strip_prefix("ArcGIS"))?
        .strip_prefix("/rest/services/")?;
    let (layer, rest) = path.split_once("/FeatureServer/0")?;
    let layer = match layer {
        "Daily_Chokepoints_Data" => Layer::Transits,
        "Daily_Ports_Data" => Layer::Calls,
        "PortWatch_chokepoints_database" => Layer::Straits,
        "PortWatch_ports_database" => Layer::Ports,
        _ => return None,
    };
    let tuesday = release(ask.as_of);
    let (maker, text) = (world.clone(), ask.query.to_owned());
    let make: Box<dyn FnOnce() -> Vec<u8> + Send> = match rest {
        "" => Box::new(move || written(&schema(layer))),
        "/query" => Box::new(move || respond(&maker, layer, &text, tuesday)),
        _ => return None,
    };
    Some(Document::whole(Format::Json, tuesday.0 as u64, Some(tuesday.start().plus(POSTED_SECONDS)), make))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layer {
    Transits,
    Calls,
    Straits,
    Ports,
}

fn written(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}

fn fields(layer: Layer) -> Vec<(String, &'static str)> {
    let mut names: Vec<(String, &'static str)> = Vec::new();
    if matches!(layer, Layer::Transits | Layer::Calls) {
        names.push(("date".into(), "esriFieldTypeDateOnly"));
        names.extend(["year", "month", "day"].map(|n| (n.to_owned(), "esriFieldTypeInteger")));
    }
    names.extend(["portid", "portname"].map(|n| (n.to_owned(), "esriFieldTypeString")));
    match layer {
        Layer::Transits => {
            for (prefix, total) in [("n_", "n_total"), ("capacity_", "capacity")] {
                names.extend(SHIPS.map(|s| (format!("{prefix}{s}"), "esriFieldTypeInteger")));
                names.push((format!("{prefix}cargo"), "esriFieldTypeInteger"));
                names.push((total.into(), "esriFieldTypeInteger"));
            }
        }
        Layer::Calls => {
            names.extend(["country", "ISO3"].map(|n| (n.to_owned(), "esriFieldTypeString")));
            for group in ["portcalls", "import", "export"] {
                names.extend(SHIPS.map(|s| (format!("{group}_{s}"), "esriFieldTypeInteger")));
                names.push((format!("{group}_cargo"), "esriFieldTypeInteger"));
                names.push((group.into(), "esriFieldTypeInteger"));
            }
        }
        Layer::Straits | Layer::Ports => {
            names.extend(
                ["fullname", "country", "ISO3", "continent"].map(|n| (n.to_owned(), "esriFieldTypeString")),
            );
            names.extend(["lat", "lon"].map(|n| (n.to_owned(), "esriFieldTypeDouble")));
            names.push(("vessel_count_total".into(), "esriFieldTypeInteger"));
        }
    }
    names.push(("ObjectId".into(), "esriFieldTypeOID"));
    names
}

fn schema(layer: Layer) -> Value {
    let fields: Vec<Value> = fields(layer)
        .into_iter()
        .map(|(name, kind)| json!({"name": name, "type": kind, "alias": name}))
        .collect();
    json!({ "currentVersion": 11.5, "id": 0, "maxRecordCount": PAGE, "objectIdField": "ObjectId", "fields": fields })
}

fn refusal(detail: &str) -> Vec<u8> {
    const MESSAGE: &str = "Cannot perform query. Invalid query parameters.";
    written(&json!({"error": {"code": 400, "message": MESSAGE, "details": [detail]}}))
}

/// The rows that a `where` clause keeps.
#[derive(Debug, PartialEq)]
struct Filter {
    ids: Option<Vec<String>>,
    from: Day,
    to: Day,
}

/// `1=1`, `portid='…'`, `portid IN (…)`, `date >= DATE '…'` and the like, joined by AND.
fn parse(text: &str, first: Day, last: Day) -> Result<Filter, String> {
    let mut filter = Filter { ids: None, from: first, to: last };
    for part in text.split(" AND ").flat_map(|p| p.split(" and ")) {
        let part = part.trim();
        let lower = part.to_ascii_lowercase();
        if matches!(lower.as_str(), "1=1" | "1 = 1" | "") {
            continue;
        }
        if let Some(rest) = lower.strip_prefix("portid") {
            filter.ids = Some(rest.split('\'').skip(1).step_by(2).map(str::to_owned).collect());
            continue;
        }
        if let Some(rest) = lower.strip_prefix("year") {
            let year: i16 = rest.trim_start_matches([' ', '>', '=']).parse().map_err(|_| part.to_owned())?;
            filter.from = filter.from.max(Day::from_ymd(year, 1, 1).ok_or(part)?);
            continue;
        }
        let rest = lower.strip_prefix("date").ok_or(part)?.trim_start();
        // Bare numbers and texts are refused, as the service does; a day comes as DATE or TIMESTAMP.
        let (operator, value) = rest.split_at(rest.find(|c| !matches!(c, '<' | '>' | '=')).unwrap_or(0));
        let value = value.trim_start();
        if !(value.starts_with("date") || value.starts_with("timestamp")) {
            return Err(part.to_owned());
        }
        let day = value.split('\'').nth(1).and_then(|d| Day::parse_iso(d.get(..10)?)).ok_or(part)?;
        match operator {
            ">=" => filter.from = filter.from.max(day),
            ">" => filter.from = filter.from.max(day.plus(1)),
            "<=" => filter.to = filter.to.min(day),
            "<" => filter.to = filter.to.min(day.plus(-1)),
            "=" => (filter.from, filter.to) = (filter.from.max(day), filter.to.min(day)),
            _ => return Err(part.to_owned()),
        }
    }
    Ok(filter)
}

fn respond(world: &World, layer: Layer, text: &str, tuesday: Day) -> Vec<u8> {
    let last = tuesday.plus(-NEWEST_AGE);
    let Some(clause) = query::value(text, "where") else { return refusal("'where' is required") };
    let filter = match parse(&clause, shipping::FIRST, last) {
        Ok(filter) => filter,
        Err(part) => return refusal(&part),
    };
    let (prefix, count) = match layer {
        Layer::Transits | Layer::Straits => ("chokepoint", STRAITS.len()),
        Layer::Calls | Layer::Ports => ("port", PORTS.len()),
    };
    let wanted: Vec<usize> = (0..count)
        .filter(|i| filter.ids.as_ref().is_none_or(|ids| ids.contains(&format!("{prefix}{}", i + 1))))
        .collect();
    if let Some(statistics) = query::value(text, "outStatistics") {
        let Ok(statistics) = serde_json::from_str::<Vec<Statistic>>(&statistics) else {
            return refusal("outStatistics");
        };
        return match query::value(text, "groupByFieldsForStatistics").as_deref() {
            Some("date") => written(&sums_by_day(world, layer, &filter, &wanted, &statistics, tuesday)),
            Some("ISO3") if layer == Layer::Calls => {
                written(&sums_by_country(world, layer, &filter, &wanted, &statistics, tuesday))
            }
            Some(_) => refusal("groupByFieldsForStatistics"),
            // Without groups nobody asks for more than the newest day.
            None => {
                let name = statistics.first().map_or("maxd", |s| s.name.as_str());
                written(&json!({"features": [{"attributes": {name: last.to_string()}}]}))
            }
        };
    }
    let daily = matches!(layer, Layer::Transits | Layer::Calls);
    let days = if daily { (filter.to.0 - filter.from.0 + 1).max(0) as usize } else { 1 };
    let total = days * wanted.len();
    if query::value(text, "returnCountOnly").as_deref() == Some("true") {
        return written(&json!({ "count": total }));
    }
    let offset = query::number(text, "resultOffset").unwrap_or(0).max(0) as usize;
    let limit =
        query::number(text, "resultRecordCount").unwrap_or(PAGE as i64).clamp(0, PAGE as i64) as usize;
    let descending =
        query::value(text, "orderByFields").is_some_and(|o| o.to_ascii_lowercase().contains("desc"));
    let features: Vec<Feature> = (offset..total.min(offset + limit))
        .map(|row| {
            let step = (row / wanted.len()) as i32;
            let day = if descending { filter.to.plus(-step) } else { filter.from.plus(step) };
            Feature(attributes(world, layer, wanted[row % wanted.len()], day, tuesday, row + 1))
        })
        .collect();
    let exceeded = offset + features.len() < total;
    let fields: Vec<Value> = fields(layer)
        .into_iter()
        .map(|(name, kind)| json!({"name": name, "type": kind, "alias": name}))
        .collect();
    written(&FeatureAnswer {
        object_id_field_name: "ObjectId",
        fields,
        exceeded_transfer_limit: exceeded,
        features: &features,
    })
}

/// One sum that a question asks the server for.
#[derive(Deserialize)]
struct Statistic {
    #[serde(rename = "onStatisticField")]
    column: String,
    #[serde(rename = "outStatisticFieldName")]
    name: String,
}

fn sums_by_day(
    world: &World,
    layer: Layer,
    filter: &Filter,
    wanted: &[usize],
    statistics: &[Statistic],
    tuesday: Day,
) -> Value {
    let features: Vec<Value> = (filter.from.0..=filter.to.0)
        .map(|day| {
            let day = Day(day);
            let mut sums = vec![0u64; statistics.len()];
            for index in wanted {
                let cells = attributes(world, layer, *index, day, tuesday, 0);
                for (sum, statistic) in sums.iter_mut().zip(statistics) {
                    if let Some((_, FeatureCell::Count(n))) =
                        cells.iter().find(|(name, _)| *name == statistic.column)
                    {
                        *sum += n;
                    }
                }
            }
            let mut row = serde_json::Map::from_iter([("date".to_owned(), json!(day.to_string()))]);
            row.extend(statistics.iter().zip(sums).map(|(s, sum)| (s.name.clone(), json!(sum))));
            json!({ "attributes": row })
        })
        .collect();
    json!({ "features": features })
}

fn sums_by_country(
    world: &World,
    layer: Layer,
    filter: &Filter,
    wanted: &[usize],
    statistics: &[Statistic],
    tuesday: Day,
) -> Value {
    let mut countries: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for (day, index) in
        (filter.from.0..=filter.to.0).flat_map(|day| wanted.iter().map(move |i| (Day(day), *i)))
    {
        let cells = attributes(world, layer, index, day, tuesday, 0);
        let sums = countries.entry(PORTS[index].iso3).or_insert_with(|| vec![0; statistics.len()]);
        for (sum, statistic) in sums.iter_mut().zip(statistics) {
            if let Some((_, FeatureCell::Count(n))) = cells.iter().find(|(name, _)| *name == statistic.column)
            {
                *sum += n;
            }
        }
    }
    let feature = |(iso3, sums): (&str, Vec<u64>)| {
        let mut row = serde_json::Map::from_iter([("ISO3".to_owned(), json!(iso3))]);
        row.extend(statistics.iter().zip(sums).map(|(s, sum)| (s.name.clone(), json!(sum))));
        json!({ "attributes": row })
    };
    json!({ "features": countries.into_iter().map(feature).collect::<Vec<_>>() })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FeatureAnswer<'a> {
    object_id_field_name: &'static str,
    fields: Vec<Value>,
    exceeded_transfer_limit: bool,
    features: &'a [Feature],
}

/// One cell of a row. Rows come by the thousand, so they are written as they are made.
enum FeatureCell {
    Text(Cow<'static, str>),
    Count(u64),
    Degrees(f64),
}

impl Serialize for FeatureCell {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            FeatureCell::Text(text) => out.serialize_str(text),
            FeatureCell::Count(n) => out.serialize_u64(*n),
            FeatureCell::Degrees(x) => out.serialize_f64(*x),
        }
    }
}

type Cells = Vec<(&'static str, FeatureCell)>;

struct Feature(Cells);

impl Serialize for Feature {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        struct Attributes<'a>(&'a Cells);
        impl Serialize for Attributes<'_> {
            fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                out.collect_map(self.0.iter().map(|(name, cell)| (name, cell)))
            }
        }
        out.collect_map([("attributes", Attributes(&self.0))])
    }
}

/// Names of a group of counts: one per kind of ship, the cargo ships together, all of them.
type CountNames = [&'static str; 7];

const TRANSITS: CountNames =
    ["n_container", "n_dry_bulk", "n_general_cargo", "n_roro", "n_tanker", "n_cargo", "n_total"];
const CAPACITY: CountNames = [
    "capacity_container",
    "capacity_dry_bulk",
    "capacity_general_cargo",
    "capacity_roro",
    "capacity_tanker",
    "capacity_cargo",
    "capacity",
];
const CALLS: CountNames = [
    "portcalls_container",
    "portcalls_dry_bulk",
    "portcalls_general_cargo",
    "portcalls_roro",
    "portcalls_tanker",
    "portcalls_cargo",
    "portcalls",
];
const IMPORTS: CountNames = [
    "import_container",
    "import_dry_bulk",
    "import_general_cargo",
    "import_roro",
    "import_tanker",
    "import_cargo",
    "import",
];
const EXPORTS: CountNames = [
    "export_container",
    "export_dry_bulk",
    "export_general_cargo",
    "export_roro",
    "export_tanker",
    "export_cargo",
    "export",
];

fn group(cells: &mut Cells, names: &CountNames, counts: [u64; 5]) {
    cells.extend(names.iter().zip(counts).map(|(name, n)| (*name, FeatureCell::Count(n))));
    cells.push((names[5], FeatureCell::Count(counts[..4].iter().sum())));
    cells.push((names[6], FeatureCell::Count(counts.iter().sum())));
}

fn attributes(world: &World, layer: Layer, index: usize, day: Day, tuesday: Day, object: usize) -> Cells {
    let mut cells: Cells = Vec::with_capacity(32);
    let text = |t: String| FeatureCell::Text(Cow::Owned(t));
    let seed = world.settings.seed;
    if matches!(layer, Layer::Transits | Layer::Calls) {
        let (y, m, d) = day.ymd();
        cells.push(("date", text(day.to_string())));
        cells.push(("year", FeatureCell::Count(y as u64)));
        cells.push(("month", FeatureCell::Count(m as u64)));
        cells.push(("day", FeatureCell::Count(d as u64)));
    }
    let strait = matches!(layer, Layer::Transits | Layer::Straits);
    let (prefix, name) =
        if strait { ("chokepoint", STRAITS[index].name) } else { ("port", PORTS[index].name) };
    cells.push(("portid", text(format!("{prefix}{}", index + 1))));
    cells.push(("portname", FeatureCell::Text(Cow::Borrowed(name))));
    match layer {
        Layer::Transits => {
            let mut ships = shipping::transits(seed, &world.timeline, index, day);
            // Recent days are first counted short, and filled up by the next releases.
            if tuesday.0 - day.0 < PROVISIONAL_DAYS && ships[1] > 4 {
                ships[1] -= 1;
            }
            let tons = shipping::tons(seed, index, day, ships);
            group(&mut cells, &TRANSITS, ships.map(u64::from));
            group(&mut cells, &CAPACITY, tons);
        }
        Layer::Calls => {
            let port = &PORTS[index];
            cells.push(("country", FeatureCell::Text(Cow::Borrowed(port.country))));
            cells.push(("ISO3", FeatureCell::Text(Cow::Borrowed(port.iso3))));
            let calls = shipping::calls(seed, &world.timeline, index, day);
            let tons = shipping::tons(seed, index + 1_000, day, calls);
            group(&mut cells, &CALLS, calls.map(u64::from));
            group(&mut cells, &IMPORTS, tons.map(|t| t * 5 / 10));
            group(&mut cells, &EXPORTS, tons.map(|t| t * 4 / 10));
        }
        Layer::Straits => {
            cells.push(("fullname", FeatureCell::Text(Cow::Borrowed(name))));
            cells.push(("vessel_count_total", FeatureCell::Count(20_000)));
        }
        Layer::Ports => {
            let port = &PORTS[index];
            cells.push(("fullname", text(format!("{}, {}", port.name, port.country))));
            cells.push(("country", FeatureCell::Text(Cow::Borrowed(port.country))));
            cells.push(("ISO3", FeatureCell::Text(Cow::Borrowed(port.iso3))));
            cells.push(("lat", FeatureCell::Degrees(port.latitude)));
            cells.push(("lon", FeatureCell::Degrees(port.longitude)));
            cells.push(("vessel_count_total", FeatureCell::Count((port.calls * 365.0) as u64)));
        }
    }
    cells.push(("ObjectId", FeatureCell::Count(object as u64)));
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses() {
        let (first, last) = (Day(100), Day(200));
        let day = |d: &str| Day::parse_iso(d).unwrap();
        let all = parse("1=1", first, last).unwrap();
        assert_eq!(all, Filter { ids: None, from: first, to: last });
        let one = parse("portid='chokepoint6' AND date >= DATE '1970-05-01'", first, last).unwrap();
        assert_eq!(one, Filter { ids: Some(vec!["chokepoint6".into()]), from: day("1970-05-01"), to: last });
        let two =
            parse("portid IN ('port1','port2') AND date < timestamp '1970-05-01 00:00:00'", first, last)
                .unwrap();
        assert_eq!(two.ids, Some(vec!["port1".into(), "port2".into()]));
        assert_eq!(two.to, day("1970-04-30"));
        for bad in ["date >= 1760000000000", "date >= '2026-01-01'", "sleep(10)=1"] {
            assert!(parse(bad, first, last).is_err(), "{bad}");
        }
    }
}
