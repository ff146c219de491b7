//! Medians over rounds.

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match (values.len(), values.len() / 2) {
        (0, _) => f64::NAN,
        (count, middle) if count % 2 == 1 => values[middle],
        (_, middle) => (values[middle - 1] + values[middle]) / 2.0,
    }
}

/// Returns the median ratio of the rounds of one server to the rounds of another, each to the round at the same position.
pub fn median_ratio<T>(one: &[T], other: &[T], value: impl Fn(&T) -> f64) -> f64 {
    median(one.iter().zip(other).map(|(one, other)| value(one) / value(other)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_between_two() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 3.0, 2.0]), 2.5);
        assert!(median(Vec::new()).is_nan());
    }

    #[test]
    fn rounds_are_compared_in_order() {
        assert_eq!(median_ratio(&[1.0, 4.0, 9.0], &[1.0, 2.0, 3.0], |v| *v), 2.0);
    }
}
