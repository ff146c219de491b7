//! The validation report as a page: measurements, their distance to the targets, and failures.
//!
//! Every figure comes from the given report. The text describes the protocol and its known limits, and must be true for any figures.

use gsi_index::backtest::{Arm, BacktestReport, ListReport, ListSeparation, Separation};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Targets of the method: separation, alert skill, false alarms in a quiet year.
const TARGETS: [(&str, f64, Option<f64>, Option<f64>); 5] = [
    ("conflict", 0.88, Some(0.65), Some(3.0)),
    ("cyber", 0.75, None, None),
    ("supply_chain", 0.90, Some(0.60), Some(1.5)),
    ("macro", 0.95, Some(0.70), Some(1.0)),
    ("composite", 0.88, None, Some(1.5)),
];
/// The minimum for a release.
const FLOORS: [(&str, f64); 4] =
    [("conflict", 0.76), ("supply_chain", 0.79), ("macro", 0.92), ("composite", 0.79)];
/// Maximum share of days on alert.
const DAYS_ON_ALERT: f64 = 0.15;
const DAILY_MOVE: (f64, f64) = (1.0, 3.5);
const TREND_CHANGES: f64 = 1.0;
const WEIGHT_CORRELATION: f64 = 0.95;
const WITHOUT_FEED: (f64, f64, f64) = (2.0, 6.0, 0.90);

pub struct Pages<'a> {
    pub report: &'a BacktestReport,
    /// The report with the optional feeds switched on, if their values are available.
    pub with_options: Option<&'a BacktestReport>,
    /// Every list against both kinds of calm days, if several lists are given.
    pub by_list: &'a [ListReport],
    /// The file name of the picture.
    pub plot: &'a str,
    pub command: &'a str,
}

pub fn page(pages: &Pages<'_>) -> String {
    let mut out = String::new();
    let r = pages.report;
    let _ = write!(
        out,
        "# Validation\n\nPrinted by `{}`; `--report FILE` writes it with its picture.\n\nMethod {} (`{}`), {} to {}, {} dated crises. Every value is used only \
         from the moment it was known. A day is scored at its last tick. Positive: the 14 days from an onset. Left out: 14 \
         days before to 30 days after every crisis. Negative: the rest. Intervals are 95 %, by resampling whole crises and \
         whole calendar quarters (1,000 draws). Parameters were chosen on days before 2020; the days from 2020 on served \
         only to choose between finished variants. Indicators that only live tick by tick, outages, exchange rates, \
         fatalities and disaster alerts have no history to test on here and are not part of these figures.\n\n",
        pages.command,
        r.method_version,
        r.method_digest.get(..12).unwrap_or(&r.method_digest),
        r.from,
        r.to,
        r.crises
    );
    let _ =
        write!(out, "![Composite and pillars over the years, with the crises marked]({})\n\n", pages.plot);
    separation(&mut out, pages);
    onsets(&mut out, r);
    lists(&mut out, pages.by_list);
    tested(&mut out, r);
    distance(&mut out, r);
    arms(&mut out, r);
    alerts(&mut out, r);
    stability(&mut out, r);
    anchors(&mut out, r);
    failures(&mut out, r);
    out
}

fn subjects<'a>(
    pillars: &'a BTreeMap<String, Separation>,
    composite: &'a Separation,
) -> impl Iterator<Item = (&'a str, &'a Separation)> {
    pillars.iter().map(|(name, s)| (name.as_str(), s)).chain([("composite", composite)])
}

