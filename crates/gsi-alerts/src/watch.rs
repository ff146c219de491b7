//! Applies the public alert rules to one tick: finds the alerts that begin and those that end.

use crate::headline;
use crate::rules::AlertMethod;
use gsi_model::{
    Alert, AlertRuleKind, Band, Briefing, CountryCode, CountryScore, CountrySnapshot, DAY, Event,
    EventStatus, FeedHealth, Pillar, Snapshot, Timestamp, round_half_away,
};

/// The lower edges of the composite's bands, from the second to the last.
pub type BandEdges = [f64; 4];

/// The parts of a tick's publication that rules use.
pub struct TickView<'a> {
    pub snapshot: &'a Snapshot,
    /// The tick's country scores. `None` if the tick computed none: the alerts of countries then stay unchanged.
    pub countries: Option<&'a CountrySnapshot>,
    /// The newest version of each recent event.
    pub events: &'a [Event],
    pub briefings: &'a [Briefing],
    /// Returns the catalogue's alert level of a pillar, or of the composite for `None`.
    pub levels: &'a dyn Fn(Option<Pillar>) -> Option<f64>,
    pub band_edges: BandEdges,
}

/// Returns the alerts that begin or end with this tick. `active` are the alerts that were on before it.
pub fn advance(method: &AlertMethod, view: &TickView<'_>, active: &[Alert]) -> Vec<Alert> {
    let mut watch = AlertWatch { method, view, active, tick: view.snapshot.tick, changes: Vec::new() };
    watch.watch_scores();
    watch.watch_band();
    if let Some(countries) = view.countries {
        for country in &countries.countries {
            watch.watch_country(country);
        }
    }
    watch.watch_events();
    watch.watch_feeds();
    watch.announce_briefings();
    watch.changes
}

struct AlertWatch<'a> {
    method: &'a AlertMethod,
    view: &'a TickView<'a>,
    active: &'a [Alert],
    tick: Timestamp,
    changes: Vec<Alert>,
}

/// The fields of a new alert that its rule sets. `AlertWatch::begin` sets the others.
struct Beginning {
    rule: AlertRuleKind,
    subject: String,
    country: Option<CountryCode>,
    began_at: Timestamp,
    value: Option<f64>,
    threshold: Option<f64>,
    headline: String,
    about: Option<String>,
}

impl<'a> AlertWatch<'a> {
    fn active(&self, rule: AlertRuleKind) -> impl Iterator<Item = &'a Alert> + use<'a> {
        self.active.iter().filter(move |a| a.rule == rule)
    }

