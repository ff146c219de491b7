//! The optional language model, which rephrases texts that the templates have written.
//!
//! It is off unless configured. A tick waits at most one timeout for all its texts together, and skips the model while it
//! keeps failing. Only the process that computes the tick asks the model. Replicas read the published text from the
//! store, and a replay does not ask.

mod client;

pub use client::{ModelSettings, ModelSetupError};

use client::{Client, Unanswered};
use gsi_model::{Briefing, Summary};
use gsi_narrate::{BriefingDraft, Narration, Outcome, Question};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Concurrent questions. A small model server answers one at a time, and eleven at once would all be late.
const MAX_CONCURRENT_QUESTIONS: usize = 4;
/// Cached answers, so that a repeated tick does not ask again. A tick at midnight has about eleven texts.
const MAX_CACHED_ANSWERS: usize = 32;
/// After this many failures in a row, no question is sent for [`PAUSE`].
const FAILURES_TO_PAUSE: u32 = 3;
const PAUSE: Duration = Duration::from_secs(15 * 60);
const BUDGET_WINDOW: Duration = Duration::from_secs(3_600);

/// The texts of one tick as the templates phrase them, with the data to judge rephrased ones.
#[derive(Default)]
pub struct Drafts {
    pub summary: Option<Narration>,
    pub briefings: Vec<BriefingDraft>,
    /// Corrections are never rephrased.
    pub corrections: Vec<BriefingDraft>,
}

/// The texts of one tick as they are published.
#[derive(Debug, Default)]
pub struct TickTexts {
    pub summary: Option<Summary>,
    pub briefings: Vec<Briefing>,
}

impl Drafts {
    /// Returns the texts that a replay compares. The published summary replaces the template's if it states the same, because a
    /// model's text cannot be computed again.
    pub fn into_replayed_texts(mut self, published: Option<&Summary>) -> TickTexts {
        if let (Some(narration), Some(published)) = (&mut self.summary, published) {
            narration.text = match narration.judge(&published.text) {
                Outcome::Accepted { text } | Outcome::Rejected { text, .. } => text,
            };
        }
        self.into_template_texts()
    }

    pub fn into_template_texts(self) -> TickTexts {
        TickTexts {
            summary: self.summary.map(|n| Summary { as_of: n.plan.as_of, text: n.text }),
            briefings: self.briefings.into_iter().chain(self.corrections).map(|d| d.briefing).collect(),
        }
    }
}

/// Asks the model within its limits and counts the outcomes.
pub struct Rewriter {
    client: Client,
    timeout: Duration,
    per_hour: usize,
    state: Mutex<RewriterState>,
    counts: TextCounts,
}

#[derive(Default)]
struct RewriterState {
    asked: VecDeque<Instant>,
    answers: VecDeque<(String, String)>,
    failures: u32,
    paused_until: Option<Instant>,
}

