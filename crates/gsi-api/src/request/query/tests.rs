use super::*;

fn problems(query: &str, read: impl FnOnce(&mut QueryReader)) -> Vec<(String, String)> {
    let mut q = QueryReader::parse(Some(query));
    read(&mut q);
    match q.finish() {
        Ok(()) => Vec::new(),
        Err(refusal) => refusal.errors.into_iter().map(|e| (e.parameter, e.problem)).collect(),
    }
}

#[test]
fn values_are_read_strictly() {
    type Read = fn(&mut QueryReader);
    let limit: Read = |q| _ = q.limit();
    let time: Read = |q| _ = q.time("since", "");
    let bbox: Read = |q| _ = q.bbox();
    let min: Read = |q| _ = q.min_escalation();
    let actor: Read = |q| drop(q.actor());
    let country: Read = |q| drop(q.countries());
    let rows: &[(&str, Read, &str)] = &[
        ("limit=1", limit, ""),
        ("limit=200", limit, ""),
        ("", limit, ""),
        ("limit=0", limit, "is out of range"),
        ("limit=201", limit, "is out of range"),
        ("limit=", limit, "is not a whole number"),
        ("limit=1e2", limit, "is not a whole number"),
        ("limit=%2B5", limit, "is not a whole number"),
        ("limit=5&limit=5", limit, "is given 2 times"),
        ("limit=%zz", limit, "is not valid percent-encoded UTF-8"),
        ("limit=%ff", limit, "is not valid percent-encoded UTF-8"),
        ("limit=%4", limit, "is not valid percent-encoded UTF-8"),
        ("Limit=5", limit, "is not a parameter of this resource"),
        ("since=2026-11-14T23:45:00Z", time, ""),
        ("since=2026-11-14T23:45:00%2B01:00", time, ""),
        ("since=2026-11-14T23:45:00+01:00", time, "is not an RFC 3339 time"),
        ("since=2026-11-14", time, "is not an RFC 3339 time"),
        ("bbox=-10,-20,10,20.5", bbox, ""),
        ("bbox=170,-20,-170,20", bbox, ""),
        ("bbox=0,20,10,-20", bbox, "has south above north"),
        ("bbox=0,0,181,1", bbox, "is out of range"),
        ("bbox=0,00,1,1", bbox, "is not four decimal numbers"),
        ("bbox=0,0,1", bbox, "is not four decimal numbers"),
        ("bbox=0,0,1,nan", bbox, "is not four decimal numbers"),
        ("bbox=0,0,1e1,1", bbox, "is not four decimal numbers"),
        ("min_escalation=0.5", min, ""),
        ("min_escalation=5e-3", min, ""),
        ("min_escalation=.5", min, "is not a decimal number"),
        ("min_escalation=1.001", min, "is out of range"),
        ("min_escalation=inf", min, "is not a decimal number"),
        ("actor=%C3%A9", actor, ""),
        ("actor=", actor, "is empty or too long"),
        ("actor=a%00b", actor, "has control characters"),
        ("country=UA&country=RU", country, ""),
        ("country=ua", country, "is not one of the allowed values"),
        ("country=XX", country, "is not one of the allowed values"),
    ];
    for (query, read, want) in rows {
        let got = problems(query, read);
        let first = got.first().map_or("", |(_, p)| p.as_str());
        assert_eq!(first, *want, "{query}");
    }
}

#[test]
fn a_key_sent_by_mistake_is_not_repeated() {
    let got = problems("gsi_0123456789_abcdefgh=1", |_| {});
    assert_eq!(got[0].0, "gsi_0123456789_***");
}
