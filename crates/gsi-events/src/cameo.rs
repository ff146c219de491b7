//! The meaning of a CAMEO event code: its category and the severity of the act.
//!
//! The severity is a judgement per code and not a sum over reports. The Goldstein value in every row is a constant of
//! its code as well, and adding it up would count reports instead of acts.

use crate::parameters::{IntensityParameters, PARAMETERS};
use gsi_model::Category;

/// Category of a code by its two-digit root; `None` outside 13–20.
pub fn category(code: &str) -> Option<Category> {
    match code.get(..2)? {
        "13" => Some(Category::Threat),
        "14" => Some(Category::Unrest),
        "15" => Some(Category::Posture),
        "16" | "17" => Some(Category::Coercion),
        "18" | "19" | "20" => Some(Category::Kinetic),
        _ => None,
    }
}

/// Intensity 0–1 of the act; 0 for a code outside the five categories.
pub fn intensity(code: &str) -> f64 {
    let base = code.get(..3).unwrap_or(code);
    let IntensityParameters { codes, roots } = &PARAMETERS.intensity;
    let root = || code.get(..2).and_then(|root| roots.get(root));
    codes.get(code).or_else(|| codes.get(base)).or_else(root).copied().unwrap_or(0.0)
}

/// The code of an act of which only the category is known.
pub const fn unspecific(category: Category) -> &'static str {
    match category {
        Category::Kinetic => "180",
        Category::Posture => "150",
        Category::Threat => "130",
        Category::Coercion => "170",
        Category::Unrest => "140",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_severity_table() {
        for (codes, category_key, want) in [
            (&["200", "201", "2042", "20"][..], "kinetic", 1.00),
            (&["195", "1951"], "kinetic", 0.95),
            (&["194"], "kinetic", 0.90),
            (&["192"], "kinetic", 0.85),
            (&["190", "193", "196", "183", "1831", "186"], "kinetic", 0.80),
            (&["191"], "kinetic", 0.75),
            (&["185"], "kinetic", 0.65),
            (&["180", "182", "1823", "184"], "kinetic", 0.60),
            (&["181"], "kinetic", 0.55),
            (&["154"], "posture", 0.65),
            (&["152"], "posture", 0.60),
            (&["150", "155"], "posture", 0.55),
            (&["151", "153"], "posture", 0.45),
            (&["1385"], "threat", 0.70),
            (&["138", "1381", "1384"], "threat", 0.55),
            (&["139"], "threat", 0.50),
            (&["130", "1312", "137"], "threat", 0.35),
            (&["175"], "coercion", 0.50),
            (&["170", "171", "1711", "173", "174", "176"], "coercion", 0.45),
            (&["172", "1724"], "coercion", 0.35),
            (&["163"], "coercion", 0.35),
            (&["160", "161", "164", "1661"], "coercion", 0.30),
            (&["145"], "unrest", 0.45),
            (&["140", "141", "1411", "144"], "unrest", 0.25),
        ] {
            for code in codes {
                assert_eq!(category(code).map(Category::key), Some(category_key), "{code}");
                assert_eq!(intensity(code), want, "{code}");
            }
        }
    }

    #[test]
    fn an_unspecific_code_is_of_its_category() {
        for of in Category::ALL {
            assert_eq!(category(unspecific(of)), Some(of));
        }
    }

    #[test]
    fn other_codes_belong_nowhere() {
        for code in ["", "1", "010", "043", "12", "128", "21", "é9"] {
            assert_eq!(category(code), None, "{code}");
            assert_eq!(intensity(code), 0.0, "{code}");
        }
    }
}
