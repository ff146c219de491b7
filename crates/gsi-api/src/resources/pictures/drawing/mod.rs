//! The score as a picture: a card for previews of links and a badge for other sites, in the colour of its band.

mod badge;
mod card;
mod lettering;

pub use badge::badge;
pub use card::{CARD_HEIGHT, CARD_WIDTH, card};

use crate::representation::Number;
use gsi_model::{Band, Snapshot};

/// Red, green and blue of the page's dark theme. A test compares the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Colour(u32);

const GROUND: Colour = Colour(0x0d1015);
const TEXT: Colour = Colour(0xe9ecf1);
const MUTED: Colour = Colour(0xa2adba);
const LINE: Colour = Colour(0x2b323c);
/// The colour of text on a band's colour. All bands are bright enough for it.
const INK: Colour = Colour(0x12161d);

impl Colour {
    fn of(band: Band) -> Self {
        Colour(match band {
            Band::Calm => 0x5ba3c9,
            Band::Guarded => 0x7d9fab,
            Band::Elevated => 0xd9b44a,
            Band::High => 0xe08540,
            Band::Severe => 0xd9534a,
        })
    }

    fn channels(self) -> [u8; 3] {
        let [_, red, green, blue] = self.0.to_be_bytes();
        [red, green, blue]
    }

    fn css(self) -> String {
        format!("#{:06x}", self.0)
    }
}

/// The score, rounded as in every answer.
fn shown_score(snapshot: &Snapshot) -> String {
    Number::decimals(snapshot.score, 1).as_ref().map_or("", Number::as_str).to_owned()
}

/// `2026-11-14 23:45 UTC`
fn shown_time(snapshot: &Snapshot) -> String {
    let text = snapshot.tick.to_string();
    format!("{} UTC", text.get(..16).unwrap_or(&text).replace('T', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_colours_are_those_of_the_page() {
        let style = include_str!("../../../../../../web/src/style/base.css");
        let dark = |name: &str| {
            let (_, rest) = style.split_once(&format!("--{name}: light-dark(")).unwrap();
            let (_, dark) = rest.split_once(')').unwrap().0.split_once(", ").unwrap();
            dark.to_owned()
        };
        for band in Band::ALL {
            assert_eq!(Colour::of(band).css(), dark(band.key()));
        }
        for (colour, name) in [(GROUND, "bg"), (TEXT, "text"), (MUTED, "muted"), (LINE, "line")] {
            assert_eq!(colour.css(), dark(name));
        }
    }
}
