//! Writes results to stdout. A reader that closes its end early, as `head` does, ends the command without an error. Any other failure
//! to write is reported and ends the command with code 1.

pub(crate) mod logging;
pub(crate) mod request_log;

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};
use std::process::exit;

/// Like `println!`, without its panic when the reader has closed its end.
#[macro_export]
macro_rules! result_line {
    () => { $crate::output::write(format_args!("\n")) };
    ($($text:tt)*) => { $crate::output::write(format_args!("{}\n", format_args!($($text)*))) };
}

/// Like `print!`, without its panic when the reader has closed its end.
#[macro_export]
macro_rules! result_text {
    ($($text:tt)*) => { $crate::output::write(format_args!($($text)*)) };
}

/// Like `eprintln!`, without its panic. A command continues when a notice cannot be written.
#[macro_export]
macro_rules! notice {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($text)*);
    }};
}

pub fn write(text: Arguments<'_>) {
    match std::io::stdout().write_fmt(text) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => exit(0),
        Err(error) => {
            notice!("gsi: cannot write the results: {error}");
            exit(1);
        }
    }
}

/// Writes a table for people. Every column is as wide as its widest cell, except the last one, which is not padded.
pub(crate) fn write_table<const N: usize>(header: [&str; N], rows: &[[String; N]]) {
    let header = header.map(str::to_owned);
    let lines = || std::iter::once(&header).chain(rows);
    let width = |column: usize| lines().map(|line| line[column].chars().count()).max().unwrap_or_default();
    let widths: [usize; N] = std::array::from_fn(width);
    for line in lines() {
        let padded = line.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        result_line!("{}", padded.collect::<Vec<_>>().join("  ").trim_end());
    }
}