fn separation(out: &mut String, pages: &Pages<'_>) {
    let r = pages.report;
    out.push_str("## How well crisis days stand out\n\nArea under the ROC curve; in brackets the interval, then positive and negative days.\n\n");
    let mut head = format!("| | {} to {} |", r.from, r.to);
    let mut rule = String::from("|---|---|");
    for half in &r.halves {
        let _ = write!(head, " {} to {} |", half.from, half.to);
        rule.push_str("---|");
    }
    if pages.with_options.is_some() {
        head.push_str(" with VIX switched on |");
        rule.push_str("---|");
    }
    let _ = writeln!(out, "{head}\n{rule}");
    for (name, whole) in subjects(&r.pillars, &r.composite) {
        let _ = write!(out, "| {name} | {} |", cell(whole));
        for half in &r.halves {
            let part = half.pillars.get(name).unwrap_or(&half.composite);
            let _ = write!(out, " {} |", cell(part));
        }
        if let Some(options) = pages.with_options {
            let _ = write!(out, " {} |", figure(options.pillars.get(name).unwrap_or(&options.composite).auc));
        }
        out.push('\n');
    }
    out.push('\n');
    let notes = subjects(&r.pillars, &r.composite).filter_map(|(name, s)| Some((name, s.note.as_ref()?)));
    for (name, note) in notes {
        let _ = writeln!(out, "- {name}: {note}.");
    }
    out.push('\n');
}

fn onsets(out: &mut String, r: &BacktestReport) {
    out.push_str(
        "## How far an onset stands out from its own year\n\nThe highest day of a crisis' first week, ranked among the highest \
         days of the weeks of the eleven months before it (0.5 is chance; 90 % interval by resampling crises): what a slow drift \
         of the level cannot win.\n\n\
         | | crises | mean rank | in the highest twentieth |\n|---|---|---|---|\n",
    );
    for (name, s) in subjects(&r.pillars, &r.composite) {
        let _ = match &s.onsets {
            Some(o) => writeln!(
                out,
                "| {name} | {} | **{:.3}** [{:.3}, {:.3}] | {:.0} % |",
                o.onsets,
                o.mean,
                o.low,
                o.high,
                100.0 * o.top
            ),
            None => writeln!(out, "| {name} | 0 | - | - |"),
        };
    }
    out.push('\n');
}

fn lists(out: &mut String, lists: &[ListReport]) {
    if lists.is_empty() {
        return;
    }
    out.push_str(
        "## By list and by kind of calm days\n\nThe area again, for every list: against days that are calm by the list itself, \
         and against days that are calm by all lists.\n\n| list | | calm by itself | calm by all |\n|---|---|---|---|\n",
    );
    let cell = |s: Option<&ListSeparation>| match s {
        Some(ListSeparation { auc: Some(auc), lo: Some(lo), hi: Some(hi), positives, negatives }) => {
            format!("{auc:.3} [{lo:.3}, {hi:.3}], {positives} / {negatives}")
        }
        Some(s) => format!("none: {} / {}", s.positives, s.negatives),
        None => "-".into(),
    };
    for list in lists {
        for (subject, own) in &list.own_calm {
            let common = cell(list.common_calm.get(subject));
            let _ = writeln!(
                out,
                "| {}, {} crises | {subject} | {} | {common} |",
                list.name,
                list.crises,
                cell(Some(own))
            );
        }
    }
    out.push('\n');
}

fn distance(out: &mut String, r: &BacktestReport) {
    out.push_str("## Distance to what is wanted\n\n| | AUC | floor | target | missing to target |\n|---|---|---|---|---|\n");
    for (name, target, ..) in TARGETS {
        let auc = r.pillars.get(name).unwrap_or(&r.composite).auc;
        let floor = FLOORS.iter().find(|f| f.0 == name).map(|f| f.1);
        let floor = match (floor, auc) {
            (Some(floor), Some(auc)) if auc < floor => format!("{floor:.2}, **missed**"),
            (Some(floor), _) => format!("{floor:.2}"),
            (None, _) => "none".into(),
        };
        let missing = auc.map_or("not measured".into(), |a| match target - a {
            d if d <= 0.0 => "reached".to_owned(),
            d => format!("{d:.3}"),
        });
        let _ = writeln!(out, "| {name} | {} | {floor} | {target:.2} | {missing} |", figure(auc));
    }
    out.push('\n');
}

