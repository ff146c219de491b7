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