/// The labels are bounded: two kinds, two authors, and the codes of reasons.
#[derive(Clone, Debug, Default)]
struct TextCounts {
    /// Published texts by kind and author.
    published: Family<[(&'static str, &'static str); 2], Counter>,
    /// Texts for which the template's was used, by the code of the reason.
    rejected: Family<[(&'static str, String); 1], Counter>,
}

/// A registered [`Family`] is described only after its first count.
impl Collector for TextCounts {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> std::fmt::Result {
        let counter = self.published.metric_type();
        let help = "Texts published, by kind and by whose words they are.";
        self.published.encode(encoder.encode_descriptor("gsi_words", help, None, counter)?)?;
        let help = "Texts for which the template stood in, by reason.";
        self.rejected.encode(encoder.encode_descriptor("gsi_words_rejected", help, None, counter)?)
    }
}

impl Rewriter {
    pub fn new(settings: &ModelSettings) -> Result<Rewriter, ModelSetupError> {
        Ok(Rewriter {
            client: Client::new(settings)?,
            timeout: settings.timeout,
            per_hour: settings.requests_per_hour as usize,
            state: Mutex::new(RewriterState::default()),
            counts: TextCounts::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, RewriterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the texts of a tick: the model's if it came in time and was accepted, else the template's.
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
            let outcome = self.judge("summary", &narration, answer());
            Summary { as_of: narration.plan.as_of, text: outcome.text().to_owned() }
        });
        let briefings = drafts
            .briefings
            .into_iter()
            .map(|draft| {
                let outcome = self.judge("briefing", &draft.narration, answer());
                draft.into_briefing(outcome)
            })
            .chain(drafts.corrections.into_iter().map(|d| d.briefing))
            .collect();
        TickTexts { summary, briefings }
    }

    fn judge(
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
        let author = match &outcome {
            Outcome::Accepted { .. } => "model",
            Outcome::Rejected { reason, .. } => {
                tracing::info!(about, reason, "the model's text is not used");
                let code = reason.split(':').next().unwrap_or_default().to_owned();
                self.counts.rejected.get_or_create(&[("reason", code)]).inc();
                "template"
            }
        };
        self.counts.published.get_or_create(&[("kind", kind), ("by", author)]).inc();
        outcome
    }

    /// Returns one answer for each question, in their order, within the timeout.
    async fn ask_all(self: &Arc<Self>, questions: Vec<Question>) -> Vec<Result<String, Unanswered>> {
        let mut answers: Vec<Result<String, Unanswered>> = vec![Err(Unanswered::Timeout); questions.len()];
        let mut asking = JoinSet::new();
        let permits = Arc::new(Semaphore::new(MAX_CONCURRENT_QUESTIONS));
        for (n, question) in questions.into_iter().enumerate() {
            if let Some(answer) = self.cached_answer(&question.digest) {
                answers[n] = Ok(answer);
                continue;
            }
            if let Err(reason) = self.take_from_budget() {
                answers[n] = Err(reason);
                continue;
            }
            let (rewriter, permits) = (self.clone(), permits.clone());
            asking.spawn(async move {
                let _permit = permits.acquire_owned().await;
                (n, rewriter.client.ask(&question).await, question.digest)
            });
        }
        let asked = asking.len();
        let mut answered = 0;
        let _ = tokio::time::timeout(self.timeout, async {
            while let Some(done) = asking.join_next().await {
                let Ok((n, answer, digest)) = done else { continue };
                answered += 1;
                self.record_answer(&answer, digest);
                answers[n] = answer;
            }
        })
        .await;
        // Dropping the set ends the open requests and their connections.
        if answered < asked {
            self.record_failure();
        }
        answers
    }

    fn cached_answer(&self, digest: &str) -> Option<String> {
        self.state().answers.iter().find(|a| a.0 == digest).map(|a| a.1.clone())
    }

    /// Counts one more question, unless the model is paused or the hour's budget is used up.
    fn take_from_budget(&self) -> Result<(), Unanswered> {
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

    fn record_answer(&self, answer: &Result<String, Unanswered>, digest: String) {
        match answer {
            Ok(text) => {
                let mut state = self.state();
                state.failures = 0;
                if text.len() <= gsi_narrate::MAX_CANDIDATE_BYTES {
                    state.answers.push_back((digest, text.clone()));
                }
                while state.answers.len() > MAX_CACHED_ANSWERS {
                    state.answers.pop_front();
                }
            }
            Err(_) => self.record_failure(),
        }
    }

    fn record_failure(&self) {
        let mut state = self.state();
        state.failures += 1;
        if state.failures >= FAILURES_TO_PAUSE {
            tracing::warn!(minutes = PAUSE.as_secs() / 60, "the model keeps failing; no questions are sent");
            state.paused_until = Some(Instant::now() + PAUSE);
            state.failures = 0;
        }
    }

    /// Registers the counts of published and rejected texts.
    pub fn register_metrics(&self, registry: &mut Registry) {
        registry.register_collector(Box::new(self.counts.clone()));
    }
}