fn arms(out: &mut String, r: &BacktestReport) {
    out.push_str(
        "## Against other ways to make one number\n\nThe composite on any crisis. `linear`: arithmetic means. `quadratic`: power \
         2 instead of 4 across the pillars. `correlated`: pillars weighed by their changing correlations, as systemic-stress indices do. \
         `naive_peer`: a fixed base plus capped counts on the nearest inputs. `single_…`: one series alone by its own ten \
         years.\n\n",
    );
    let mut head = format!("| arm | {} to {} |", r.from, r.to);
    let mut rule = String::from("|---|---|");
    for half in &r.halves {
        let _ = write!(head, " {} to {} |", half.from, half.to);
        rule.push_str("---|");
    }
    let _ = writeln!(out, "{head}\n{rule}");
    let mut order: Vec<(&String, &Arm)> = r.arms.iter().collect();
    order.sort_by(|a, b| b.1.composite_auc.unwrap_or(-1.0).total_cmp(&a.1.composite_auc.unwrap_or(-1.0)));
    for (name, arm) in order {
        let _ = write!(out, "| {name} | {} |", arm_cell(Some(arm)));
        for half in &r.halves {
            let _ = write!(out, " {} |", arm_cell(half.arms.get(name)));
        }
        out.push('\n');
    }
    out.push('\n');
}

fn alerts(out: &mut String, r: &BacktestReport) {
    out.push_str(
        "## Alerts\n\nThe rule that the service follows live, here day by day. An alert begins when the unsmoothed score is at its \
         level and has risen by so much above the median of the 45 days before; it ends after days below the level less its \
         release, or with age. The rules were chosen on 2008 to 2019, for at most 15 % of days on alert. A hit is an alert \
         that is on between one day before and seven days after an onset; a lag of -1 means it was on already. Peirce skill \
         is the hit rate minus the share of all days on alert. Cyber is activity, not shown to separate crises, and has no \
         alert.\n\n",
    );
    let spans = [(&r.from, &r.to, &r.pillars, &r.composite)];
    let halves = r.halves.iter().map(|h| (&h.from, &h.to, &h.pillars, &h.composite));
    for (from, to, pillars, composite) in spans.into_iter().chain(halves) {
        let _ = write!(
            out,
            "{from} to {to}:\n\n| | level, rise, quiet days, release, longest | hits | tier A | Peirce (target) | false alarms a quiet year \
             (target) | median lag, days | days on alert |\n|---|---|---|---|---|---|---|---|\n"
        );
        for (name, s) in subjects(pillars, composite) {
            let Some(a) = &s.alerts else { continue };
            let target = TARGETS.iter().find(|t| t.0 == name);
            let wanted = |t: Option<f64>| t.map_or("none".into(), |t| format!("{t:.2}"));
            let _ = writeln!(
                out,
                "| {name} | {}, {}, {}, {}, {} | {} of {} | {} of {} | {} ({}) | {} ({}) | {} | {:.0} % |",
                a.rule.level,
                a.rule.rise,
                a.rule.quiet_days,
                a.rule.release,
                a.rule.longest_days,
                a.hits,
                a.crises,
                a.tier_a_hits,
                a.tier_a,
                figure(a.peirce),
                wanted(target.and_then(|t| t.2)),
                a.false_alarms_per_quiet_year.map_or("-".into(), |v| format!("{v:.1}")),
                wanted(target.and_then(|t| t.3)),
                a.median_lag_days.map_or("-".into(), |v| format!("{v:.0}")),
                100.0 * a.alarm_fraction
            );
        }
        out.push('\n');
    }
}

fn tested(out: &mut String, r: &BacktestReport) {
    out.push_str(
        "## Which part of the live index this tests\n\nThe share of each pillar's live weight whose indicators have a history \
         here. Onsets of coups and crises in coded histories that may not be passed on: [validation-coded.md](validation-coded.md).",
    );
    if r.indicators.iter().any(|key| key == "country_surprise") {
        out.push_str(
            " What lives tick by tick is tested as far as another source has a daily series of the same meaning: \
             `country_surprise` on ICEWS events of 2012 to 2015, as an additional indicator to the weekly index.",
        );
    }
    out.push_str("\n\n| | live weight tested |\n|---|---|\n");
    for (pillar, share) in &r.tested_weight {
        let _ = writeln!(out, "| {pillar} | {:.0} % |", 100.0 * share);
    }
    let _ = write!(out, "\nIndicators in these figures: {}.\n\n", r.indicators.join(", "));
}

