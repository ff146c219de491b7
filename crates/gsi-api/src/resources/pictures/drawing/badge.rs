//! The badge: a line of SVG for other sites.

use super::lettering::{Weight, text_width};
use super::{Colour, INK, LINE, TEXT, shown_score, shown_time};
use gsi_model::Snapshot;

const HEIGHT: u32 = 20;
const SIZE: f32 = 11.0;
/// The space on both sides of the text.
const PADDING: f32 = 7.0;
const NAME: &str = "global stability";

/// The text comes from closed vocabularies and numbers, so nothing needs escaping.
pub fn badge(snapshot: &Snapshot) -> String {
    let world = if snapshot.simulated { " (simulated)" } else { "" };
    let value = format!("{} {}{world}", shown_score(snapshot), snapshot.band.key());
    let title = format!("{NAME}: {value}, {}", shown_time(snapshot));
    let (name_length, value_length) =
        (text_width(NAME, Weight::Regular, SIZE), text_width(&value, Weight::Bold, SIZE));
    let (left, right) = (name_length + 2.0 * PADDING, value_length + 2.0 * PADDING);
    let width = left + right;
    let value_at = left + PADDING;
    let (dark, light, ink, band) = (LINE.css(), TEXT.css(), INK.css(), Colour::of(snapshot.band).css());
    // The lengths hold for every font that a browser may use.
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.1}\" height=\"{HEIGHT}\" role=\"img\" aria-label=\"{title}\">\
         <title>{title}</title>\
         <rect width=\"{width:.1}\" height=\"{HEIGHT}\" rx=\"3\" fill=\"{dark}\"/>\
         <path d=\"M{left:.1} 0h{inner:.1}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{inner:.1}z\" fill=\"{band}\"/>\
         <g font-family=\"Inter,Verdana,DejaVu Sans,sans-serif\" font-size=\"{SIZE}\" lengthAdjust=\"spacingAndGlyphs\">\
         <text x=\"{PADDING}\" y=\"14\" textLength=\"{name_length:.1}\" fill=\"{light}\">{NAME}</text>\
         <text x=\"{value_at:.1}\" y=\"14\" textLength=\"{value_length:.1}\" font-weight=\"700\" fill=\"{ink}\">{value}</text>\
         </g></svg>\n",
        inner = right - 3.0,
    )
}
