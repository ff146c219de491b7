//! An indicator must not expect values more often than its feed has them, or it would be late for a part of every day.

use gsi_index::{Catalogue, Method};
use gsi_model::HOUR;
use std::collections::BTreeMap;

#[test]
fn no_indicator_expects_values_more_often_than_its_series_has_them() {
    let connectors = gsi_feeds::all_connectors();
    let specs: BTreeMap<&str, _> =
        connectors.iter().flat_map(|c| c.series()).map(|spec| (spec.series, spec)).collect();
    let catalogue = Catalogue::parse(Method::default_text()).unwrap();
    let (mut hasty, mut compared) = (Vec::new(), 0);
    for indicator in &catalogue.indicators {
        for series in indicator.formula.series() {
            // The catalogue also knows feeds that only history has.
            let Some(spec) = specs.get(series.as_str()) else { continue };
            compared += 1;
            let hours = |seconds: i64| seconds as f64 / HOUR as f64;
            let budget = indicator.cadence_hours + indicator.lag_hours + indicator.slack_hours;
            let enough = hours(spec.cadence) + hours(spec.publication_lag);
            if indicator.cadence_hours < hours(spec.cadence) || budget < enough {
                hasty.push(format!("{}: {series} needs {enough} h, {budget} h are given", indicator.key));
            }
        }
    }
    assert!(hasty.is_empty(), "{hasty:#?}");
    assert!(compared > 15, "{compared}");
}
