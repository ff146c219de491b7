//! The measured figures and the required ones.

pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The last third divided by the second, with both.
pub fn ratio_of_thirds([second, last]: [f64; 2]) -> String {
    format!("{:.3} ({second:.1}, then {last:.1})", last / second)
}

pub fn say(what: &str, measured: String, is_met: bool, wanted: &str) {
    let verdict = if is_met { "" } else { "  MISSED" };
    println!("{what:<48} {measured:<34} wanted {wanted}{verdict}");
}
