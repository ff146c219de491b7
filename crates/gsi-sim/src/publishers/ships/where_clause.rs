//! The `where` clauses that the feature service understands.

use gsi_model::Day;

/// The rows that a `where` clause keeps.
#[derive(Debug, PartialEq)]
pub struct RowFilter {
    pub ids: Option<Vec<String>>,
    pub from: Day,
    pub to: Day,
}

/// Parses `1=1`, `portid='…'`, `portid IN (…)`, `date >= DATE '…'` and the like, joined by AND. An error is the part that the
/// service does not understand.
pub fn parse(text: &str, first: Day, last: Day) -> Result<RowFilter, String> {
    let mut filter = RowFilter { ids: None, from: first, to: last };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses() {
        let (first, last) = (Day(100), Day(200));
        let day = |d: &str| Day::parse_iso(d).unwrap();
        let all = parse("1=1", first, last).unwrap();
        assert_eq!(all, RowFilter { ids: None, from: first, to: last });
        let one = parse("portid='chokepoint6' AND date >= DATE '1970-05-01'", first, last).unwrap();
        assert_eq!(
            one,
            RowFilter { ids: Some(vec!["chokepoint6".into()]), from: day("1970-05-01"), to: last }
        );
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
