//! The caller: wrk with 64 connections that never rest, on a separate core.

use super::server::{CALLERS_CORE, on_core};
use anyhow::{Context, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

/// Requests that are formatted in advance. Divisible by the numbers of paths, keys and conditions.
const REQUESTS: u32 = 840;

/// What one round measured.
#[derive(Debug)]
pub struct CallerRound {
    pub requests_per_second: f64,
    pub p99_microseconds: f64,
}

/// A script for wrk that makes the requests.
pub struct Caller<'a> {
    script: PathBuf,
    keys: &'a [String],
}

impl<'a> Caller<'a> {
    /// Three resources in turn, the keys in turn on each connection, a header that changes, and every other request conditional with
    /// a tag that does not match. The requests are formatted in advance, so that the caller costs little.
    pub fn mixed(folder: &Path, paths: [&str; 3], keys: &'a [String]) -> anyhow::Result<Self> {
        let script = folder.join("mixed.lua");
        fs::write(&script, mixed_script(paths, keys.len()))?;
        Ok(Caller { script, keys })
    }

    pub fn call(&self, port: u16, seconds: u32) -> anyhow::Result<CallerRound> {
        let done = on_core(CALLERS_CORE, "wrk")
            .args(["-t1", "-c64", &format!("-d{seconds}s"), "--latency", "-s"])
            .arg(&self.script)
            .args([&format!("http://127.0.0.1:{port}"), "--"])
            .args(self.keys)
            .output()
            .context("cannot run wrk")?;
        let requests_per_second = successful_rate(&done)?;
        let printed = String::from_utf8_lossy(&done.stdout);
        let p99_microseconds = microseconds(word_after(&printed, "99%")?)?;
        Ok(CallerRound { requests_per_second, p99_microseconds })
    }
}

/// Returns the requests a second that wrk printed. Fails unless all of them succeeded.
fn successful_rate(wrk: &Output) -> anyhow::Result<f64> {
    let printed = String::from_utf8_lossy(&wrk.stdout);
    if !wrk.status.success() || printed.contains("Non-2xx") || printed.contains("Socket errors") {
        bail!("requests failed: {printed}{}", String::from_utf8_lossy(&wrk.stderr));
    }
    Ok(word_after(&printed, "Requests/sec:")?.parse()?)
}

/// Returns the word after a label at the beginning of a line. `99%` is also the end of other numbers.
fn word_after<'t>(text: &'t str, label: &str) -> anyhow::Result<&'t str> {
    let rest = text.lines().find_map(|line| line.trim_start().strip_prefix(label));
    rest.and_then(|rest| rest.split_whitespace().next()).with_context(|| format!("no {label} in: {text}"))
}

fn mixed_script(paths: [&str; 3], keys: usize) -> String {
    let [first, second, third] = paths;
    format!(
        "local texts, n = {{}}, 0\n\
         function init(keys)\n\
             local paths = {{'{first}', '{second}', '{third}'}}\n\
             for turn = 0, {REQUESTS} - 1 do\n\
                 local headers = {{['Authorization'] = 'Bearer ' .. keys[turn % {keys} + 1], ['X-Turn'] = tostring(turn)}}\n\
                 if turn % 2 == 1 then headers['If-None-Match'] = '\"0123456789abcdef' .. turn .. '\"' end\n\
                 texts[turn] = wrk.format('GET', paths[turn % 3 + 1], headers)\n\
             end\n\
         end\n\
         function request() n = (n + 1) % {REQUESTS}; return texts[n] end\n"
    )
}

/// Parses a time as wrk prints it: `812.00us`, `1.31ms`, `2.00s`.
fn microseconds(text: &str) -> anyhow::Result<f64> {
    let (number, factor) = match text {
        text if text.ends_with("us") => (text.trim_end_matches("us"), 1.0),
        text if text.ends_with("ms") => (text.trim_end_matches("ms"), 1e3),
        text => (text.strip_suffix('s').with_context(|| format!("not a time: {text}"))?, 1e6),
    };
    Ok(number.parse::<f64>()? * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_begins_its_line() {
        let printed =
            "    Latency     1.1ms    2.2ms  30.0ms   95.99%\n    Req/Sec    1.0\n     99%    4.40ms\n";
        assert_eq!(word_after(printed, "99%").unwrap(), "4.40ms");
        assert!(word_after(printed, "Requests/sec:").is_err());
    }

    #[test]
    fn times_are_read_in_every_unit() {
        for (text, expected) in [("812.00us", 812.0), ("1.50ms", 1500.0), ("2.00s", 2_000_000.0)] {
            assert_eq!(microseconds(text).unwrap(), expected);
        }
        assert!(microseconds("3").is_err() && microseconds("xs").is_err());
    }
}
