//! The shipped filter's verdict on single articles: the cases that hand audits found wrong, one line each.

use crate::world::*;
use gsi_events::{EventFilter, judge_articles};

const KREMLIN: Spot = spot(4, "Kremlin, Moskva, Russia", "RU", "RS48", 55.75, 37.62);
const GAZA: Spot = spot(4, "Gaza, Israel (general), Israel", "IL", "IS00", 31.4167, 34.3333);
const TEL_AVIV: Spot = spot(4, "Tel Aviv, Tel Aviv, Israel", "IL", "IS05", 32.07, 34.77);
const WHITE_HOUSE: Spot =
    spot(3, "White House, District of Columbia, United States", "US", "USDC", 38.9, -77.04);
const OHIO: Spot = spot(2, "Ohio, United States", "US", "USOH", 40.4, -82.8);

/// Category and country of a kept article, or the reason why it was dropped.
fn judged(path: &str, code: &str, sides: (&str, &str), spot: Spot) -> String {
    let rows = [row(1, 0, code, sides, spot, &format!("https://www.example.org/{path}"))];
    let verdict = judge_articles(&EventFilter::shipped(), &rows).remove(0).verdict;
    match verdict.report {
        Ok(report) => format!("{} {}", report.category, report.place.country),
        Err(reason) => reason.key().to_owned(),
    }
}

#[test]
fn happenings_are_kept_where_they_were() {
    for (path, code, sides, spot, want) in [
        (
            "world/russian-drones-kill-seven-in-kharkiv-overnight",
            "195",
            ("RUSMIL", "UKR"),
            KREMLIN,
            "kinetic UA",
        ),
        ("world/israeli-airstrikes-kill-dozens-in-gaza-city", "195", ("ISRMIL", "PSE"), GAZA, "kinetic PS"),
        (
            "world/israeli-airstrikes-kill-dozens-in-gaza-city",
            "195",
            ("ISRMIL", "PSE"),
            TEL_AVIV,
            "kinetic PS",
        ),
        ("world/protesters-clash-with-police-in-nairobi", "141", ("OPP", "COP"), NAIROBI, "unrest KE"),
        (
            "africa/rebels-attack-army-base-in-sudan-killing-soldiers",
            "190",
            ("SDNREB", "SDNMIL"),
            EL_FASHER,
            "kinetic SD",
        ),
        (
            "world/us-troops-deployed-to-poland-after-russian-incursion",
            "154",
            ("USAMIL", "POL"),
            WHITE_HOUSE,
            "posture PL",
        ),
    ] {
        assert_eq!(judged(path, code, sides, spot), want, "{path}");
    }
}

#[test]
fn articles_about_something_else_are_dropped() {
    for (path, code, sides, spot) in [
        ("crime/man-sentenced-for-2014-shooting-judge-rules", "173", ("COP", ""), OHIO),
        ("sports/high-school-team-battles-back-to-win-championship", "190", ("CVL", ""), OHIO),
        ("history/remembering-the-battle-of-kharkiv-eighty-years-on", "193", ("RUS", "UKR"), KHARKIV),
        ("opinion/why-the-west-should-not-fear-russian-threats", "138", ("RUS", "USA"), WHITE_HOUSE),
        ("business/supermarkets-in-price-war-as-shares-fall", "163", ("BUS", "CVL"), OHIO),
        ("politics/senator-fights-back-against-budget-plan", "190", ("USAGOV", "USA"), WHITE_HOUSE),
    ] {
        assert_eq!(judged(path, code, sides, spot), "unlikely", "{path}");
    }
}

#[test]
fn seats_of_government_do_not_name_places() {
    let rows = [row(
        1,
        0,
        "195",
        ("RUSMIL", "UKR"),
        KREMLIN,
        "https://a.de/world/russian-drones-kill-seven-in-kharkiv",
    )];
    let verdict = judge_articles(&EventFilter::shipped(), &rows).remove(0).verdict;
    assert_eq!(verdict.report.unwrap().place.name, "Ukraine");
    // Another row of the article has the place itself.
    let address = "https://a.de/world/russian-drones-kill-seven-in-kharkiv";
    let rows = [
        row(1, 0, "195", ("RUSMIL", "UKR"), KREMLIN, address),
        row(2, 0, "195", ("RUSMIL", "UKR"), KHARKIV, address),
    ];
    let report = judge_articles(&EventFilter::shipped(), &rows).remove(0).verdict.report.unwrap();
    assert_eq!((report.row, report.place.name.as_str()), (2, "Kharkiv, Kharkivs'ka Oblast', Ukraine"));
}
