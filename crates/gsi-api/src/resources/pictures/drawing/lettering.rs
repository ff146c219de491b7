//! Text as outlines. The fonts have printable ASCII and a few signs; other characters are left out.

use tiny_skia::{Path, PathBuilder, Transform};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

#[derive(Clone, Copy, Debug)]
pub enum Weight {
    Regular,
    Bold,
}

impl Weight {
    fn face(self) -> Option<Face<'static>> {
        let bytes: &[u8] = match self {
            Weight::Regular => include_bytes!("font/Inter-Regular.ttf"),
            Weight::Bold => include_bytes!("font/Inter-Bold.ttf"),
        };
        Face::parse(bytes, 0).ok()
    }
}

/// The width of a line of text.
pub(crate) fn text_width(text: &str, weight: Weight, size: f32) -> f32 {
    let Some(face) = weight.face() else { return 0.0 };
    let units: u32 = glyphs(&face, text).map(|(_, advance)| u32::from(advance)).sum();
    units as f32 * size / f32::from(face.units_per_em())
}

/// A line of text whose baseline begins at this point, or `None` when it has no outlines.
pub(crate) fn outline(text: &str, weight: Weight, size: f32, x: f32, y: f32) -> Option<Path> {
    let face = weight.face()?;
    let mut pen = GlyphPen { path: PathBuilder::new(), x: 0.0 };
    for (glyph, advance) in glyphs(&face, text) {
        face.outline_glyph(glyph, &mut pen);
        pen.x += f32::from(advance);
    }
    let scale = size / f32::from(face.units_per_em());
    // The y axis of fonts points up, that of pictures down.
    pen.path.finish()?.transform(Transform::from_row(scale, 0.0, 0.0, -scale, x, y))
}

fn glyphs<'a>(face: &'a Face<'_>, text: &'a str) -> impl Iterator<Item = (GlyphId, u16)> + 'a {
    let known = text.chars().filter_map(|c| face.glyph_index(c));
    known.map(|glyph| (glyph, face.glyph_hor_advance(glyph).unwrap_or(0)))
}

struct GlyphPen {
    path: PathBuilder,
    x: f32,
}

impl OutlineBuilder for GlyphPen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.path.move_to(self.x + x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.path.line_to(self.x + x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.path.quad_to(self.x + x1, y1, self.x + x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.path.cubic_to(self.x + x1, y1, self.x + x2, y2, self.x + x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}
