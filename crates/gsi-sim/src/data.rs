//! Readers of the tables that are compiled in from `data/`.

use serde::de::DeserializeOwned;
use std::str::FromStr;

/// Parses a TOML table. The file is part of the program and tests read every one, so a mistake in it is a bug.
pub fn parse<T: DeserializeOwned>(name: &str, text: &str) -> T {
    toml::from_str(text).unwrap_or_else(|error| panic!("data/{name}: {error}"))
}

/// Splits a table of tab-separated lines into its cells.
pub fn lines(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    text.lines().map(|line| line.split('\t').collect())
}

/// Reads consecutive cells as numbers.
pub fn numbers<const N: usize>(cells: &[&str]) -> [f64; N] {
    std::array::from_fn(|i| number(cells[i]))
}

/// Reads a number of a compiled-in table.
pub fn number<T: FromStr<Err: std::fmt::Display>>(cell: &str) -> T {
    cell.parse().unwrap_or_else(|error| panic!("\"{cell}\" in a table of data/: {error}"))
}
