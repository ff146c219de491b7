//! Ship counts behind an ArcGIS feature service: queries with `where`, paging by offset, sums by group, and errors that
//! arrive with status 200.

use super::super::{Document, Format, Request, query};
use super::traffic::{self, PORTS, SHIPS, STRAITS};
use super::where_clause::{self, RowFilter};
use crate::series::Release;
use crate::world::World;
use gsi_model::Day;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// Tuesdays, 09:00 in Washington. The newest day is then five days old.
const RELEASE: Release = Release::Weekly { weekday: 1, hour: 13, lag_days: 5 };
/// Rows in one answer, whatever the request says.
const PAGE: usize = 1_000;
/// Days that a release still changes, counted from its newest.
const PROVISIONAL_DAYS: i32 = 9;

pub fn respond(world: &Arc<World>, request: &Request) -> Option<Document> {
    let path = request.path.strip_prefix("/weJ1QsnbMYJlCHdG/")?;
    let path = path.strip_prefix("arcgis").or_else(|| path.strip_prefix("ArcGIS"))?;
    let (name, rest) = path.strip_prefix("/rest/services/")?.split_once("/FeatureServer/0")?;
    let layer = LAYERS.iter().find(|layer| layer.name == name)?;
    let posting = RELEASE.newest(request.as_of);
    let (maker, text) = (world.clone(), request.query.to_owned());
    let make: Box<dyn FnOnce() -> Vec<u8> + Send> = match rest {
        "" => Box::new(|| {
            written(
                &json!({ "currentVersion": 11.5, "id": 0, "maxRecordCount": PAGE, "objectIdField": "ObjectId",
                             "fields": layer.schema() }),
            )
        }),
        "/query" => Box::new(move || {
            let query = LayerQuery { world: &maker, layer, last: posting.last };
            query.answer(&text).unwrap_or_else(|detail| refusal(&detail))
        }),
        _ => return None,
    };
    let version = posting.at.day().0 as u64;
    Some(Document::new(Format::Json, version, Some(posting.at), make))
}

fn written(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}

