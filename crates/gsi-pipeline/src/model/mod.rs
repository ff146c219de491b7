//! The optional language model: other words for texts that are already written.
//!
//! Off unless configured. The template's text exists before the model is asked; a tick waits for the model no longer
//! than one short timeout for all its texts together, and not at all while it keeps failing. Only the process that does
//! the tick asks, and what was published is what is stored: replicas read it from the store, and a replay, which asks
//! nobody, compares the stored text with its own template or verifies it against its own plan.

mod client;

pub use client::{ModelSettings, ModelSetupError, Unanswered};

use client::Client;
use gsi_model::{Briefing, Summary};
use gsi_narrate::{BriefingDraft, Narration, Outcome, Question};
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// A small model server answers one question at a time; asking it eleven at once only makes all of them late.
const AT_ONCE: usize = 4;
/// Answers kept, so that a tick that is tried again does not pay again. A midnight has eleven texts.
const REMEMBERED: usize = 32;
/// After this many failures in a row …
const FAILURES_TO_PAUSE: u32 = 3;
/// … the model is left alone for this long.
const PAUSE: Duration = Duration::from_secs(15 * 60);
const BUDGET_WINDOW: Duration = Duration::from_secs(3_600);

/// What one tick has to say, in the template's words and with everything needed to judge others.
#[derive(Default)]
pub struct Drafts {
    pub summary: Option<Narration>,
    pub briefings: Vec<BriefingDraft>,
    /// Not for other words.
    pub corrections: Vec<BriefingDraft>,
}

/// What is published.
#[derive(Debug, Default)]
pub struct TickTexts {
    pub summary: Option<Summary>,
    pub briefings: Vec<Briefing>,
}

impl Drafts {
    /// The template's words.
    pub fn as_they_are(self) -> TickTexts {
        TickTexts {
            summary: self.summary.map(|n| Summary { as_of: n.plan.as_of, text: n.text }),
            briefings: self.briefings.into_iter().chain(self.corrections).map(|d| d.briefing).collect(),
        }
    }
}

/// Asks the model within its limits and counts what came of it.
pub struct Rewriter {
    client: Client,
    timeout: Duration,
    per_hour: usize,
    state: Mutex<RewriterState>,
}

#[derive(Default)]
struct RewriterState {
    asked: VecDeque<Instant>,
    answers: VecDeque<(String, String)>,
    failures: u32,
    paused_until: Option<Instant>,
    /// Texts published, by kind and by whose words.
    published: BTreeMap<(&'static str, &'static str), u64>,
    /// Texts for which the template stood in, by reason.
    rejected: BTreeMap<String, u64>,
}

impl Rewriter {
    pub fn new(settings: &ModelSettings) -> Result<Rewriter, ModelSetupError> {
        Ok(Rewriter {
            client: Client::new(settings)?,
            timeout: settings.timeout,
            per_hour: settings.requests_per_hour as usize,
            state: Mutex::new(RewriterState::default()),
        })
    }

    fn state(&self) -> MutexGuard<'_, RewriterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The words of a tick: the model's where they came in time and verified, the template's everywhere else.
    pub async fn rewrite(self: &Arc<Self>, drafts: Drafts) -> TickTexts {
        let questions: Vec<Question> = drafts
            .summary
            .iter()
            .map(Narration::question)
            .chain(drafts.briefings.iter().map(|d| d.narration.question()))
            .collect();
        let mut answers = self.ask_all(questions).await.into_iter();
        let mut answer = || answers.next().unwrap_or(Err(Unanswered::Timeout));
        let summary = drafts.summary.map(|narration| {
            let outcome = self.judged("summary", &narration, answer());
            Summary { as_of: narration.plan.as_of, text: outcome.text().to_owned() }
        });
        let briefings = drafts
            .briefings
            .into_iter()
            .map(|draft| {
                let outcome = self.judged("briefing", &draft.narration, answer());
                draft.into_briefing(outcome)
            })
            .chain(drafts.corrections.into_iter().map(|d| d.briefing))
            .collect();
        TickTexts { summary, briefings }
    }

