//! One decoder, the one of the feed that `TEST_FUZZ_FEED` names, under libFuzzer.
//!
//! The first line of an input is the payload's name, the rest its bytes. What a decoder must keep is judged by the same
//! code as in the mutation test.

#![no_main]

#[path = "../../crates/gsi-feeds/tests/mutations/judge.rs"]
mod judge;

use gsi_feeds::Connector;
use libfuzzer_sys::fuzz_target;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

static CONNECTOR: OnceLock<Arc<dyn Connector>> = OnceLock::new();
/// What the panics during the present input said.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// libFuzzer's own hook ends the process at every panic. The workbook reader's panics are caught on purpose, so a panic is
/// noted here and only one that gets out counts.
fn note(panic: &PanicHookInfo<'_>) {
    PANICS.lock().unwrap_or_else(PoisonError::into_inner).push(panic.to_string());
}

fn prepare() {
    let feed = std::env::var("TEST_FUZZ_FEED").expect("TEST_FUZZ_FEED names a feed");
    CONNECTOR.get_or_init(|| gsi_feeds::connector(&feed).expect("a feed of that name"));
    std::panic::set_hook(Box::new(note));
}

fn decode(input: &[u8]) {
    PANICS.lock().unwrap_or_else(PoisonError::into_inner).clear();
    let end = input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
    let name = String::from_utf8_lossy(&input[..end]);
    let bytes = input.get(end + 1..).unwrap_or_default();
    let connector = CONNECTOR.get().expect("prepared before the first input");
    let judged = catch_unwind(AssertUnwindSafe(|| judge::check(connector, &name, bytes, "fuzzed")));
    if judged.is_err() {
        for panic in PANICS.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            eprintln!("{panic}");
        }
        std::process::abort();
    }
}

fuzz_target!(init: prepare(), |input: &[u8]| decode(input));
