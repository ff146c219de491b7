//! A picture of the years in SVG: the composite on top, the four pillars below, with the crises marked.

use gsi_index::backtest::DailyPoint;
use gsi_model::{Crisis, Day, Pillar};
use std::fmt::Write;

const WIDTH: f64 = 1600.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 96.0;
/// Names of crises are in rows between the title and the first panel.
const NAMES_TOP: f64 = 92.0;
const NAME_ROWS: usize = 6;
const NAME_HEIGHT: f64 = 15.0;
const TOP: f64 = NAMES_TOP + NAME_ROWS as f64 * NAME_HEIGHT + 18.0;
const COMPOSITE_HEIGHT: f64 = 330.0;
const PILLAR_HEIGHT: f64 = 104.0;
const GAP: f64 = 40.0;
/// Approximate width of a letter, to keep neighbouring names apart.
const LETTER: f64 = 6.1;
const INK: &str = "#1d2330";
const SOFT: &str = "#5b6475";
const COLOURS: [(Pillar, &str, &str); 4] = [
    (Pillar::Conflict, "#b2322b", "Conflict"),
    (Pillar::Cyber, "#6a4c93", "Cyber"),
    (Pillar::SupplyChain, "#b7791f", "Supply chain"),
    (Pillar::Macro, "#1f6f8b", "Macro"),
];
/// Background colours of the bands behind the composite.
const BANDS: [(&str, &str); 5] = [
    ("calm", "#eef5f0"),
    ("guarded", "#f6f7f3"),
    ("elevated", "#fdf6e6"),
    ("high", "#fcecdd"),
    ("severe", "#f9e0dc"),
];

struct Frame {
    first: Day,
    last: Day,
}

impl Frame {
    fn x(&self, day: Day) -> f64 {
        let span = f64::from((self.last.0 - self.first.0).max(1));
        LEFT + f64::from(day.0 - self.first.0) / span * (WIDTH - LEFT - RIGHT)
    }

    fn holds(&self, crisis: &Crisis) -> bool {
        crisis.start >= self.first && crisis.start <= self.last
    }
}

/// Draws the whole picture. Days without a score leave a gap in the line.
pub fn history(points: &[DailyPoint], crises: &[Crisis], band_edges: [f64; 4]) -> String {
    let (Some(first), Some(last)) = (points.first().map(|p| p.day), points.last().map(|p| p.day)) else {
        return String::from("<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
    };
    let frame = Frame { first, last };
    let shown: Vec<&Crisis> = crises.iter().filter(|c| frame.holds(c)).collect();
    let height = TOP + COMPOSITE_HEIGHT + 4.0 * (PILLAR_HEIGHT + GAP) + 50.0;
    let mut svg = String::new();
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" width=\"{WIDTH}\" height=\"{height:.0}\" \
         font-family=\"Helvetica, Arial, sans-serif\" fill=\"{INK}\"><title>Global stability, {first} to {last}</title>\
         <rect width=\"{WIDTH}\" height=\"{height:.0}\" fill=\"#ffffff\"/>\
         <text x=\"{LEFT}\" y=\"42\" font-size=\"28\" font-weight=\"600\">Global stability, {} to {}</text>\
         <text x=\"{LEFT}\" y=\"68\" font-size=\"15\" fill=\"{SOFT}\">0 to 100, lower is more stable. Every value is used only \
         from the day it was known. Marked: the first 14 days of {} dated crises; the gravest are named.</text>",
        first.ymd().0,
        last.ymd().0,
        shown.len()
    );
    bands(&mut svg, band_edges);
    panel(&mut svg, &frame, TOP, COMPOSITE_HEIGHT, "Composite", &[0.0, 25.0, 50.0, 75.0, 100.0], true);
    marks(&mut svg, &frame, TOP, COMPOSITE_HEIGHT, &shown, "#6d7789");
    line(&mut svg, TOP, COMPOSITE_HEIGHT, points.iter().map(|p| (frame.x(p.day), p.published)), INK, 1.7);
    names(&mut svg, &frame, &shown);
    for (i, (pillar, colour, title)) in COLOURS.iter().enumerate() {
        let top = TOP + COMPOSITE_HEIGHT + GAP + i as f64 * (PILLAR_HEIGHT + GAP);
        let own: Vec<&Crisis> = shown.iter().filter(|c| c.pillars.contains(pillar)).copied().collect();
        panel(&mut svg, &frame, top, PILLAR_HEIGHT, title, &[0.0, 50.0, 100.0], i == 3);
        marks(&mut svg, &frame, top, PILLAR_HEIGHT, &own, colour);
        let scores = points.iter().map(|p| (frame.x(p.day), p.pillars[pillar.index()]));
        line(&mut svg, top, PILLAR_HEIGHT, scores, colour, 1.1);
    }
    svg.push_str("</svg>\n");
    svg
}