    fn judged(
        &self,
        kind: &'static str,
        narration: &Narration,
        answer: Result<String, Unanswered>,
    ) -> Outcome {
        let outcome = match answer {
            Ok(candidate) => narration.judge(&candidate),
            Err(why) => Outcome::Rejected { text: narration.text.clone(), reason: why.reason() },
        };
        let about = narration.plan.about.key();
        let mut state = self.state();
        match &outcome {
            Outcome::Accepted { .. } => *state.published.entry((kind, "model")).or_default() += 1,
            Outcome::Rejected { reason, .. } => {
                tracing::info!(about, reason, "the model's words are not used");
                *state.published.entry((kind, "template")).or_default() += 1;
                let code = reason.split(':').next().unwrap_or_default().to_owned();
                *state.rejected.entry(code).or_default() += 1;
            }
        }
        outcome
    }

    /// One answer to each question, in their order, when the time is up at the latest.
    async fn ask_all(self: &Arc<Self>, questions: Vec<Question>) -> Vec<Result<String, Unanswered>> {
        let mut answers: Vec<Result<String, Unanswered>> = vec![Err(Unanswered::Timeout); questions.len()];
        let mut asking = JoinSet::new();
        let gate = Arc::new(Semaphore::new(AT_ONCE));
        for (n, question) in questions.into_iter().enumerate() {
            if let Some(known) = self.remembered(&question.digest) {
                answers[n] = Ok(known);
                continue;
            }
            if let Err(why) = self.may_ask() {
                answers[n] = Err(why);
                continue;
            }
            let (me, gate) = (self.clone(), gate.clone());
            asking.spawn(async move {
                let _turn = gate.acquire_owned().await;
                (n, me.client.ask(&question).await, question.digest)
            });
        }
        let asked = asking.len();
        let mut answered = 0;
        let _ = tokio::time::timeout(self.timeout, async {
            while let Some(done) = asking.join_next().await {
                let Ok((n, answer, digest)) = done else { continue };
                answered += 1;
                self.heard(&answer, digest);
                answers[n] = answer;
            }
        })
        .await;
        // Whatever is still under way is dropped with the set, connections and all.
        if answered < asked {
            self.failed();
        }
        answers
    }

    fn remembered(&self, digest: &str) -> Option<String> {
        self.state().answers.iter().find(|a| a.0 == digest).map(|a| a.1.clone())
    }

    fn may_ask(&self) -> Result<(), Unanswered> {
        let now = Instant::now();
        let mut state = self.state();
        if state.paused_until.is_some_and(|until| now < until) {
            return Err(Unanswered::Paused);
        }
        while state.asked.front().is_some_and(|at| now.duration_since(*at) >= BUDGET_WINDOW) {
            state.asked.pop_front();
        }
        if state.asked.len() >= self.per_hour {
            return Err(Unanswered::Budget);
        }
        state.asked.push_back(now);
        Ok(())
    }

    fn heard(&self, answer: &Result<String, Unanswered>, digest: String) {
        match answer {
            Ok(text) => {
                let mut state = self.state();
                state.failures = 0;
                if text.len() <= gsi_narrate::MAX_CANDIDATE_BYTES {
                    state.answers.push_back((digest, text.clone()));
                }
                while state.answers.len() > REMEMBERED {
                    state.answers.pop_front();
                }
            }
            Err(_) => self.failed(),
        }
    }

    fn failed(&self) {
        let mut state = self.state();
        state.failures += 1;
        if state.failures >= FAILURES_TO_PAUSE {
            tracing::warn!(minutes = PAUSE.as_secs() / 60, "the model keeps failing and is left alone");
            state.paused_until = Some(Instant::now() + PAUSE);
            state.failures = 0;
        }
    }

    /// In Prometheus' text form. The labels are bounded: two kinds, two writers, and the reasons of the verifier.
    pub fn metrics(&self) -> String {
        let state = self.state();
        let mut out = String::from(
            "# HELP gsi_words_total Texts published, by kind and by whose words they are.\n# TYPE gsi_words_total counter\n",
        );
        for ((kind, by), count) in &state.published {
            let _ = writeln!(out, "gsi_words_total{{kind=\"{kind}\",by=\"{by}\"}} {count}");
        }
        out.push_str(
            "# HELP gsi_words_rejected_total Texts for which the template stood in, by reason.\n# TYPE gsi_words_rejected_total counter\n",
        );
        for (reason, count) in &state.rejected {
            let _ = writeln!(out, "gsi_words_rejected_total{{reason=\"{reason}\"}} {count}");
        }
        out
    }
}
