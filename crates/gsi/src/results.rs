//! Results on stdout. A reader that has seen enough, as `head` has after ten lines, ends the command quietly; anything else
//! that keeps results from being written is said and is a failure.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};
use std::process::exit;

/// As `println!`, without its panic when nobody reads any more.
macro_rules! result_line {
    () => { crate::results::write(format_args!("\n")) };
    ($($text:tt)*) => { crate::results::write(format_args!("{}\n", format_args!($($text)*))) };
}
/// The same without a line end.
macro_rules! result_text {
    ($($text:tt)*) => { crate::results::write(format_args!($($text)*)) };
}
/// As `eprintln!`, without its panic: what is said beside the results is never worth ending for.
macro_rules! notice {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($text)*);
    }};
}
pub(crate) use {notice, result_line, result_text};

pub fn write(text: Arguments<'_>) {
    match std::io::stdout().write_fmt(text) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => exit(0),
        Err(error) => {
            notice!("gsi: the results cannot be written: {error}");
            exit(1);
        }
    }
}

/// A list for people: every column as wide as its widest cell, but the last, which is as it comes.
pub fn write_table<const N: usize>(header: [&str; N], rows: &[[String; N]]) {
    let header = header.map(str::to_owned);
    let lines = || std::iter::once(&header).chain(rows);
    let width = |column: usize| lines().map(|line| line[column].chars().count()).max().unwrap_or_default();
    let widths: [usize; N] = std::array::from_fn(width);
    for line in lines() {
        let padded = line.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        result_line!("{}", padded.collect::<Vec<_>>().join("  ").trim_end());
    }
}
