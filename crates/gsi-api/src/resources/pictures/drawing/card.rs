//! The card: 1200 × 630 pixels, the size of link previews.

use super::lettering::{Weight, outline, text_width};
use super::{Colour, GROUND, INK, LINE, MUTED, TEXT, shown_score, shown_time};
use gsi_model::{DataStatus, Snapshot};
use tiny_skia::{FillRule, Paint, Path, PathBuilder, Pixmap, Rect, Transform};

pub const CARD_WIDTH: u32 = 1200;
pub const CARD_HEIGHT: u32 = 630;
/// The margin of the text.
const MARGIN: f32 = 84.0;
/// The stripe in the band's colour on the left.
const STRIPE: f32 = 24.0;
const SCALE_TOP: f32 = 440.0;
const SCALE_HEIGHT: f32 = 20.0;

/// A PNG file. Empty if drawing fails, which it does not with a fixed size.
pub fn card(snapshot: &Snapshot) -> Vec<u8> {
    let Some(pixels) = Pixmap::new(CARD_WIDTH, CARD_HEIGHT) else { return Vec::new() };
    let (width, height) = (CARD_WIDTH as f32, CARD_HEIGHT as f32);
    let mut card = Drawing { pixels };
    let band = Colour::of(snapshot.band);
    card.box_at(0.0, 0.0, width, height, GROUND);
    card.box_at(0.0, 0.0, STRIPE, height, band);

    card.write("Global stability", Weight::Bold, 44.0, MARGIN, 118.0, TEXT);
    let score = shown_score(snapshot);
    card.write(&score, Weight::Bold, 250.0, MARGIN - 12.0, 366.0, band);
    let right_of_score = MARGIN + text_width(&score, Weight::Bold, 250.0) + 36.0;
    card.write(snapshot.band.key(), Weight::Bold, 76.0, right_of_score, 366.0, band);
    card.write("of 100", Weight::Regular, 36.0, right_of_score, 284.0, MUTED);

    card.scale(snapshot.score as f32 / 100.0, band);
    card.write("0 most stable", Weight::Regular, 28.0, MARGIN, SCALE_TOP + 68.0, MUTED);
    let least = "least stable 100";
    let right = width - MARGIN - text_width(least, Weight::Regular, 28.0);
    card.write(least, Weight::Regular, 28.0, right, SCALE_TOP + 68.0, MUTED);

    let mut foot = shown_time(snapshot);
    match snapshot.status {
        DataStatus::Ok => {}
        DataStatus::Degraded => foot.push_str(" · some data are missing"),
        DataStatus::Stale => foot.push_str(" · data are out of date"),
    }
    card.write(&foot, Weight::Regular, 34.0, MARGIN, height - 44.0, TEXT);
    if snapshot.simulated {
        card.label("SIMULATED", width - MARGIN, 82.0);
    }
    card.pixels.encode_png().unwrap_or_default()
}

struct Drawing {
    pixels: Pixmap,
}

impl Drawing {
    fn box_at(&mut self, x: f32, y: f32, width: f32, height: f32, colour: Colour) {
        let rect = Rect::from_xywh(x, y, width, height);
        self.fill(rect.map(PathBuilder::from_rect), colour);
    }

    fn fill(&mut self, path: Option<Path>, colour: Colour) {
        let Some(path) = path else { return };
        let [red, green, blue] = colour.channels();
        let mut paint = Paint::default();
        paint.set_color_rgba8(red, green, blue, 0xff);
        self.pixels.fill_path(&path, &paint, FillRule::Winding, Transform::identity(), None);
    }

    fn write(&mut self, text: &str, weight: Weight, size: f32, x: f32, y: f32, colour: Colour) {
        self.fill(outline(text, weight, size, x, y), colour);
    }

    /// Draws the scale from 0 to 100, filled to `share`, with a mark at the score.
    fn scale(&mut self, share: f32, band: Colour) {
        let length = CARD_WIDTH as f32 - 2.0 * MARGIN;
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        self.box_at(MARGIN, SCALE_TOP, length, SCALE_HEIGHT, LINE);
        self.box_at(MARGIN, SCALE_TOP, length * share, SCALE_HEIGHT, band);
        self.box_at(MARGIN + length * share - 4.0, SCALE_TOP - 12.0, 8.0, SCALE_HEIGHT + 24.0, TEXT);
    }

    /// Draws a warning in a box that ends at `right`.
    fn label(&mut self, words: &str, right: f32, top: f32) {
        let width = text_width(words, Weight::Bold, 32.0) + 40.0;
        self.box_at(right - width, top, width, 56.0, TEXT);
        self.write(words, Weight::Bold, 32.0, right - width + 20.0, top + 40.0, INK);
    }
}