fn stability(out: &mut String, r: &BacktestReport) {
    let s = &r.stability;
    let _ = write!(
        out,
        "## Steadiness\n\n| | measured | wanted |\n|---|---|---|\n\
         | daily move of the published score, median | {} | at most {} |\n\
         | the same, 95 % point | {} | at most {} |\n\
         | changes of trend a week | {} | at most {TREND_CHANGES} |\n\
         | rank correlation under other weights (Dirichlet, 100 draws), 5 % point | {} | at least {WEIGHT_CORRELATION} |\n\n",
        figure(s.daily_move_median),
        DAILY_MOVE.0,
        figure(s.daily_move_p95),
        DAILY_MOVE.1,
        figure(s.trend_changes_per_week),
        figure(s.weight_rank_correlation_p5)
    );
    let quantiles: Vec<String> = s.quantiles.iter().map(|(name, v)| format!("{name} {v:.1}")).collect();
    let _ = write!(out, "Levels of the published score: {}.\n\n", quantiles.join(", "));
    let _ = write!(
        out,
        "One feed taken away (wanted: median change at most {}, 95 % point at most {}, within the 90 % band on at least {:.0} % of days):\n\n\
         | without | median change | 95 % point | within the band | composite AUC |\n|---|---|---|---|---|\n",
        WITHOUT_FEED.0,
        WITHOUT_FEED.1,
        100.0 * WITHOUT_FEED.2
    );
    for (feed, w) in &r.without_feed {
        let _ = writeln!(
            out,
            "| {feed} | {} | {} | {} | {} |",
            points(w.median_change),
            points(w.p95_change),
            w.within_band.map_or("-".into(), |v| format!("{:.0} %", 100.0 * v)),
            figure(w.composite_auc)
        );
    }
    out.push('\n');
}

fn anchors(out: &mut String, r: &BacktestReport) {
    out.push_str("## Against independent series\n\nSpearman's rank correlation with series that are no input of the pillar they judge.\n\n| | |\n|---|---|\n");
    for (name, value) in &r.anchors {
        let _ = writeln!(out, "| {name} | {} |", figure(*value));
    }
    out.push('\n');
}

