//! The method's reference arithmetic, to nine decimals: from the published vectors where the file exists, and always
//! from a few copied by hand.

use crate::catalogue::{Catalogue, Formula, Indicator, Scale};
use crate::composite::attribution::{
    PillarSquare, Step, WeightedScore, change_in_composite, level_in_composite,
};
use crate::composite::compose::{Composed, IndicatorInput, compose};
use crate::{
    Method, Power, Prior, PriorKind, Rarity, Sample, SampleWorth, freshness, jackknife, score_from_survival,
};
use gsi_model::Pillar;
use serde_json::Value;
use std::ops::Range;
use std::path::Path;

const TOLERANCE: f64 = 1e-9;
const RARITY: Rarity = Rarity {
    tail_shape: 0.2,
    tail_quantile: 0.98,
    tail_sample: 250,
    prior_strength: 180.0,
    news_prior_strength: 730.0,
};

/// (pillar weight, [(weight, freshness, score)]).
type Example = [(f64, Vec<(f64, f64, f64)>); 4];

fn before() -> Example {
    [
        (0.30, vec![(0.5, 1.0, 30.0), (0.3, 1.0, 45.0), (0.2, 1.0, 20.0)]),
        (0.20, vec![(0.6, 1.0, 25.0), (0.4, 1.0, 35.0)]),
        (0.20, vec![(0.7, 1.0, 40.0), (0.3, 1.0, 28.0)]),
        (0.30, vec![(0.5, 1.0, 29.0), (0.5, 1.0, 33.0)]),
    ]
}

fn after() -> Example {
    [
        (0.30, vec![(0.5, 1.0, 70.0), (0.3, 1.0, 60.0), (0.2, 0.0, 20.0)]),
        (0.20, vec![(0.6, 1.0, 25.0), (0.4, 0.5, 35.0)]),
        (0.20, vec![(0.7, 1.0, 55.0), (0.3, 1.0, 28.0)]),
        (0.30, vec![(0.5, 1.0, 48.0), (0.5, 1.0, 33.0)]),
    ]
}

fn method_of(example: &Example) -> Method {
    let mut catalogue = Catalogue::parse(Method::default_text()).unwrap();
    // The published vectors use the quadratic mean.
    catalogue.parameters.composite_power = Power::Two;
    let template = catalogue.indicators[0].clone();
    catalogue.indicators.clear();
    for (pillar, (weight, parts)) in Pillar::ALL.into_iter().zip(example) {
        catalogue.pillars.insert(pillar.key().to_owned(), *weight);
        for (n, (weight, ..)) in parts.iter().enumerate() {
            catalogue.indicators.push(Indicator {
                key: format!("part_{n}"),
                pillar,
                weight: *weight,
                formula: Formula::Level {
                    series: format!("{pillar}.{n}"),
                    scale: Scale::Linear,
                    half_life_periods: 0.0,
                },
                ..template.clone()
            });
        }
    }
    Method::from_catalogue(catalogue, &|_| true).unwrap()
}

struct Worked {
    composed: Composed,
    /// Every part with the pillar it belongs to.
    parts: Vec<(WeightedScore, PillarSquare)>,
}

fn work(example: &Example) -> Worked {
    let method = method_of(example);
    let mut from = 0;
    let slices: [Range<usize>; 4] = [0, 1, 2, 3].map(|k| {
        let range = from..from + example[k].1.len();
        from = range.end;
        range
    });
    let inputs: Vec<IndicatorInput> = example
        .iter()
        .flat_map(|(_, parts)| parts)
        .map(|(w, f, x)| IndicatorInput { score: Some(*x), effective: w * f, current: 1.0 })
        .collect();
    let composed = compose(&method, &slices, &inputs);
    let composite = composed.composite.as_ref().unwrap();
    let parts = (0..4).flat_map(|k| {
        let whole = PillarSquare {
            weight: composite.weights[k],
            square: composed.pillars[k].score.map_or(0.0, |score| score * score),
        };
        let members = composed.pillars[k].weights.iter().zip(&inputs[slices[k].clone()]);
        members.map(move |(weight, b)| (WeightedScore { weight: *weight, score: b.score.unwrap() }, whole))
    });
    let parts = parts.collect();
    Worked { composed, parts }
}

fn close(got: f64, want: f64, what: &str) {
    assert!((got - want).abs() <= TOLERANCE, "{what}: {got} is not {want}");
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        Value::Number(n) => n.as_f64().into_iter().collect(),
        _ => Vec::new(),
    }
}