fn refusal(detail: &str) -> Vec<u8> {
    const MESSAGE: &str = "Cannot perform query. Invalid query parameters.";
    written(&json!({"error": {"code": 400, "message": MESSAGE, "details": [detail]}}))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LayerKind {
    Transits,
    Calls,
    Straits,
    Ports,
}

/// A table of the service.
struct Layer {
    name: &'static str,
    kind: LayerKind,
    /// Names and types of the cells of a row.
    fields: Vec<(String, &'static str)>,
}

const TEXT: &str = "esriFieldTypeString";
const INTEGER: &str = "esriFieldTypeInteger";
const DOUBLE: &str = "esriFieldTypeDouble";

static LAYERS: LazyLock<[Layer; 4]> = LazyLock::new(|| {
    let named = |names: &[&str], kind| names.iter().map(|n| ((*n).to_owned(), kind)).collect::<Vec<_>>();
    // One column per kind of ship, the cargo ships together, all ships.
    let ships = |prefix: &str, total: &str| {
        let mut names: Vec<_> = SHIPS.map(|ship| format!("{prefix}_{ship}")).into();
        names.extend([format!("{prefix}_cargo"), total.to_owned()]);
        names.into_iter().map(|name| (name, INTEGER)).collect::<Vec<_>>()
    };
    let date =
        [named(&["date"], "esriFieldTypeDateOnly"), named(&["year", "month", "day"], INTEGER)].concat();
    let port = named(&["portid", "portname"], TEXT);
    let country = named(&["country", "ISO3"], TEXT);
    let object = named(&["ObjectId"], "esriFieldTypeOID");
    let vessels = named(&["vessel_count_total"], INTEGER);
    let full_name = named(&["fullname"], TEXT);
    let layer = |name, kind, groups: &[Vec<_>]| Layer { name, kind, fields: groups.concat() };
    [
        layer(
            "Daily_Chokepoints_Data",
            LayerKind::Transits,
            &[
                date.clone(),
                port.clone(),
                ships("n", "n_total"),
                ships("capacity", "capacity"),
                object.clone(),
            ],
        ),
        layer(
            "Daily_Ports_Data",
            LayerKind::Calls,
            &[
                date,
                port.clone(),
                country.clone(),
                ships("portcalls", "portcalls"),
                ships("import", "import"),
                ships("export", "export"),
                object.clone(),
            ],
        ),
        layer(
            "PortWatch_chokepoints_database",
            LayerKind::Straits,
            &[port.clone(), full_name.clone(), vessels.clone(), object.clone()],
        ),
        layer(
            "PortWatch_ports_database",
            LayerKind::Ports,
            &[port, full_name, country, named(&["lat", "lon"], DOUBLE), vessels, object],
        ),
    ]
});

impl Layer {
    fn schema(&self) -> Vec<Value> {
        let field = |(name, kind): &(String, &str)| json!({"name": name, "type": kind, "alias": name});
        self.fields.iter().map(field).collect()
    }

    /// Returns whether the layer has a row for each day.
    fn is_daily(&self) -> bool {
        matches!(self.kind, LayerKind::Transits | LayerKind::Calls)
    }

    /// Returns the prefix of the rows' ids and the number of places.
    fn places(&self) -> (&'static str, usize) {
        match self.kind {
            LayerKind::Transits | LayerKind::Straits => ("chokepoint", STRAITS.len()),
            LayerKind::Calls | LayerKind::Ports => ("port", PORTS.len()),
        }
    }
}

/// One sum that a request asks the server for.
#[derive(Deserialize)]
struct Statistic {
    #[serde(rename = "onStatisticField")]
    column: String,
    #[serde(rename = "outStatisticFieldName")]
    name: String,
}

/// A query of a layer as of a release.
struct LayerQuery<'a> {
    world: &'a World,
    layer: &'static Layer,
    last: Day,
}

impl LayerQuery<'_> {
    fn answer(&self, text: &str) -> Result<Vec<u8>, String> {
        let clause = query::value(text, "where").ok_or("'where' is required")?;
        let filter = where_clause::parse(&clause, traffic::FIRST, self.last)?;
        let (prefix, count) = self.layer.places();
        let is_wanted = |i: &usize| {
            let id = format!("{prefix}{}", i + 1);
            filter.ids.as_ref().is_none_or(|ids| ids.contains(&id))
        };
        let wanted: Vec<usize> = (0..count).filter(is_wanted).collect();
        if let Some(statistics) = query::value(text, "outStatistics") {
            let group = query::value(text, "groupByFieldsForStatistics");
            return self.statistics(&statistics, group.as_deref(), &filter, &wanted);
        }
        let days = if self.layer.is_daily() { (filter.to.0 - filter.from.0 + 1).max(0) as usize } else { 1 };
        let total = days * wanted.len();
        if query::value(text, "returnCountOnly").as_deref() == Some("true") {
            return Ok(written(&json!({ "count": total })));
        }
        let offset = query::number(text, "resultOffset").unwrap_or(0).max(0) as usize;
        let limit = query::number(text, "resultRecordCount").unwrap_or(PAGE as i64).clamp(0, PAGE as i64);
        let order = query::value(text, "orderByFields").unwrap_or_default();
        let descending = order.to_ascii_lowercase().contains("desc");
        let row = |row: usize| {
            let step = (row / wanted.len()) as i32;
            let day = if descending { filter.to.plus(-step) } else { filter.from.plus(step) };
            let cells = self.cells(wanted[row % wanted.len()], day, row + 1);
            Feature { attributes: Attributes { layer: self.layer, cells } }
        };
        let features: Vec<Feature> = (offset..total.min(offset + limit as usize)).map(row).collect();
        let exceeded = offset + features.len() < total;
        Ok(written(&FeaturePage {
            object_id_field_name: "ObjectId",
            fields: self.layer.schema(),
            exceeded_transfer_limit: exceeded,
            features,
        }))
    }

    fn statistics(
        &self,
        statistics: &str,
        group: Option<&str>,
        filter: &RowFilter,
        wanted: &[usize],
    ) -> Result<Vec<u8>, String> {
        let statistics: Vec<Statistic> = serde_json::from_str(statistics).map_err(|_| "outStatistics")?;
        let column = |s: &Statistic| self.layer.fields.iter().position(|(name, _)| *name == s.column);
        let columns: Vec<Option<usize>> = statistics.iter().map(column).collect();
        let group_of: fn(usize, Day) -> String = match group {
            Some("date") => |_, day| day.to_string(),
            Some("ISO3") if self.layer.kind == LayerKind::Calls => |index, _| PORTS[index].iso3.to_owned(),
            Some(_) => return Err("groupByFieldsForStatistics".into()),
            // Requests without groups only ask for the newest day.
            None => {
                let name = statistics.first().map_or("maxd", |s| s.name.as_str());
                let newest = json!({"features": [{"attributes": {name: self.last.to_string()}}]});
                return Ok(written(&newest));
            }
        };
        let mut groups: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for day in (filter.from.0..=filter.to.0).map(Day) {
            for index in wanted {
                let cells = self.cells(*index, day, 0);
                let sums = groups.entry(group_of(*index, day)).or_insert_with(|| vec![0; statistics.len()]);
                for (sum, column) in sums.iter_mut().zip(&columns) {
                    if let Some(FeatureCell::Count(n)) = column.and_then(|c| cells.get(c)) {
                        *sum += n;
                    }
                }
            }
        }
        let key = group.unwrap_or_default();
        let feature = |(group, sums): (String, Vec<u64>)| {
            let mut row = Map::from_iter([(key.to_owned(), json!(group))]);
            row.extend(statistics.iter().zip(sums).map(|(s, sum)| (s.name.clone(), json!(sum))));
            json!({ "attributes": row })
        };
        let features: Vec<Value> = groups.into_iter().map(feature).collect();
        Ok(written(&json!({ "features": features })))
    }

    /// Makes the row of a place, in the order of the layer's fields.
    fn cells(&self, index: usize, day: Day, object: usize) -> Vec<FeatureCell> {
        let (seed, timeline) = (self.world.settings.seed, &self.world.timeline);
        let mut cells = Vec::with_capacity(self.layer.fields.len());
        if self.layer.is_daily() {
            let (y, m, d) = day.ymd();
            cells.push(FeatureCell::owned(day.to_string()));
            cells.extend([y as u64, m as u64, d as u64].map(FeatureCell::Count));
        }
        let prefix = self.layer.places().0;
        cells.push(FeatureCell::owned(format!("{prefix}{}", index + 1)));
        match self.layer.kind {
            LayerKind::Transits => {
                cells.push(FeatureCell::text(STRAITS[index].name));
                let mut ships = traffic::transits(seed, timeline, index, day);
                // Recent days are first counted short and filled up by the next releases.
                if self.last.0 - day.0 < PROVISIONAL_DAYS && ships[1] > 4 {
                    ships[1] -= 1;
                }
                let tons = traffic::tons(seed, index, day, ships);
                push_counts(&mut cells, ships.map(u64::from));
                push_counts(&mut cells, tons);
            }
            LayerKind::Calls => {
                let port = &PORTS[index];
                cells.extend([port.name, port.country, port.iso3].map(FeatureCell::text));
                let calls = traffic::calls(seed, timeline, index, day);
                let tons = traffic::tons(seed, index + 1_000, day, calls);
                push_counts(&mut cells, calls.map(u64::from));
                push_counts(&mut cells, tons.map(|t| t * 5 / 10));
                push_counts(&mut cells, tons.map(|t| t * 4 / 10));
            }
            LayerKind::Straits => {
                cells.extend([STRAITS[index].name; 2].map(FeatureCell::text));
                cells.push(FeatureCell::Count(20_000));
            }
            LayerKind::Ports => {
                let port = &PORTS[index];
                cells.push(FeatureCell::text(port.name));
                cells.push(FeatureCell::owned(format!("{}, {}", port.name, port.country)));
                cells.extend([port.country, port.iso3].map(FeatureCell::text));
                cells.extend([port.latitude, port.longitude].map(FeatureCell::Degrees));
                cells.push(FeatureCell::Count((port.calls * 365.0) as u64));
            }
        }
        cells.push(FeatureCell::Count(object as u64));
        cells
    }
}

/// Adds the counts by kind of ship, then of the cargo ships (all but the last kind), then of all.
fn push_counts(cells: &mut Vec<FeatureCell>, counts: [u64; 5]) {
    let (cargo, all) = (counts[..4].iter().sum(), counts.iter().sum());
    cells.extend(counts.into_iter().chain([cargo, all]).map(FeatureCell::Count));
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FeaturePage {
    object_id_field_name: &'static str,
    fields: Vec<Value>,
    exceeded_transfer_limit: bool,
    features: Vec<Feature>,
}

#[derive(Serialize)]
struct Feature {
    attributes: Attributes,
}

/// A row with the names of its layer's fields.
struct Attributes {
    layer: &'static Layer,
    cells: Vec<FeatureCell>,
}

impl Serialize for Attributes {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_map(self.layer.fields.iter().map(|(name, _)| name).zip(&self.cells))
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum FeatureCell {
    Text(Cow<'static, str>),
    Count(u64),
    Degrees(f64),
}

impl FeatureCell {
    fn text(text: &'static str) -> Self {
        FeatureCell::Text(Cow::Borrowed(text))
    }

    fn owned(text: String) -> Self {
        FeatureCell::Text(Cow::Owned(text))
    }
}