fn y(top: f64, height: f64, score: f64) -> f64 {
    top + height * (1.0 - score / 100.0)
}

fn bands(svg: &mut String, edges: [f64; 4]) {
    let mut from = 0.0;
    for ((name, colour), to) in BANDS.iter().zip(edges.into_iter().chain([100.0])) {
        let (upper, lower) = (y(TOP, COMPOSITE_HEIGHT, to), y(TOP, COMPOSITE_HEIGHT, from));
        let _ = write!(
            svg,
            "<rect x=\"{LEFT}\" y=\"{upper:.1}\" width=\"{}\" height=\"{:.1}\" fill=\"{colour}\"/>\
             <text x=\"{}\" y=\"{:.1}\" font-size=\"13\" fill=\"{SOFT}\">{name}</text>",
            WIDTH - LEFT - RIGHT,
            lower - upper,
            WIDTH - RIGHT + 8.0,
            (upper + lower) / 2.0 + 4.0
        );
        from = to;
    }
}

fn panel(svg: &mut String, frame: &Frame, top: f64, height: f64, title: &str, lines: &[f64], years: bool) {
    for score in lines {
        let at = y(top, height, *score);
        let _ = write!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#dfe3ea\"/><text x=\"{}\" y=\"{:.1}\" \
             font-size=\"12\" text-anchor=\"end\" fill=\"{SOFT}\">{score:.0}</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            at + 4.0
        );
    }
    let _ = write!(
        svg,
        "<text x=\"{LEFT}\" y=\"{:.1}\" font-size=\"16\" font-weight=\"600\">{title}</text>",
        top - 9.0
    );
    let all = frame.first.ymd().0..=frame.last.ymd().0;
    // Over many decades, lines for every year would overlap.
    let every = (all.clone().count() / 20 + 1) as i16;
    for year in all.filter(|y| y % every == 0) {
        let Some(day) = Day::from_ymd(year, 1, 1).filter(|d| *d >= frame.first && *d <= frame.last) else {
            continue;
        };
        let at = frame.x(day);
        let _ = write!(
            svg,
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{top:.1}\" y2=\"{:.1}\" stroke=\"#e9ecf1\"/>",
            top + height
        );
        if years {
            let _ = write!(
                svg,
                "<text x=\"{at:.1}\" y=\"{:.1}\" font-size=\"13\" fill=\"{SOFT}\" text-anchor=\"middle\">{year}</text>",
                top + height + 18.0
            );
        }
    }
}

fn marks(svg: &mut String, frame: &Frame, top: f64, height: f64, crises: &[&Crisis], colour: &str) {
    for crisis in crises {
        let (from, to) = (frame.x(crisis.start), frame.x(crisis.start.plus(14)));
        let _ = write!(
            svg,
            "<rect x=\"{from:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{height:.1}\" fill=\"{colour}\" \
             fill-opacity=\"0.2\"><title>{} ({})</title></rect>",
            (to - from).max(2.0),
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
                let step = if drawing { "L" } else { "M" };
                let _ = write!(path, "{step}{at:.1} {:.1}", y(top, height, score));
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

/// Writes the names of the crises of tier A above the composite, each with a thin line to its mark. A name that fits into no row is
/// left out.
fn names(svg: &mut String, frame: &Frame, crises: &[&Crisis]) {
    let mut named: Vec<&&Crisis> = crises.iter().filter(|c| c.tier == "A").collect();
    named.sort_by_key(|c| c.start);
    let mut row_ends = [f64::MIN; NAME_ROWS];
    for crisis in named {
        let at = frame.x(crisis.start);
        let width = crisis.name.chars().count() as f64 * LETTER;
        let left = (at - 2.0).min(WIDTH - 6.0 - width);
        let Some(row) = (0..NAME_ROWS).find(|r| row_ends[*r] < left) else { continue };
        row_ends[row] = left + width + 12.0;
        let level = NAMES_TOP + (row + 1) as f64 * NAME_HEIGHT;
        let _ = write!(
            svg,
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{:.1}\" y2=\"{TOP:.1}\" stroke=\"#b9c0cc\" stroke-width=\"0.8\"/>\
             <text x=\"{left:.1}\" y=\"{level:.1}\" font-size=\"12\" fill=\"#3b4353\" stroke=\"#ffffff\" stroke-width=\"3\" \
             paint-order=\"stroke\">{}</text>",
            level + 3.0,
            escape(&crisis.name)
        );
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