fn check_composite(worked: &Worked, want: &Value, what: &str) {
    let composite = worked.composed.composite.as_ref().unwrap();
    close(composite.score, want["S"].as_f64().unwrap(), what);
    let contributions = worked
        .parts
        .iter()
        .map(|(part, pillar)| level_in_composite(Power::Two, *part, *pillar, composite.score));
    let pairs = [
        (worked.composed.pillars.iter().filter_map(|p| p.score).collect::<Vec<_>>(), "pillars"),
        (worked.composed.pillars.iter().map(|p| p.coverage).collect(), "coverage"),
        (composite.weights.to_vec(), "W"),
        (contributions.collect(), "contrib"),
    ];
    for (got, field) in pairs {
        let expected = numbers(&want[field]);
        assert_eq!(got.len(), expected.len(), "{what} {field}");
        got.iter().zip(&expected).for_each(|(g, w)| close(*g, *w, &format!("{what} {field}")));
    }
}

#[test]
fn published_vectors() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/design/method_vectors.json");
    let Ok(text) = std::fs::read_to_string(path) else {
        println!("skipped: no published vectors");
        return;
    };
    let vectors: Value = serde_json::from_str(&text).unwrap();
    // Published figures rounded to fewer decimals than the tolerance are compared at that precision.
    let rounded = |x: f64, decimals: i32| (x * 10f64.powi(decimals)).round() / 10f64.powi(decimals);
    for (p, want) in vectors["score_from_p"].as_object().unwrap() {
        let got = rounded(score_from_survival(p.parse().unwrap()), 6);
        close(got, want.as_f64().unwrap(), p);
    }
    let sample = Sample::new((1..=1000).map(f64::from).collect(), &RARITY);
    for (x, want) in vectors["surv_emp_1..1000"].as_object().unwrap() {
        close(sample.survival(x.parse().unwrap()), want.as_f64().unwrap(), x);
    }
    let prior = Prior { median: 10.0, q95: 40.0, kind: PriorKind::Lognormal };
    for (x, want) in vectors["prior_logn_m10_q95_40"].as_object().unwrap() {
        close(prior.survival(x.parse().unwrap()), want.as_f64().unwrap(), x);
    }
    let ninety = Sample::new((1..=90).map(f64::from).collect(), &RARITY);
    close(
        RARITY.survival(&ninety, SampleWorth::DAILY, &prior, 40.0),
        vectors["blend_n90"]["p"].as_f64().unwrap(),
        "blend",
    );
    for (name, age, cadence, lag) in [
        ("daily_age30h_lag6", 30.0, 24.0, 6.0),
        ("daily_age54h", 54.0, 24.0, 6.0),
        ("15m_age2h", 2.0, 0.25, 0.25),
        ("monthly_age40d", 960.0, 744.0, 168.0),
        ("monthly_age70d", 1680.0, 744.0, 168.0),
    ] {
        close(freshness(age, cadence, lag), vectors["freshness"][name].as_f64().unwrap(), name);
    }
    let (zero, one) = (work(&before()), work(&after()));
    check_composite(&zero, &vectors["composite_0"], "composite_0");
    check_composite(&one, &vectors["composite_1"], "composite_1");
    let (data, coverage) = changes(&zero, &one);
    for (got, field) in [(data, "data"), (coverage, "coverage")] {
        let want = numbers(&vectors["delta"][field]);
        got.iter().zip(&want).for_each(|(g, w)| close(*g, *w, field));
    }
    let parts: Vec<(f64, f64)> = [30.0, 40.0, 50.0, 60.0, 80.0].map(|x| (0.2, x)).to_vec();
    close(jackknife(&parts).unwrap(), vectors["jack"]["se"].as_f64().unwrap(), "jack");
}

fn changes(zero: &Worked, one: &Worked) -> (Vec<f64>, Vec<f64>) {
    let score = |w: &Worked| w.composed.composite.as_ref().unwrap().score;
    let composite = Step { before: score(zero), after: score(one) };
    let each = zero.parts.iter().zip(&one.parts);
    each.map(|(p0, p1)| {
        let part = Step { before: p0.0, after: p1.0 };
        let pillar = Step { before: p0.1, after: p1.1 };
        let change = change_in_composite(Power::Two, part, pillar, composite);
        (change.data, change.coverage)
    })
    .unzip()
}

#[test]
fn a_worked_example_copied_by_hand() {
    let (zero, one) = (work(&before()), work(&after()));
    let score = |w: &Worked| w.composed.composite.as_ref().unwrap().score;
    close(score(&zero), 32.78398999511804, "before");
    close(score(&one), 49.58064138350773, "after");
    for (k, want) in
        [66.42665127793211, 27.83882181415011, 48.50463895340321, 41.188590653237945].iter().enumerate()
    {
        close(one.composed.pillars[k].score.unwrap(), *want, "pillar after");
    }
    let (data, coverage) = changes(&zero, &one);
    close(data[0], 8.195265233411432, "data");
    close(coverage[0], 1.320348287605175, "coverage");
    close(data.iter().chain(&coverage).sum(), 16.79665138838969, "sum");
}
