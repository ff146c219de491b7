//! wrk with 64 connections that never rest, on a core of its own.

use super::server::{CALLERS_CORE, Server, on_core};
use anyhow::{Context, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

/// What one round showed.
#[derive(Debug)]
pub struct CallerRound {
    pub requests_per_second: f64,
    pub p99_microseconds: f64,
    /// The server's processor time of one request.
    pub cpu_microseconds: f64,
}

/// How requests are made, as a script for wrk.
pub struct Caller<'a> {
    script: PathBuf,
    keys: &'a [String],
}

impl<'a> Caller<'a> {
    /// Three resources in turn, four keys in turn on each connection, a header that changes, and every other request
    /// conditional with a tag that does not match. The texts are made beforehand, so that the caller costs little.
    pub fn mixed(folder: &Path, paths: [&str; 3], keys: &'a [String]) -> anyhow::Result<Self> {
        Self::write(folder, "mixed", &mixed(paths, ""), keys)
    }

    /// The same, but with something to do before each request: its processor then never rests, and waking it, which is
    /// dear on a virtual machine, is no part of what a request costs the server.
    pub fn busy(folder: &Path, paths: [&str; 3], keys: &'a [String]) -> anyhow::Result<Self> {
        let work = "for _ = 1, 300 do work = (work * 31 + n) % 1000003 end";
        Self::write(folder, "busy", &mixed(paths, work), keys)
    }

    /// The same request over and over, as one program that polls; without a key where that is what is asked.
    pub fn alike(folder: &Path, name: &str, path: &str, keys: &'a [String]) -> anyhow::Result<Self> {
        let headers = if keys.is_empty() { "{}" } else { "{['Authorization'] = 'Bearer ' .. keys[1]}" };
        let script = format!(
            "local text\n\
             function init(keys) text = wrk.format('GET', '{path}', {headers}) end\n\
             function request() return text end\n"
        );
        Self::write(folder, name, &script, keys)
    }

    fn write(folder: &Path, name: &str, script: &str, keys: &'a [String]) -> anyhow::Result<Self> {
        let path = folder.join(format!("{name}.lua"));
        fs::write(&path, script)?;
        Ok(Caller { script: path, keys })
    }

    pub fn call(&self, server: &Server, port: u16, seconds: u32) -> anyhow::Result<CallerRound> {
        let before = server.cpu_time()?;
        let done = on_core(CALLERS_CORE, "wrk")
            .args(["-t1", "-c64", &format!("-d{seconds}s"), "--latency", "-s"])
            .arg(&self.script)
            .args([&format!("http://127.0.0.1:{port}"), "--"])
            .args(self.keys)
            .output()
            .context("cannot run wrk")?;
        let cpu = server.cpu_time()?.saturating_sub(before);
        let requests_per_second = rate_of(&done)?;
        let said = String::from_utf8_lossy(&done.stdout);
        let requests = said.lines().find_map(|line| line.split_once(" requests in ")).context("no count")?.0;
        Ok(CallerRound {
            requests_per_second,
            p99_microseconds: microseconds(word_after(&said, "99%")?)?,
            cpu_microseconds: cpu.as_secs_f64() * 1e6 / requests.trim().parse::<f64>()?,
        })
    }
}

/// Requests a second, of what wrk printed, if all of them were answered with what was asked for.
pub fn rate_of(wrk: &Output) -> anyhow::Result<f64> {
    let said = String::from_utf8_lossy(&wrk.stdout);
    if !wrk.status.success() || said.contains("Non-2xx") || said.contains("Socket errors") {
        bail!("requests failed: {said}{}", String::from_utf8_lossy(&wrk.stderr));
    }
    Ok(word_after(&said, "Requests/sec:")?.parse()?)
}

/// What stands beside a label at the beginning of a line: `99%` is also the end of other numbers.
fn word_after<'t>(text: &'t str, label: &str) -> anyhow::Result<&'t str> {
    let beside = text.lines().find_map(|line| line.trim_start().strip_prefix(label));
    beside.and_then(|rest| rest.split_whitespace().next()).with_context(|| format!("no {label} in: {text}"))
}

fn mixed(paths: [&str; 3], work: &str) -> String {
    let [first, second, third] = paths;
    format!(
        "local texts, n, work = {{}}, 0, 0\n\
         function init(keys)\n\
             local paths = {{'{first}', '{second}', '{third}'}}\n\
             for turn = 0, 839 do\n\
                 local headers = {{['Authorization'] = 'Bearer ' .. keys[turn % 4 + 1], ['X-Turn'] = tostring(turn)}}\n\
                 if turn % 2 == 1 then headers['If-None-Match'] = '\"0123456789abcdef' .. turn .. '\"' end\n\
                 texts[turn] = wrk.format('GET', paths[turn % 3 + 1], headers)\n\
             end\n\
         end\n\
         function request() {work} n = (n + 1) % 840; return texts[n] end\n"
    )
}

/// Of a time as wrk writes it: `812.00us`, `1.31ms`, `2.00s`.
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
        let said =
            "    Latency     1.1ms    2.2ms  30.0ms   95.99%\n    Req/Sec    1.0\n     99%    4.40ms\n";
        assert_eq!(word_after(said, "99%").unwrap(), "4.40ms");
        assert!(word_after(said, "Requests/sec:").is_err());
    }

    #[test]
    fn times_are_read_in_every_unit() {
        for (text, expected) in [("812.00us", 812.0), ("1.50ms", 1500.0), ("2.00s", 2_000_000.0)] {
            assert_eq!(microseconds(text).unwrap(), expected);
        }
        assert!(microseconds("3").is_err() && microseconds("xs").is_err());
    }
}
