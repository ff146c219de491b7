//! Writes the messages of a publication.

use super::message::{MessagePart, MessageWriter};
use crate::resources::alerts::stream::StreamAlert;
use crate::resources::briefings::body::BriefingBody;
use crate::resources::events::body::ConflictEvent;
use crate::settings::STREAM_EVENTS_PER_TICK;
use crate::state::service::Service;
use crate::stream::body::{StreamFeeds, StreamReset, StreamSnapshot, StreamTick};
use crate::telemetry::metrics::{CountryLabels, RuleLabels};
use gsi_model::{Alert, AlertRuleKind, Event, EventStatus, HOUR, Scope, Snapshot, Timestamp};
use gsi_store::{AlertQuery, BriefingQuery, StoreError};
use std::collections::HashMap;

/// How far back a new version of an event may be dated: news has the time of its file, which a tick may read late.
const LATE_NEWS_SECONDS: i64 = 2 * HOUR;

/// After a longer break its events, alerts and briefings are not sent. Subscribers get `reset` instead.
const LONGEST_BREAK_SECONDS: i64 = 6 * HOUR;

/// What a tick published besides its snapshot.
#[derive(Default)]
struct TickNews {
    events: Vec<Event>,
    briefings: Vec<BriefingBody>,
    alerts: Vec<Alert>,
}

impl Service {
    /// Sends a snapshot to the stream. The rest of its tick is read from the store, so that a replica that did not do
    /// the tick sends the same.
    pub(crate) fn announce(&self, before: Option<&Snapshot>, snapshot: &Snapshot) {
        let gap = before.map_or(0, |before| snapshot.tick.since(before.tick));
        let brought = match before {
            Some(before) if (1..=LONGEST_BREAK_SECONDS).contains(&gap) => {
                self.brought(before.tick, snapshot.tick).unwrap_or_else(|error| {
                    tracing::warn!(%error, "the stream leaves out this tick's events, alerts and briefings");
                    TickNews::default()
                })
            }
            _ => TickNews::default(),
        };
        self.measure_countries_and_alerts(snapshot.tick);
        let mut events: Vec<ConflictEvent> = brought.events.iter().filter_map(ConflictEvent::of).collect();
        let left_out = events.len().saturating_sub(STREAM_EVENTS_PER_TICK);
        let end = StreamTick { as_of: snapshot.tick, events: events.len(), events_left_out: left_out };
        events.truncate(STREAM_EVENTS_PER_TICK);

        let reset = (gap > LONGEST_BREAK_SECONDS).then_some(StreamReset { as_of: Some(snapshot.tick) });
        let reset = MessageWriter::new(None).maybe("reset", reset).finish();
        let scores = MessageWriter::new(Some(Scope::Scores))
            .maybe("snapshot", StreamSnapshot::of(snapshot))
            .all(
                "alert",
                before.map(|b| StreamAlert::between(b, snapshot, &brought.alerts)).unwrap_or_default(),
            )
            .finish();
        let events = MessageWriter::new(Some(Scope::Events)).all("event", events).finish();
        let briefings =
            MessageWriter::new(Some(Scope::Briefings)).all("briefing", brought.briefings).finish();
        let others = StreamAlert::of_others(&brought.alerts, snapshot.tick);
        let alerts = MessageWriter::new(Some(Scope::Alerts)).all("alert", others).finish();
        let end = MessageWriter::new(None).marked("tick", &end, snapshot.tick).finish();
        let parts =
            reset.into_iter().chain(scores).chain(events).chain(alerts).chain(briefings).chain(end).collect();
        self.published.stream.send(Some(snapshot.tick), parts, self.greeting(Some(snapshot)));
    }

    /// Sets the metrics of countries and alerts, once a tick.
    fn measure_countries_and_alerts(&self, tick: Timestamp) {
        let metrics = &self.telemetry.metrics;
        if let Ok(Some(countries)) = self.store.countries_at(tick) {
            metrics.country_score.clear();
            for (country, score) in countries.countries.iter().filter_map(|c| Some((c.country, c.score?))) {
                metrics
                    .country_score
                    .get_or_create(&CountryLabels { country: country.to_string() })
                    .set(score);
            }
        }
        if let Ok(active) = self.store.alerts(&AlertQuery::active(tick)) {
            for rule in AlertRuleKind::PUBLIC.into_iter().filter(|rule| *rule != AlertRuleKind::Briefing) {
                let count = active.iter().filter(|a| a.rule == rule).count();
                let gauge = metrics.alerts_active.get_or_create(&RuleLabels { rule: rule.key() });
                gauge.set(i64::try_from(count).unwrap_or(i64::MAX));
            }
        }
    }

    /// Notes the current states of the feeds as sent. New subscribers get them first, so they are only sent again when
    /// they change.
    pub(crate) fn note_feeds(&self) {
        let statuses = self.feed_statuses();
        *self.published.feeds_sent.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(statuses);
    }

    /// Sends the states of the feeds, if they have changed.
    pub(crate) fn announce_feeds(&self) {
        let statuses = self.feed_statuses();
        let mut sent = self.published.feeds_sent.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if sent.as_ref() == Some(&statuses) {
            return;
        }
        let part = MessageWriter::new(Some(Scope::Scores)).message("feeds", &statuses).finish();
        *sent = Some(statuses);
        let current = self.published.current();
        self.published.stream.send(
            None,
            part.into_iter().collect(),
            self.greeting(current.as_ref().map(|p| &p.snapshot)),
        );
    }

    fn feed_statuses(&self) -> StreamFeeds {
        StreamFeeds::of(&self.published.origins, &self.published.feeds.load(), self.clock.now())
    }

    /// The messages that a new subscriber gets first: the current state.
    fn greeting(&self, snapshot: Option<&Snapshot>) -> Vec<MessagePart> {
        let mut scores = MessageWriter::new(Some(Scope::Scores));
        scores.message("feeds", &self.feed_statuses());
        let mut end = MessageWriter::new(None);
        if let Some(snapshot) = snapshot {
            scores.maybe("snapshot", StreamSnapshot::of(snapshot));
            let tick = StreamTick { as_of: snapshot.tick, events: 0, events_left_out: 0 };
            end.marked("tick", &tick, snapshot.tick);
        }
        scores.finish().into_iter().chain(end.finish()).collect()
    }

    fn brought(&self, before: Timestamp, tick: Timestamp) -> Result<TickNews, StoreError> {
        let since = before.minus(LATE_NEWS_SECONDS);
        let known: HashMap<_, _> =
            self.store.events_active(before, since)?.into_iter().map(|e| (e.id.clone(), e)).collect();
        let mut events = self.store.events_active(tick, since)?;
        events.retain(|e| e.status != EventStatus::Unconfirmed && known.get(&e.id) != Some(e));
        // When there are too many to send, the most severe are sent.
        events.sort_by(|a, b| b.escalation.total_cmp(&a.escalation).then_with(|| a.id.cmp(&b.id)));
        let mut briefings = self.store.briefings(&BriefingQuery {
            as_of: tick,
            since: before.plus(1),
            until: tick.plus(1),
            tags: Vec::new(),
            after: None,
            limit: STREAM_EVENTS_PER_TICK,
        })?;
        briefings.reverse();
        let briefings = briefings.iter().map(BriefingBody::of).collect();
        Ok(TickNews { events, briefings, alerts: self.store.alerts_between(before, tick)? })
    }
}
