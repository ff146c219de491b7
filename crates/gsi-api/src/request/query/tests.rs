use super::*;
use crate::request::parameters::{AsOf, Paging, Window};
use crate::resources::events::query::EventFilters;

/// Each parameter with a problem, and the problem.
fn problems<T: DeserializeOwned>(query: &str) -> Vec<(String, String)> {
    let mut reader = QueryReader::parse(Some(query));
    match reader.read::<T>().and_then(|_| reader.finish()) {
        Ok(()) => Vec::new(),
        Err(refusal) => refusal.errors.into_iter().map(|e| (e.parameter, e.problem)).collect(),
    }
}

#[test]
fn values_are_read_strictly() {
    type Read = fn(&str) -> Vec<(String, String)>;
    let paging: Read = problems::<Paging>;
    let time: Read = problems::<Window>;
    let filter: Read = problems::<EventFilters>;
    let rows: &[(&str, Read, &str)] = &[
        ("limit=1", paging, ""),
        ("limit=200", paging, ""),
        ("", paging, ""),
        ("limit=0", paging, "is out of range"),
        ("limit=201", paging, "is out of range"),
        ("limit=", paging, "is not a whole number"),
        ("limit=1e2", paging, "is not a whole number"),
        ("limit=%2B5", paging, "is not a whole number"),
        ("limit=5&limit=5", paging, "is given 2 times"),
        ("limit=%zz", paging, "is not valid percent-encoded UTF-8"),
        ("limit=%ff", paging, "is not valid percent-encoded UTF-8"),
        ("limit=%4", paging, "is not valid percent-encoded UTF-8"),
        ("Limit=5", paging, "is not a parameter of this resource"),
        ("since=2026-11-14T23:45:00Z", time, ""),
        ("since=2026-11-14T23:45:00%2B01:00", time, ""),
        ("since=2026-11-14T23:45:00+01:00", time, "is not an RFC 3339 time"),
        ("since=2026-11-14", time, "is not an RFC 3339 time"),
        ("bbox=-10,-20,10,20.5", filter, ""),
        ("bbox=170,-20,-170,20", filter, ""),
        ("bbox=0,20,10,-20", filter, "has south above north"),
        ("bbox=0,0,181,1", filter, "is out of range"),
        ("bbox=0,00,1,1", filter, "is not four decimal numbers"),
        ("bbox=0,0,1", filter, "is not four decimal numbers"),
        ("bbox=0,0,1,nan", filter, "is not four decimal numbers"),
        ("bbox=0,0,1e1,1", filter, "is not four decimal numbers"),
        ("min_escalation=0.5", filter, ""),
        ("min_escalation=5e-3", filter, ""),
        ("min_escalation=.5", filter, "is not a decimal number"),
        ("min_escalation=1.001", filter, "is out of range"),
        ("min_escalation=inf", filter, "is not a decimal number"),
        ("actor=%C3%A9", filter, ""),
        ("actor=", filter, "is empty or too long"),
        ("actor=a%00b", filter, "has control characters"),
        ("country=UA&country=RU", filter, ""),
        ("country=ua", filter, "is not one of the allowed values"),
        ("country=XX", filter, "is not one of the allowed values"),
    ];
    for (query, read, want) in rows {
        let got = read(query);
        let first = got.first().map_or("", |(_, p)| p.as_str());
        assert_eq!(first, *want, "{query}");
    }
}

#[test]
fn every_problem_is_reported_in_the_order_of_the_parameters() {
    let query = "x=1&until=2026-11-14T00:00:00Z&as_of=now&country=ua&country=UA&country=xx&since=2026-11-15T00:00:00Z\
                 &limit=0&actor=%zz";
    let got = problems::<(Paging, Window, EventFilters, AsOf)>(query);
    let want = [
        ("actor", "is not valid percent-encoded UTF-8"),
        ("limit", "is out of range"),
        ("since", "is not before until"),
        ("country", "is not one of the allowed values"),
        ("country", "is not one of the allowed values"),
        ("as_of", "is not an RFC 3339 time"),
        ("x", "is not a parameter of this resource"),
    ];
    assert_eq!(got, want.map(|(parameter, problem)| (parameter.to_owned(), problem.to_owned())));
}

#[test]
fn a_list_of_values_is_bounded() {
    let query = |count: usize| vec!["country=UA"; count].join("&");
    assert!(problems::<EventFilters>(&query(50)).is_empty());
    assert_eq!(
        problems::<EventFilters>(&query(51)),
        [("country".to_owned(), "is given 51 times".to_owned())]
    );
}

#[test]
fn a_key_sent_by_mistake_is_not_repeated() {
    let got = problems::<NoParameters>("gsi_0123456789_abcdefgh=1");
    assert_eq!(got[0].0, "gsi_0123456789_***");
}