    fn active_of(&self, rule: AlertRuleKind, subject: &str) -> Option<&'a Alert> {
        self.active(rule).find(|a| a.subject == subject)
    }

    fn end(&mut self, alert: &Alert) {
        self.changes.push(alert.ended(self.tick));
    }

    fn begin(&mut self, new: Beginning) {
        let Beginning { rule, subject, country, began_at, value, threshold, headline, about } = new;
        // A briefing is a single moment, so its alert ends when it begins.
        let ended_at = (rule == AlertRuleKind::Briefing).then_some(began_at);
        self.changes.push(Alert {
            id: Alert::id_of(rule, &subject, about.as_deref(), threshold, began_at),
            rule,
            subject,
            country,
            began_at,
            ended_at,
            value,
            threshold,
            headline,
            snapshot: self.view.snapshot.id.clone(),
            about,
        });
    }

    /// Alerts of the composite and the pillars. The engine decides: the snapshot lists each subject on alert, and the
    /// tick at which its alert began.
    fn watch_scores(&mut self) {
        let rule = AlertRuleKind::Score;
        let snapshot = self.view.snapshot;
        for alert in self.active(rule).filter(|a| a.country.is_none()) {
            let still = |s: &&gsi_model::SubjectAlert| {
                subject_name(&s.subject) == alert.subject && s.began_at == alert.began_at
            };
            if snapshot.alerts.iter().find(still).is_none() {
                self.end(alert);
            }
        }
        for on in &snapshot.alerts {
            let subject = subject_name(&on.subject);
            if self.active(rule).any(|a| a.subject == subject && a.began_at == on.began_at) {
                continue;
            }
            let pillar = Pillar::from_key(&on.subject);
            let value = match pillar {
                Some(pillar) => snapshot.pillar(pillar).map(|p| p.unsmoothed),
                None => Some(snapshot.unsmoothed),
            };
            let level = (self.view.levels)(pillar);
            let headline = headline::score(pillar, value.unwrap_or_default(), level.unwrap_or_default());
            self.begin(Beginning {
                rule,
                subject: subject.to_owned(),
                country: None,
                began_at: on.began_at,
                value,
                threshold: level,
                headline,
                about: None,
            });
        }
    }

    /// The alert while the composite is in the band Elevated or higher. A move to another of these bands ends the alert
    /// and begins a new one.
    fn watch_band(&mut self) {
        let rule = AlertRuleKind::Band;
        let snapshot = self.view.snapshot;
        let now = (snapshot.band >= Band::Elevated).then_some(snapshot.band);
        let edge = now.map(|band| self.view.band_edges[band as usize - 1]);
        let before = self.active_of(rule, GLOBAL);
        if before.map(|a| a.threshold) == now.map(|_| edge) {
            return;
        }
        if let Some(before) = before {
            self.end(before);
        }
        if let Some(band) = now {
            self.begin(Beginning {
                rule,
                subject: GLOBAL.to_owned(),
                country: None,
                began_at: self.tick,
                value: Some(snapshot.score),
                threshold: edge,
                headline: headline::band(band, snapshot.score),
                about: None,
            });
        }
    }

    /// An unknown score (no score, too little history, or reports that stopped) does not end a score alert. Age does:
    /// after `longest_days` the alert ends, unless the rule would begin it again.
    fn watch_country(&mut self, country: &CountryScore) {
        let code = country.country;
        let subject = format!("country:{}", code.as_str().to_lowercase());
        let rule = &self.method.country;
        let on = self.active_of(AlertRuleKind::Score, &subject);
        let known = country.score.zip(country.year_share_below).filter(|_| !country.silent);
        let known = known.map(|(score, share)| (score, round_half_away(score, 1), share));
        let begins = known.is_some_and(|(_, shown, share)| shown >= rule.level && share >= rule.year_share);
        if let Some(on) = on.filter(|a| self.tick.since(a.began_at) >= rule.longest_days * DAY && !begins) {
            self.end(on);
        } else if let Some((score, shown, share)) = known {
            match on {
                Some(on) if shown < rule.level - rule.release || share < rule.year_share_release => {
                    self.end(on);
                }
                None if begins => {
                    let (threshold, headline) =
                        (Some(rule.level), headline::country_score(code.name(), score, share));
                    self.begin(Beginning {
                        rule: AlertRuleKind::Score,
                        subject: subject.clone(),
                        country: Some(code),
                        began_at: self.tick,
                        value: Some(score),
                        threshold,
                        headline,
                        about: None,
                    });
                }
                _ => {}
            }
        }
        self.watch_country_band(country, subject);
    }

    /// While the score is unknown, a band alert stays unchanged.
    fn watch_country_band(&mut self, country: &CountryScore, subject: String) {
        let Some(score) = country.score.filter(|_| !country.silent) else { return };
        let bands = &self.method.country_bands;
        let on = self.active_of(AlertRuleKind::Band, &subject);
        let shown = round_half_away(score, 1);
        // A score that falls leaves a band `release` points below the band's lower edge.
        let held = |edge: f64| on.is_some_and(|a| a.threshold >= Some(edge)) && shown >= edge - bands.release;
        let now = [("severe", bands.severe), ("high", bands.high)]
            .into_iter()
            .find(|(_, edge)| shown >= *edge || held(*edge));
        if on.and_then(|a| a.threshold) == now.map(|(_, edge)| edge) {
            return;
        }
        if let Some(on) = on {
            self.end(on);
        }
        if let Some((band, edge)) = now {
            self.begin(Beginning {
                rule: AlertRuleKind::Band,
                subject,
                country: Some(country.country),
                began_at: self.tick,
                value: Some(score),
                threshold: Some(edge),
                headline: headline::country_band(country.country.name(), band, score),
                about: None,
            });
        }
    }

    fn watch_events(&mut self) {
        let rule = &self.method.event;
        let escalation = |e: &Event| round_half_away(e.escalation, 2);
        let is_confirmed = |e: &Event| e.status == EventStatus::Confirmed && !e.closed;
        let on: Vec<&Alert> = self.active(AlertRuleKind::Event).collect();
        for alert in &on {
            let event = self.view.events.iter().find(|e| Some(e.id.as_str()) == alert.about.as_deref());
            if !event.is_some_and(|e| is_confirmed(e) && escalation(e) >= rule.ends_below) {
                self.end(alert);
            }
        }
        for event in self.view.events {
            let is_on = on.iter().any(|a| a.about.as_deref() == Some(event.id.as_str()));
            if is_on || !is_confirmed(event) || escalation(event) < rule.escalation {
                continue;
            }
            let subject = event
                .country
                .map_or_else(|| GLOBAL.to_owned(), |c| format!("country:{}", c.as_str().to_lowercase()));
            self.begin(Beginning {
                rule: AlertRuleKind::Event,
                subject,
                country: event.country,
                began_at: self.tick,
                value: Some(event.escalation),
                threshold: Some(rule.escalation),
                headline: headline::event(event),
                about: Some(event.id.to_string()),
            });
        }
    }

    fn watch_feeds(&mut self) {
        let rule = AlertRuleKind::Feed;
        let feeds = &self.view.snapshot.feeds;
        for alert in self.active(rule) {
            let feed = feeds.iter().find(|f| alert.subject == format!("feed:{}", f.feed));
            // The alert also ends when the service no longer reads the feed.
            if feed.is_none_or(|f| matches!(f.health, FeedHealth::Ok | FeedHealth::Late)) {
                self.end(alert);
            }
        }
        for stale in feeds.iter().filter(|f| f.health == FeedHealth::Stale) {
            let subject = format!("feed:{}", stale.feed);
            if self.active_of(rule, &subject).is_none() {
                self.begin(Beginning {
                    rule,
                    subject,
                    country: None,
                    began_at: self.tick,
                    value: None,
                    threshold: None,
                    headline: headline::feed(stale),
                    about: None,
                });
            }
        }
    }

    fn announce_briefings(&mut self) {
        for briefing in self.view.briefings {
            self.begin(Beginning {
                rule: AlertRuleKind::Briefing,
                subject: briefing.subject.clone(),
                country: None,
                began_at: self.tick,
                value: None,
                threshold: None,
                headline: headline::briefing(briefing),
                about: Some(briefing.id.to_string()),
            });
        }
    }
}

const GLOBAL: &str = "global";

/// The subject's public name: `global` for the engine's `composite`.
fn subject_name(subject: &str) -> &str {
    if subject == "composite" { GLOBAL } else { subject }
}
