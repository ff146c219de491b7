//! Runs the decoder of the feed in `TEST_FUZZ_FEED` under libFuzzer.
//!
//! The first line of an input is the payload's name, and the rest is its bytes. The mutation test's code checks the results.

#![no_main]

#[path = "../../crates/gsi-feeds/tests/mutations/judge.rs"]
mod judge;

use gsi_feeds::Connector;
use libfuzzer_sys::fuzz_target;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

static CONNECTOR: OnceLock<Arc<dyn Connector>> = OnceLock::new();
/// The messages of the panics during the current input.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Records a panic. libFuzzer's own hook would end the process before the judge can report what was decoded.
fn record(panic: &PanicHookInfo<'_>) {
    PANICS.lock().unwrap_or_else(PoisonError::into_inner).push(panic.to_string());
}

fn prepare() {
    let feed = std::env::var("TEST_FUZZ_FEED").expect("TEST_FUZZ_FEED names a feed");
    CONNECTOR.get_or_init(|| gsi_feeds::connector(&feed).expect("a feed of that name"));
    std::panic::set_hook(Box::new(record));
}

fn decode(input: &[u8]) {
    PANICS.lock().unwrap_or_else(PoisonError::into_inner).clear();
    let end = input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
    let name = String::from_utf8_lossy(&input[..end]);
    let bytes = input.get(end + 1..).unwrap_or_default();
    let connector = CONNECTOR.get().expect("`prepare` runs before the first input");
    let judged = catch_unwind(AssertUnwindSafe(|| judge::check(connector, &name, bytes, "fuzzed")));
    if judged.is_err() {
        for panic in PANICS.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            eprintln!("{panic}");
        }
        std::process::abort();
    }
}

fuzz_target!(init: prepare(), |input: &[u8]| decode(input));
