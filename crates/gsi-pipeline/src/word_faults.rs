//! Words of our own that did not verify: logged where they arise and counted for the metrics. Each is a fault of a template
//! that no test has met.

use crate::model::Drafts;
use gsi_narrate::Narration;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

#[derive(Debug, Default)]
pub struct WordFaults {
    /// By reason, and what became of the words.
    counts: Mutex<BTreeMap<(&'static str, Fate), u64>>,
}

/// What became of words that did not verify.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    /// Said in others that do.
    Retold,
    /// Not said.
    LeftOut,
    /// The text as a whole still has this fault: something that has to be said is not.
    Published,
}

impl Fate {
    const fn key(self) -> &'static str {
        match self {
            Fate::Retold => "retold",
            Fate::LeftOut => "left_out",
            Fate::Published => "published",
        }
    }
}

impl WordFaults {
    pub fn note(&self, drafts: &Drafts) {
        let briefings = drafts.briefings.iter().chain(&drafts.corrections).map(|d| &d.narration);
        drafts.summary.iter().chain(briefings).for_each(|narration| self.note_text(narration));
    }

    fn note_text(&self, narration: &Narration) {
        let about = narration.plan.about.key();
        for fault in &narration.taken_back {
            let fate = if fault.retold { Fate::Retold } else { Fate::LeftOut };
            tracing::warn!(
                about,
                text = fault.text,
                reason = fault.reason.code(),
                detail = fault.detail,
                fate = fate.key(),
                "words of ours do not verify"
            );
            self.count(fault.reason.code(), fate);
        }
        for problem in &narration.checks.problems {
            tracing::error!(
                about,
                reason = problem.reason.code(),
                detail = problem.detail,
                "a text does not verify as a whole"
            );
            self.count(problem.reason.code(), Fate::Published);
        }
    }

    fn count(&self, reason: &'static str, fate: Fate) {
        *self.counts.lock().unwrap_or_else(PoisonError::into_inner).entry((reason, fate)).or_default() += 1;
    }

    /// In Prometheus' text form. The labels are bounded: the verifier's reasons and three fates.
    pub fn metrics(&self) -> String {
        let mut out = String::from(
            "# HELP gsi_words_faulty_total Words of the templates that did not verify, by reason and by what became of them.\n# TYPE gsi_words_faulty_total counter\n",
        );
        for ((reason, fate), count) in &*self.counts.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = writeln!(
                out,
                "gsi_words_faulty_total{{reason=\"{reason}\",fate=\"{}\"}} {count}",
                fate.key()
            );
        }
        out
    }
}
