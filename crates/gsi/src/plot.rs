//! One picture of the years: the composite on top, the four pillars below, crises marked. Plain SVG, no dependencies.

use gsi_index::backtest::{Crisis, DailyPoint};
use gsi_model::{Day, Pillar};
use std::fmt::Write;

const WIDTH: f64 = 1600.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 30.0;
const TOP: f64 = 110.0;
const COMPOSITE_HEIGHT: f64 = 300.0;
const PILLAR_HEIGHT: f64 = 110.0;
const GAP: f64 = 34.0;
const COLOURS: [(Pillar, &str, &str); 4] = [
    (Pillar::Conflict, "#b2322b", "Conflict"),
    (Pillar::Cyber, "#6a4c93", "Cyber"),
    (Pillar::SupplyChain, "#b7791f", "Supply chain"),
    (Pillar::Macro, "#1f6f8b", "Macro"),
];

/// The whole picture. Days without a score leave a gap in the line.
pub fn history(points: &[DailyPoint], crises: &[Crisis]) -> String {
    let (Some(first), Some(last)) = (points.first().map(|p| p.day), points.last().map(|p| p.day)) else {
        return String::from("<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
    };
    let span = f64::from((last.0 - first.0).max(1));
    let x = |day: Day| LEFT + f64::from(day.0 - first.0) / span * (WIDTH - LEFT - RIGHT);
    let height = TOP + COMPOSITE_HEIGHT + 4.0 * (PILLAR_HEIGHT + GAP) + 60.0;
    let mut svg = String::new();
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" \
         font-family=\"Helvetica, Arial, sans-serif\" fill=\"#1d2330\"><rect width=\"{WIDTH}\" height=\"{height:.0}\" \
         fill=\"#ffffff\"/><text x=\"{LEFT}\" y=\"40\" font-size=\"26\" font-weight=\"600\">Global stability, \
         {first} to {last}</text><text x=\"{LEFT}\" y=\"66\" font-size=\"15\" fill=\"#5b6475\">0 to 100, lower is more \
         stable; every value used only from the day it was known. Shaded: the first 14 days of {} dated crises.</text>",
        crises.iter().filter(|c| c.start >= first && c.start <= last).count()
    );
    let in_view = |c: &&Crisis| c.start >= first && c.start <= last;
    panel(&mut svg, TOP, COMPOSITE_HEIGHT, "Composite", &x, first, last);
    shade(&mut svg, TOP, COMPOSITE_HEIGHT, &x, crises.iter().filter(in_view), "#8892a6");
    line(&mut svg, TOP, COMPOSITE_HEIGHT, points.iter().map(|p| (x(p.day), p.published)), "#1d2330", 1.6);
    name_peaks(&mut svg, points, crises, &x);
    for (i, (pillar, colour, title)) in COLOURS.iter().enumerate() {
        let top = TOP + COMPOSITE_HEIGHT + GAP + i as f64 * (PILLAR_HEIGHT + GAP);
        panel(&mut svg, top, PILLAR_HEIGHT, title, &x, first, last);
        let own = crises.iter().filter(in_view).filter(|c| c.pillars.contains(pillar));
        shade(&mut svg, top, PILLAR_HEIGHT, &x, own, colour);
        line(
            &mut svg,
            top,
            PILLAR_HEIGHT,
            points.iter().map(|p| (x(p.day), p.pillars[pillar.index()])),
            colour,
            1.1,
        );
    }
    svg.push_str("</svg>\n");
    svg
}

fn y(top: f64, height: f64, score: f64) -> f64 {
    top + height * (1.0 - score / 100.0)
}

fn panel(
    svg: &mut String,
    top: f64,
    height: f64,
    title: &str,
    x: &dyn Fn(Day) -> f64,
    first: Day,
    last: Day,
) {
    for score in [0.0, 25.0, 50.0, 75.0, 100.0] {
        let at = y(top, height, score);
        let _ = write!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#e3e6ec\"/><text x=\"{}\" y=\"{:.1}\" \
             font-size=\"11\" text-anchor=\"end\" fill=\"#5b6475\">{score:.0}</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            at + 4.0
        );
    }
    let _ = write!(
        svg,
        "<text x=\"{LEFT}\" y=\"{:.1}\" font-size=\"15\" font-weight=\"600\">{title}</text>",
        top - 8.0
    );
    for year in first.ymd().0..=last.ymd().0 {
        let Some(day) = Day::from_ymd(year, 1, 1).filter(|d| *d >= first && *d <= last) else { continue };
        let at = x(day);
        let _ = write!(
            svg,
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{top:.1}\" y2=\"{:.1}\" stroke=\"#eef0f4\"/><text x=\"{at:.1}\" \
             y=\"{:.1}\" font-size=\"11\" fill=\"#5b6475\" text-anchor=\"middle\">{year}</text>",
            top + height,
            top + height + 15.0
        );
    }
}

fn shade<'a>(
    svg: &mut String,
    top: f64,
    height: f64,
    x: &dyn Fn(Day) -> f64,
    crises: impl Iterator<Item = &'a Crisis>,
    colour: &str,
) {
    for crisis in crises {
        let (from, to) = (x(crisis.start), x(crisis.start.plus(14)));
        let _ = write!(
            svg,
            "<rect x=\"{from:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{height:.1}\" fill=\"{colour}\" \
             fill-opacity=\"0.22\"><title>{} ({})</title></rect>",
            (to - from).max(1.5),
            escape(&crisis.name),
            crisis.start
        );
    }
}

fn line(
    svg: &mut String,
    top: f64,
    height: f64,
    points: impl Iterator<Item = (f64, Option<f64>)>,
    colour: &str,
    width: f64,
) {
    let mut path = String::new();
    let mut drawing = false;
    for (at, score) in points {
        match score {
            Some(score) => {
                let _ =
                    write!(path, "{}{at:.1} {:.1}", if drawing { "L" } else { "M" }, y(top, height, score));
                drawing = true;
            }
            None => drawing = false,
        }
    }
    let _ = write!(
        svg,
        "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"/>"
    );
}

/// Names the crises of the first tier above the composite, in three rows so that neighbours do not collide.
fn name_peaks(svg: &mut String, points: &[DailyPoint], crises: &[Crisis], x: &dyn Fn(Day) -> f64) {
    const ROWS: usize = 4;
    let mut row_ends = [f64::MIN; ROWS];
    let (first, last) = (points[0].day, points[points.len() - 1].day);
    let mut named: Vec<&Crisis> =
        crises.iter().filter(|c| c.tier == "A" && c.start >= first && c.start <= last).collect();
    named.sort_by_key(|c| c.start);
    for crisis in named {
        let at = x(crisis.start);
        let width = crisis.name.chars().count() as f64 * 5.6;
        let Some(row) = (0..ROWS).find(|r| row_ends[*r] < at) else { continue };
        let left = at.min(WIDTH - RIGHT - width);
        row_ends[row] = left + width + 8.0;
        let level = TOP + 14.0 + row as f64 * 14.0;
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{level:.1}\" font-size=\"11\" fill=\"#3b4353\">{}</text>",
            left + 3.0,
            escape(&crisis.name)
        );
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