/// Lists every figure that misses its target, and the known reasons.
fn failures(out: &mut String, r: &BacktestReport) {
    let mut misses: Vec<String> = Vec::new();
    for (name, target, peirce, false_alarms) in TARGETS {
        let s = r.pillars.get(name).unwrap_or(&r.composite);
        match s.auc {
            Some(auc) if auc < target => misses.push(format!("{name}: AUC {auc:.3}, wanted {target:.2}")),
            None => misses.push(format!("{name}: not measured")),
            _ => {}
        }
        let Some(a) = &s.alerts else { continue };
        if a.alarm_fraction > DAYS_ON_ALERT {
            misses.push(format!(
                "{name}: {:.0} % of days on alert, wanted at most 15 %",
                100.0 * a.alarm_fraction
            ));
        }
        if let (Some(wanted), Some(got)) = (peirce, a.peirce)
            && got < wanted
        {
            misses.push(format!("{name}: Peirce skill {got:.2}, wanted {wanted:.2}"));
        }
        if let (Some(wanted), Some(got)) = (false_alarms, a.false_alarms_per_quiet_year)
            && got > wanted
        {
            misses.push(format!("{name}: {got:.1} false alarms a quiet year, wanted at most {wanted}"));
        }
        if a.tier_a_hits < a.tier_a {
            misses.push(format!(
                "{name}: {} of {} crises of tier A without an alert",
                a.tier_a - a.tier_a_hits,
                a.tier_a
            ));
        }
    }
    let s = &r.stability;
    for (what, got, most) in [
        ("median daily move", s.daily_move_median, DAILY_MOVE.0),
        ("95 % point of the daily move", s.daily_move_p95, DAILY_MOVE.1),
        ("changes of trend a week", s.trend_changes_per_week, TREND_CHANGES),
    ] {
        if got.is_some_and(|g| g > most) {
            misses.push(format!("{what}: {}, wanted at most {most}", figure(got)));
        }
    }
    if s.weight_rank_correlation_p5.is_some_and(|c| c < WEIGHT_CORRELATION) {
        misses.push(format!(
            "rank correlation under other weights: {}, wanted at least {WEIGHT_CORRELATION}",
            figure(s.weight_rank_correlation_p5)
        ));
    }
    for (feed, w) in &r.without_feed {
        let over = w.median_change.is_some_and(|m| m > WITHOUT_FEED.0)
            || w.p95_change.is_some_and(|p| p > WITHOUT_FEED.1)
            || w.within_band.is_some_and(|b| b < WITHOUT_FEED.2);
        if over {
            misses.push(format!("without {feed} the score moves more than wanted"));
        }
    }
    let ours = r.arms.get("ours").and_then(|a| a.composite_auc);
    for (name, arm) in r.arms.iter().filter(|(n, _)| !n.starts_with("ours")) {
        if arm.composite_auc > ours {
            misses.push(format!(
                "the arm {name} separates better than ours ({} against {})",
                figure(arm.composite_auc),
                figure(ours)
            ));
        }
    }
    out.push_str("## What fails\n\n");
    if misses.is_empty() {
        out.push_str("Nothing that is wanted is missed on this span.\n\n");
    }
    for miss in &misses {
        let _ = writeln!(out, "- {miss}");
    }
    out.push_str(WHY);
}

const WHY: &str = "
What is known about why, and what would close it:

- **Conflict** rests here on weekly releases of newspaper counts; a war that begins on a Thursday is seen the following
  Monday. Coded news every quarter of an hour is in the live index for this. The only available history of it is a sparse
  sample of four years that may not be passed on (ICEWS); judged with it, it separates coups and crises the public forgot
  rather than those of this list. Slow crises (a siege, a coup
  that drags on) have no onset that any daily series shows.
- **Supply chain**: the shipping feed is nine days late and begins in 2019, and a blocked canal moves neither oil nor the
  monthly index within two weeks. News of closures carries the first week live and is not tested here.
- **Cyber** is activity, not shown to separate crises: it has no long, stable, open anchor, and exploit repositories and
  advisories follow their publishers' effort as much as attacks. It weighs least and has no alert.
- **Composite**: a crisis in one pillar has three calm ones next to it. Power 4 lets it speak louder than a quadratic mean does,
  and a maximum would let it speak alone, and every noise with it: the composite says how much the world as a whole is under
  stress, the pillars say where. From 2020 on there are few calm days left to compare with, and the interval says so.
- **One feed taken away**: conflict without its newspaper index, and supply chain without oil, lose most of what history
  there is to test on. Live, other feeds of the same pillar carry on; coverage and the band say what is missing.
- **Correlation with level anchors** is traded for onset detection: departures from the recent past find the day a crisis
  begins and fade while it lasts.
";

fn cell(s: &Separation) -> String {
    match (s.auc, s.lo, s.hi) {
        (Some(auc), Some(lo), Some(hi)) => {
            format!("**{auc:.3}** [{lo:.3}, {hi:.3}], {} / {}", s.positives, s.negatives)
        }
        _ => format!("none: {} / {}", s.positives, s.negatives),
    }
}

fn arm_cell(arm: Option<&Arm>) -> String {
    match arm {
        Some(Arm { composite_auc: Some(auc), lo: Some(lo), hi: Some(hi) }) => {
            format!("{auc:.3} [{lo:.3}, {hi:.3}]")
        }
        _ => "-".into(),
    }
}

fn figure(value: Option<f64>) -> String {
    value.map_or("-".into(), |v| format!("{v:.3}"))
}

fn points(value: Option<f64>) -> String {
    value.map_or("-".into(), |v| format!("{v:.1}"))
}
