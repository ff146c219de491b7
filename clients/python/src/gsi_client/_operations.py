"""A method for every operation.

Made by clients/python/generate.py from the OpenAPI document. Not to be edited."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, cast

from . import models
from ._request import Query, Time, segment

# What the document calls each operation, and where it is.
OPERATIONS = {
    "getAlertsAtom": "/alerts.atom",
    "getAlertsJsonFeed": "/alerts.json",
    "getBadge": "/badge.svg",
    "getBriefingsAtom": "/briefings.atom",
    "getBriefingsJsonFeed": "/briefings.json",
    "getCard": "/card.png",
    "listAlerts": "/v1/alerts",
    "getAlert": "/v1/alerts/{id}",
    "listBriefings": "/v1/briefings",
    "getBriefing": "/v1/briefings/{id}",
    "listConflictEvents": "/v1/conflict",
    "getConflictEvent": "/v1/conflict/{id}",
    "listCountries": "/v1/countries",
    "getCountry": "/v1/countries/{country}",
    "explainCountry": "/v1/countries/{country}/explain",
    "getCountryHistory": "/v1/countries/{country}/history",
    "listCrises": "/v1/crises",
    "listFeeds": "/v1/feeds",
    "getGlobalStability": "/v1/global-stability",
    "listAnalogues": "/v1/global-stability/analogues",
    "explainGlobalStability": "/v1/global-stability/explain",
    "getGlobalStabilityHistory": "/v1/global-stability/history",
    "getMeaning": "/v1/global-stability/meaning",
    "getPillar": "/v1/global-stability/pillar/{pillar}",
    "getPillarHistory": "/v1/global-stability/pillar/{pillar}/history",
    "getPillarReconstruction": "/v1/global-stability/pillar/{pillar}/reconstruction",
    "getReconstruction": "/v1/global-stability/reconstruction",
    "getOwnKey": "/v1/keys/self",
    "listLayers": "/v1/layers",
    "getMethod": "/v1/method",
    "listMethodChanges": "/v1/method/changes",
    "getSnapshotInputs": "/v1/snapshots/{id}/inputs",
    "getSummary": "/v1/summaries",
}


class Operations:
    def _body(self, path: str, query: Query, media: str) -> Any:
        raise NotImplementedError

    def _items(self, path: str, key: str, query: Query) -> Iterator[Any]:
        raise NotImplementedError

    def get_alerts_atom(
        self,
    ) -> str:
        """Alerts as Atom.

        The newest 50 for a feed reader, without briefings, which have their own feed. The key may also be
        sent as the password of HTTP Basic, with any user name. Needs the scope `alerts:read`."""
        query: Query = {}
        return cast("str", self._body("/alerts.atom", query, "application/atom+xml"))

    def get_alerts_json_feed(
        self,
    ) -> models.JsonFeed:
        """Alerts as JSON Feed.

        The newest 50 for a feed reader, without briefings, which have their own feed. The key may also be
        sent as the password of HTTP Basic, with any user name. Needs the scope `alerts:read`."""
        query: Query = {}
        return cast("models.JsonFeed", self._body("/alerts.json", query, "application/feed+json"))

    def get_badge(
        self,
    ) -> bytes:
        """The score as a badge.

        A line of SVG with the score and its band, for other people's pages. Needs the scope `scores:read`."""
        query: Query = {}
        return cast("bytes", self._body("/badge.svg", query, "image/svg+xml"))

    def get_briefings_atom(
        self,
        *,
        tag: Sequence[str] | None = None,
    ) -> str:
        """Briefings as Atom.

        The newest 50 for a feed reader. The key may also be sent as the password of HTTP Basic, with any user
        name. Needs the scope `briefings:read`.

        tag: Any of these tags."""
        query: Query = {
            "tag": tag,
        }
        return cast("str", self._body("/briefings.atom", query, "application/atom+xml"))

    def get_briefings_json_feed(
        self,
        *,
        tag: Sequence[str] | None = None,
    ) -> models.JsonFeed:
        """Briefings as JSON Feed.

        The newest 50 for a feed reader. The key may also be sent as the password of HTTP Basic, with any user
        name. Needs the scope `briefings:read`.

        tag: Any of these tags."""
        query: Query = {
            "tag": tag,
        }
        return cast("models.JsonFeed", self._body("/briefings.json", query, "application/feed+json"))

    def get_card(
        self,
    ) -> bytes:
        """The score as a picture.

        1200 × 630 pixels in the colour of the score's band, with its time, for previews of links. A simulated
        world says so. Needs the scope `scores:read`."""
        query: Query = {}
        return cast("bytes", self._body("/card.png", query, "image/png"))

    def list_alerts(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        state: Literal["active", "ended"] | None = None,
        rule: Literal["score", "band", "event", "feed", "briefing"] | None = None,
        country: str | None = None,
        since: Time | None = None,
        until: Time | None = None,
        as_of: Time | None = None,
    ) -> models.AlertPage:
        """Alerts.

        Active and ended alerts, newest first: scores that are high and well above their past, upper bands,
        grave events, stale feeds, published briefings. `since` and `until` filter by the time at which an
        alert began. Needs the scope `alerts:read`.

        limit: Entries per page.

        cursor: The `next_cursor` of the previous page, with the same filters.

        state: Only alerts in this state.

        rule: Only alerts by this rule.

        country: Only this country, ISO 3166-1 alpha-2.

        since: From this time on, inclusive; must come before `until`.

        until: Up to this time, exclusive.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`."""
        query: Query = {
            "limit": limit,
            "cursor": cursor,
            "state": state,
            "rule": rule,
            "country": country,
            "since": since,
            "until": until,
            "as_of": as_of,
        }
        return cast("models.AlertPage", self._body("/v1/alerts", query, "application/json"))

    def list_alerts_csv(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        state: Literal["active", "ended"] | None = None,
        rule: Literal["score", "band", "event", "feed", "briefing"] | None = None,
        country: str | None = None,
        since: Time | None = None,
        until: Time | None = None,
        as_of: Time | None = None,
    ) -> str:
        """Alerts, as csv.

        Active and ended alerts, newest first: scores that are high and well above their past, upper bands,
        grave events, stale feeds, published briefings. `since` and `until` filter by the time at which an
        alert began. Needs the scope `alerts:read`.

        limit: Entries per page.

        cursor: The `next_cursor` of the previous page, with the same filters.

        state: Only alerts in this state.

        rule: Only alerts by this rule.

        country: Only this country, ISO 3166-1 alpha-2.

        since: From this time on, inclusive; must come before `until`.

        until: Up to this time, exclusive.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`."""
        query: Query = {
            "limit": limit,
            "cursor": cursor,
            "state": state,
            "rule": rule,
            "country": country,
            "since": since,
            "until": until,
            "as_of": as_of,
            "format": "csv",
        }
        return cast("str", self._body("/v1/alerts", query, "text/csv"))

    def iter_alerts(
        self,
        *,
        page_size: int | None = None,
        state: Literal["active", "ended"] | None = None,
        rule: Literal["score", "band", "event", "feed", "briefing"] | None = None,
        country: str | None = None,
        since: Time | None = None,
        until: Time | None = None,
        as_of: Time | None = None,
    ) -> Iterator[models.Alert]:
        """Alerts, page after page.

        Active and ended alerts, newest first: scores that are high and well above their past, upper bands,
        grave events, stale feeds, published briefings. `since` and `until` filter by the time at which an
        alert began. Needs the scope `alerts:read`.

        page_size: Entries per page.

        state: Only alerts in this state.

        rule: Only alerts by this rule.

        country: Only this country, ISO 3166-1 alpha-2.

        since: From this time on, inclusive; must come before `until`.

        until: Up to this time, exclusive.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`."""
        query: Query = {
            "limit": page_size,
            "state": state,
            "rule": rule,
            "country": country,
            "since": since,
            "until": until,
            "as_of": as_of,
        }
        return cast("Iterator[models.Alert]", self._items("/v1/alerts", "alerts", query))

    def get_alert(
        self,
        id: str,
        *,
        as_of: Time | None = None,
    ) -> models.AlertDetail:
        """One alert.

        An alert with the course of the watched value, its inputs when it began, and how often its rule fired.
        Needs the scope `alerts:read`.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`."""
        query: Query = {
            "as_of": as_of,
        }
        return cast("models.AlertDetail", self._body(f"/v1/alerts/{segment(id)}", query, "application/json"))

    def list_briefings(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        since: Time | None = None,
        until: Time | None = None,
        tag: Sequence[str] | None = None,
        as_of: Time | None = None,
    ) -> models.BriefingPage:
        """Daily briefings.

        Newest first. Needs the scope `briefings:read`.

        limit: Entries per page.

        cursor: The `next_cursor` of the previous page, with the same filters.

        since: From this time on, inclusive; must come before `until`.

        until: Up to this time, exclusive.

        tag: Any of these tags.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`."""
        query: Query = {
            "limit": limit,
            "cursor": cursor,
            "since": since,
            "until": until,
            "tag": tag,
            "as_of": as_of,
        }
        return cast("models.BriefingPage", self._body("/v1/briefings", query, "application/json"))

    def list_briefings_csv(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        since: Time | None = None,
        until: Time | None = None,
        tag: Sequence[str] | None = None,
        as_of: Time | None = None,
    ) -> str:
        """Daily briefings, as csv.

        Newest first. Needs the scope `briefings:read`.

        limit: Entries per page.

        cursor: The `next_cursor` of the previous page, with the same filters.

        since: From this time on, inclusive; must come before `until`.

        until: Up to this time, exclusive.

        tag: Any of these tags.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`."""
        query: Query = {
            "limit": limit,
            "cursor": cursor,
            "since": since,
            "until": until,
            "tag": tag,
            "as_of": as_of,
            "format": "csv",
        }
        return cast("str", self._body("/v1/briefings", query, "text/csv"))

    def iter_briefings(
        self,
        *,
        page_size: int | None = None,
        since: Time | None = None,
        until: Time | None = None,
        tag: Sequence[str] | None = None,
        as_of: Time | None = None,
    ) -> Iterator[models.BriefingBody]:
        """Daily briefings, page after page.

        Newest first. Needs the scope `briefings:read`.

        page_size: Entries per page.

        since: From this time on, inclusive; must come before `until`.

        until: Up to this time, exclusive.

        tag: Any of these tags.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`."""
        query: Query = {
            "limit": page_size,
            "since": since,
            "until": until,
            "tag": tag,
            "as_of": as_of,
        }
        return cast("Iterator[models.BriefingBody]", self._items("/v1/briefings", "briefings", query))

    def get_briefing(
        self,
        id: str,
        *,
        as_of: Time | None = None,
    ) -> models.BriefingDetail:
        """One briefing.

        A briefing with the facts it states and their sources, the one it corrects and the one that corrects
        it. Needs the scope `briefings:read`.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`."""
        query: Query = {
            "as_of": as_of,
        }
        return cast("models.BriefingDetail", self._body(f"/v1/briefings/{segment(id)}", query, "application/json"))

    def list_conflict_events(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        since: Time | None = None,
        until: Time | None = None,
        category: Sequence[Literal["kinetic", "posture", "threat", "coercion", "unrest"]] | None = None,
        country: Sequence[str] | None = None,
        actor: str | None = None,
        min_escalation: float | None = None,
        bbox: str | None = None,
        active_since: Time | None = None,
        status: Sequence[Literal["confirmed", "reported", "unconfirmed"]] | None = None,
        as_of: Time | None = None,
    ) -> models.EventPage:
        """Conflict events.

        Newest first. Without since: the last seven days. Filters combine; values of one repeated filter mean
        any of them. With a filter, a window of more than 31 days counts as one request for every 31 days
        begun, twelve at most. Needs the scope `events:read`.

        limit: Entries per page.

        cursor: The `next_cursor` of the previous page, with the same filters.

        since: From this time on, inclusive; must come before `until`.

        until: Up to this time, exclusive.

        category: Any of these categories.

        country: Any of these countries, ISO 3166-1 alpha-2.

        actor: Part of an actor label, in any case.

        min_escalation: This escalation or more.

        bbox: west,south,east,north in degrees, south not above north; west above east crosses the
        antimeridian.

        active_since: Last active at this time or later: its `last_activity`.

        status: Any of these statuses. Default: confirmed and reported.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`."""
        query: Query = {
            "limit": limit,
            "cursor": cursor,
            "since": since,
            "until": until,
            "category": category,
            "country": country,
            "actor": actor,
            "min_escalation": min_escalation,
            "bbox": bbox,
            "active_since": active_since,
            "status": status,
            "as_of": as_of,
        }
        return cast("models.EventPage", self._body("/v1/conflict", query, "application/json"))

    def list_conflict_events_geojson(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        since: Time | None = None,
        until: Time | None = None,
        category: Sequence[Literal["kinetic", "posture", "threat", "coercion", "unrest"]] | None = None,
        country: Sequence[str] | None = None,
        actor: str | None = None,
        min_escalation: float | None = None,
        bbox: str | None = None,
        active_since: Time | None = None,
        status: Sequence[Literal["confirmed", "reported", "unconfirmed"]] | None = None,
        as_of: Time | None = None,
    ) -> models.EventFeatures:
        """Conflict events, as geojson.

        Newest first. Without since: the last seven days. Filters combine; values of one repeated filter mean
        any of them. With a filter, a window of more than 31 days counts as one request for every 31 days
        begun, twelve at most. Needs the scope `events:read`.

        limit: Entries per page.

        cursor: The `next_cursor` of the previous page, with the same filters.

        since: From this time on, inclusive; must come before `until`.

        until: Up to this time, exclusive.

        category: Any of these categories.

        country: Any of these countries, ISO 3166-1 alpha-2.

        actor: Part of an actor label, in any case.

        min_escalation: This escalation or more.

        bbox: west,south,east,north in degrees, south not above north; west above east crosses the
        antimeridian.

        active_since: Last active at this time or later: its `last_activity`.

        status: Any of these statuses. Default: confirmed and reported.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`."""
        query: Query = {
            "limit": limit,
            "cursor": cursor,
            "since": since,
            "until": until,
            "category": category,
            "country": country,
            "actor": actor,
            "min_escalation": min_escalation,
            "bbox": bbox,
            "active_since": active_since,
            "status": status,
            "as_of": as_of,
            "format": "geojson",
        }
        return cast("models.EventFeatures", self._body("/v1/conflict", query, "application/geo+json"))

    def list_conflict_events_csv(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        since: Time | None = None,
        until: Time | None = None,
        category: Sequence[Literal["kinetic", "posture", "threat", "coercion", "unrest"]] | None = None,
        country: Sequence[str] | None = None,
        actor: str | None = None,
        min_escalation: float | None = None,
        bbox: str | None = None,
        active_since: Time | None = None,
        status: Sequence[Literal["confirmed", "reported", "unconfirmed"]] | None = None,
        as_of: Time | None = None,
    ) -> str:
        """Conflict events, as csv.

        Newest first. Without since: the last seven days. Filters combine; values of one repeated filter mean
        any of them. With a filter, a window of more than 31 days counts as one request for every 31 days
        begun, twelve at most. Needs the scope `events:read`.

        limit: Entries per page.

        cursor: The `next_cursor` of the previous page, with the same filters.

        since: From this time on, inclusive; must come before `until`.

        until: Up to this time, exclusive.

        category: Any of these categories.

        country: Any of these countries, ISO 3166-1 alpha-2.

        actor: Part of an actor label, in any case.

        min_escalation: This escalation or more.

        bbox: west,south,east,north in degrees, south not above north; west above east crosses the
        antimeridian.

        active_since: Last active at this time or later: its `last_activity`.

        status: Any of these statuses. Default: confirmed and reported.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`."""
        query: Query = {
            "limit": limit,
            "cursor": cursor,
            "since": since,
            "until": until,
            "category": category,
            "country": country,
            "actor": actor,
            "min_escalation": min_escalation,
            "bbox": bbox,
            "active_since": active_since,
            "status": status,
            "as_of": as_of,
            "format": "csv",
        }
        return cast("str", self._body("/v1/conflict", query, "text/csv"))

    def iter_conflict_events(
        self,
        *,
        page_size: int | None = None,
        since: Time | None = None,
        until: Time | None = None,
        category: Sequence[Literal["kinetic", "posture", "threat", "coercion", "unrest"]] | None = None,
        country: Sequence[str] | None = None,
        actor: str | None = None,
        min_escalation: float | None = None,
        bbox: str | None = None,
        active_since: Time | None = None,
        status: Sequence[Literal["confirmed", "reported", "unconfirmed"]] | None = None,
        as_of: Time | None = None,
    ) -> Iterator[models.ConflictEvent]:
        """Conflict events, page after page.

        Newest first. Without since: the last seven days. Filters combine; values of one repeated filter mean
        any of them. With a filter, a window of more than 31 days counts as one request for every 31 days
        begun, twelve at most. Needs the scope `events:read`.

        page_size: Entries per page.

        since: From this time on, inclusive; must come before `until`.

        until: Up to this time, exclusive.

        category: Any of these categories.

        country: Any of these countries, ISO 3166-1 alpha-2.

        actor: Part of an actor label, in any case.

        min_escalation: This escalation or more.

        bbox: west,south,east,north in degrees, south not above north; west above east crosses the
        antimeridian.

        active_since: Last active at this time or later: its `last_activity`.

        status: Any of these statuses. Default: confirmed and reported.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`."""
        query: Query = {
            "limit": page_size,
            "since": since,
            "until": until,
            "category": category,
            "country": country,
            "actor": actor,
            "min_escalation": min_escalation,
            "bbox": bbox,
            "active_since": active_since,
            "status": status,
            "as_of": as_of,
        }
        return cast("Iterator[models.ConflictEvent]", self._items("/v1/conflict", "events", query))

    def get_conflict_event(
        self,
        id: str,
        *,
        as_of: Time | None = None,
    ) -> models.EventDetail:
        """One conflict event.

        An event by its id, or by the id of one that was merged into it. Needs the scope `events:read`.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`."""
        query: Query = {
            "as_of": as_of,
        }
        return cast("models.EventDetail", self._body(f"/v1/conflict/{segment(id)}", query, "application/json"))

    def list_countries(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        min_score: float | None = None,
        pillar: Literal["conflict", "cyber", "supply_chain", "macro"] | None = None,
        as_of: Time | None = None,
    ) -> models.Countries:
        """Countries by score.

        Every country that has a score, worst first, then by code. With `pillar`, only countries that have
        this pillar, ranked by it. A country without enough data has no score; `not_scored` counts these.
        Needs the scope `scores:read`.

        limit: Entries per page.

        cursor: The `next_cursor` of the previous page, with the same filters.

        min_score: This score or more.

        pillar: Ranked and filtered by this pillar.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`."""
        query: Query = {
            "limit": limit,
            "cursor": cursor,
            "min_score": min_score,
            "pillar": pillar,
            "as_of": as_of,
        }
        return cast("models.Countries", self._body("/v1/countries", query, "application/json"))

    def list_countries_geojson(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        min_score: float | None = None,
        pillar: Literal["conflict", "cyber", "supply_chain", "macro"] | None = None,
        as_of: Time | None = None,
    ) -> models.CountryFeatures:
        """Countries by score, as geojson.

        Every country that has a score, worst first, then by code. With `pillar`, only countries that have
        this pillar, ranked by it. A country without enough data has no score; `not_scored` counts these.
        Needs the scope `scores:read`.

        limit: Entries per page.

        cursor: The `next_cursor` of the previous page, with the same filters.

        min_score: This score or more.

        pillar: Ranked and filtered by this pillar.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`."""
        query: Query = {
            "limit": limit,
            "cursor": cursor,
            "min_score": min_score,
            "pillar": pillar,
            "as_of": as_of,
            "format": "geojson",
        }
        return cast("models.CountryFeatures", self._body("/v1/countries", query, "application/geo+json"))

    def list_countries_csv(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        min_score: float | None = None,
        pillar: Literal["conflict", "cyber", "supply_chain", "macro"] | None = None,
        as_of: Time | None = None,
    ) -> str:
        """Countries by score, as csv.

        Every country that has a score, worst first, then by code. With `pillar`, only countries that have
        this pillar, ranked by it. A country without enough data has no score; `not_scored` counts these.
        Needs the scope `scores:read`.

        limit: Entries per page.

        cursor: The `next_cursor` of the previous page, with the same filters.

        min_score: This score or more.

        pillar: Ranked and filtered by this pillar.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`."""
        query: Query = {
            "limit": limit,
            "cursor": cursor,
            "min_score": min_score,
            "pillar": pillar,
            "as_of": as_of,
            "format": "csv",
        }
        return cast("str", self._body("/v1/countries", query, "text/csv"))

    def iter_countries(
        self,
        *,
        page_size: int | None = None,
        min_score: float | None = None,
        pillar: Literal["conflict", "cyber", "supply_chain", "macro"] | None = None,
        as_of: Time | None = None,
    ) -> Iterator[models.Country]:
        """Countries by score, page after page.

        Every country that has a score, worst first, then by code. With `pillar`, only countries that have
        this pillar, ranked by it. A country without enough data has no score; `not_scored` counts these.
        Needs the scope `scores:read`.

        page_size: Entries per page.

        min_score: This score or more.

        pillar: Ranked and filtered by this pillar.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`."""
        query: Query = {
            "limit": page_size,
            "min_score": min_score,
            "pillar": pillar,
            "as_of": as_of,
        }
        return cast("Iterator[models.Country]", self._items("/v1/countries", "countries", query))

    def get_country(
        self,
        country: str,
        *,
        as_of: Time | None = None,
    ) -> models.CountryDetail:
        """One country.

        Its score and readings, its rank among all countries and within its last year, and its newest events.
        `standing` is the reason why a country has no score. `events` is empty for a caller without the scope
        `events:read`. Needs the scope `scores:read`.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`."""
        query: Query = {
            "as_of": as_of,
        }
        return cast("models.CountryDetail", self._body(f"/v1/countries/{segment(country)}", query, "application/json"))

    def explain_country(
        self,
        country: str,
        *,
        as_of: Time | None = None,
    ) -> models.CountryExplanation:
        """How a country's score comes about.

        Every pillar and indicator that the country has. Contributions add to the score and changes to the 24
        h change, exactly. Needs the scope `scores:read`.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`."""
        query: Query = {
            "as_of": as_of,
        }
        return cast("models.CountryExplanation", self._body(f"/v1/countries/{segment(country)}/explain", query, "application/json"))

    def get_country_history(
        self,
        country: str,
        *,
        from_: Time | None = None,
        to: Time | None = None,
        step: Literal["1h", "15m", "1d"] | None = None,
    ) -> models.CountryHistory:
        """A country over time.

        Published scores of one country in buckets. At most 2000 buckets and 40000 ticks; a longer window is
        refused. Needs the scope `scores:read`.

        from_: From this time on, inclusive; must come before `to`. Default: 168 steps before `to`.

        to: Up to this time, exclusive. Default: just after the newest tick.

        step: Width of a bucket."""
        query: Query = {
            "from": from_,
            "to": to,
            "step": step,
        }
        return cast("models.CountryHistory", self._body(f"/v1/countries/{segment(country)}/history", query, "application/json"))

    def get_country_history_csv(
        self,
        country: str,
        *,
        from_: Time | None = None,
        to: Time | None = None,
        step: Literal["1h", "15m", "1d"] | None = None,
    ) -> str:
        """A country over time, as csv.

        Published scores of one country in buckets. At most 2000 buckets and 40000 ticks; a longer window is
        refused. Needs the scope `scores:read`.

        from_: From this time on, inclusive; must come before `to`. Default: 168 steps before `to`.

        to: Up to this time, exclusive. Default: just after the newest tick.

        step: Width of a bucket."""
        query: Query = {
            "from": from_,
            "to": to,
            "step": step,
            "format": "csv",
        }
        return cast("str", self._body(f"/v1/countries/{segment(country)}/history", query, "text/csv"))

    def list_crises(
        self,
    ) -> models.Crises:
        """Dated crises.

        The crises that the method is judged by, with their first and last day and their pillars. Needs the
        scope `scores:read`."""
        query: Query = {}
        return cast("models.Crises", self._body("/v1/crises", query, "application/json"))

    def list_feeds(
        self,
    ) -> models.Feeds:
        """Feeds and their health.

        Every feed: origin, licence, freshness, rows accepted and rejected. Needs the scope `scores:read`."""
        query: Query = {}
        return cast("models.Feeds", self._body("/v1/feeds", query, "application/json"))

    def get_global_stability(
        self,
        *,
        as_of: Time | None = None,
    ) -> models.Overview:
        """Composite score and pillar scores.

        The composite global stability score, 0 to 100, lower is more stable, and its four pillars. Needs the
        scope `scores:read`.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`."""
        query: Query = {
            "as_of": as_of,
        }
        return cast("models.Overview", self._body("/v1/global-stability", query, "application/json"))

    def list_analogues(
        self,
        *,
        as_of: Time | None = None,
        limit: int | None = None,
    ) -> models.Analogues:
        """Past days most like this one.

        The days of the reconstructed past whose pillars were nearest, with the crisis under way and what the
        score did in the next 30 days. Measured only on pillars that both days have. `as_of` before the first
        snapshot asks about a reconstructed day. Needs the scope `scores:read`.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`.

        limit: Entries per page."""
        query: Query = {
            "as_of": as_of,
            "limit": limit,
        }
        return cast("models.Analogues", self._body("/v1/global-stability/analogues", query, "application/json"))

    def explain_global_stability(
        self,
        *,
        as_of: Time | None = None,
        method: str | None = None,
    ) -> models.Explanation:
        """How the score comes about.

        The whole tree from composite to indicators. Contributions add to the score and effects to the change,
        exactly. Needs the scope `scores:read`.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`.

        method: Explain the score by this version of the method, current or previous. Not computed at that
        tick: 404."""
        query: Query = {
            "as_of": as_of,
            "method": method,
        }
        return cast("models.Explanation", self._body("/v1/global-stability/explain", query, "application/json"))

    def get_global_stability_history(
        self,
        *,
        from_: Time | None = None,
        to: Time | None = None,
        step: Literal["1h", "15m", "1d"] | None = None,
        method: str | None = None,
        series: Literal["composite", "all"] | None = None,
    ) -> models.History:
        """The composite over time.

        Published composite scores in buckets. At most 2000 buckets and 40000 ticks; a longer window is
        refused. Needs the scope `scores:read`.

        from_: From this time on, inclusive; must come before `to`. Default: 168 steps before `to`.

        to: Up to this time, exclusive. Default: just after the newest tick.

        step: Width of a bucket.

        method: Only scores by this version of the method, current or previous. At most 33 days. None stored
        then: 404.

        series: `all`: the composite and the four pillars, in the same buckets."""
        query: Query = {
            "from": from_,
            "to": to,
            "step": step,
            "method": method,
            "series": series,
        }
        return cast("models.History", self._body("/v1/global-stability/history", query, "application/json"))

    def get_global_stability_history_csv(
        self,
        *,
        from_: Time | None = None,
        to: Time | None = None,
        step: Literal["1h", "15m", "1d"] | None = None,
        method: str | None = None,
        series: Literal["composite", "all"] | None = None,
    ) -> str:
        """The composite over time, as csv.

        Published composite scores in buckets. At most 2000 buckets and 40000 ticks; a longer window is
        refused. Needs the scope `scores:read`.

        from_: From this time on, inclusive; must come before `to`. Default: 168 steps before `to`.

        to: Up to this time, exclusive. Default: just after the newest tick.

        step: Width of a bucket.

        method: Only scores by this version of the method, current or previous. At most 33 days. None stored
        then: 404.

        series: `all`: the composite and the four pillars, in the same buckets."""
        query: Query = {
            "from": from_,
            "to": to,
            "step": step,
            "method": method,
            "series": series,
            "format": "csv",
        }
        return cast("str", self._body("/v1/global-stability/history", query, "text/csv"))

    def get_meaning(
        self,
        *,
        as_of: Time | None = None,
    ) -> models.Meaning:
        """What this level has meant.

        The share of past days at each level on which a listed crisis was under way, the place of this score
        among all reconstructed days, and the figures which show that the score does not forecast. Needs the
        scope `scores:read`.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`."""
        query: Query = {
            "as_of": as_of,
        }
        return cast("models.Meaning", self._body("/v1/global-stability/meaning", query, "application/json"))

    def get_pillar(
        self,
        pillar: Literal["conflict", "cyber", "supply_chain", "macro"],
        *,
        as_of: Time | None = None,
    ) -> models.PillarDrilldown:
        """One pillar.

        A pillar's score, its change over 24 hours and the indicators behind it. Needs the scope
        `scores:read`.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`."""
        query: Query = {
            "as_of": as_of,
        }
        return cast("models.PillarDrilldown", self._body(f"/v1/global-stability/pillar/{segment(pillar)}", query, "application/json"))

    def get_pillar_history(
        self,
        pillar: Literal["conflict", "cyber", "supply_chain", "macro"],
        *,
        from_: Time | None = None,
        to: Time | None = None,
        step: Literal["1h", "15m", "1d"] | None = None,
        method: str | None = None,
    ) -> models.History:
        """A pillar over time.

        Published scores of one pillar in buckets. At most 2000 buckets and 40000 ticks; a longer window is
        refused. Needs the scope `scores:read`.

        from_: From this time on, inclusive; must come before `to`. Default: 168 steps before `to`.

        to: Up to this time, exclusive. Default: just after the newest tick.

        step: Width of a bucket.

        method: Only scores by this version of the method, current or previous. At most 33 days. None stored
        then: 404."""
        query: Query = {
            "from": from_,
            "to": to,
            "step": step,
            "method": method,
        }
        return cast("models.History", self._body(f"/v1/global-stability/pillar/{segment(pillar)}/history", query, "application/json"))

    def get_pillar_history_csv(
        self,
        pillar: Literal["conflict", "cyber", "supply_chain", "macro"],
        *,
        from_: Time | None = None,
        to: Time | None = None,
        step: Literal["1h", "15m", "1d"] | None = None,
        method: str | None = None,
    ) -> str:
        """A pillar over time, as csv.

        Published scores of one pillar in buckets. At most 2000 buckets and 40000 ticks; a longer window is
        refused. Needs the scope `scores:read`.

        from_: From this time on, inclusive; must come before `to`. Default: 168 steps before `to`.

        to: Up to this time, exclusive. Default: just after the newest tick.

        step: Width of a bucket.

        method: Only scores by this version of the method, current or previous. At most 33 days. None stored
        then: 404."""
        query: Query = {
            "from": from_,
            "to": to,
            "step": step,
            "method": method,
            "format": "csv",
        }
        return cast("str", self._body(f"/v1/global-stability/pillar/{segment(pillar)}/history", query, "text/csv"))

    def get_pillar_reconstruction(
        self,
        pillar: Literal["conflict", "cyber", "supply_chain", "macro"],
        *,
        from_: Time | None = None,
        to: Time | None = None,
        step: Literal["1d"] | None = None,
    ) -> models.Reconstruction:
        """A pillar, reconstructed.

        The reconstructed scores of one pillar. Needs the scope `scores:read`.

        from_: Days that begin at this time or later. Default: the first day there is.

        to: Days that begin before this time. Default: after the last day there is.

        step: A point for each day."""
        query: Query = {
            "from": from_,
            "to": to,
            "step": step,
        }
        return cast("models.Reconstruction", self._body(f"/v1/global-stability/pillar/{segment(pillar)}/reconstruction", query, "application/json"))

    def get_reconstruction(
        self,
        *,
        from_: Time | None = None,
        to: Time | None = None,
        step: Literal["1d"] | None = None,
    ) -> models.Reconstruction:
        """The composite, reconstructed.

        The scores that this method would have published on each day of the history that comes with the
        program. Each value is used only from the time at which it was known. Published scores are in
        `history` and are never mixed with these. Needs the scope `scores:read`.

        from_: Days that begin at this time or later. Default: the first day there is.

        to: Days that begin before this time. Default: after the last day there is.

        step: A point for each day."""
        query: Query = {
            "from": from_,
            "to": to,
            "step": step,
        }
        return cast("models.Reconstruction", self._body("/v1/global-stability/reconstruction", query, "application/json"))

    def get_own_key(
        self,
    ) -> models.KeySelf:
        """The caller's key.

        Scopes, expiry and quota of the key the request was made with. Any valid key may ask."""
        query: Query = {}
        return cast("models.KeySelf", self._body("/v1/keys/self", query, "application/json"))

    def list_layers(
        self,
        *,
        layers: Sequence[Literal["outages", "chokepoints", "quakes", "disasters"]] | None = None,
        as_of: Time | None = None,
    ) -> models.Layers:
        """Layers of the map.

        Data from the feeds for a map besides the events: internet outages by country, ships through
        chokepoints against normal, earthquakes and disaster alerts. A layer without data has the `status`
        `no_data`. A layer whose feed is off is not listed. Needs the scope `events:read`.

        layers: Only these layers.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`."""
        query: Query = {
            "layers": layers,
            "as_of": as_of,
        }
        return cast("models.Layers", self._body("/v1/layers", query, "application/json"))

    def get_method(
        self,
        *,
        as_of: Time | None = None,
    ) -> models.Method:
        """The method.

        Catalogue, weights, units and parameters of the current method, with its version and digest, and the
        statement that the score does not forecast, with figures. Needs the scope `scores:read`.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`."""
        query: Query = {
            "as_of": as_of,
        }
        return cast("models.Method", self._body("/v1/method", query, "application/json"))

    def list_method_changes(
        self,
    ) -> models.MethodChanges:
        """Changes of the method.

        The log of method changes and corrections, newest first: each change, its reason, and its effect on
        measured figures. Needs the scope `scores:read`."""
        query: Query = {}
        return cast("models.MethodChanges", self._body("/v1/method/changes", query, "application/json"))

    def get_snapshot_inputs(
        self,
        id: str,
    ) -> models.Inputs:
        """The inputs of a snapshot.

        Everything the snapshot was computed from: the method, the engine's memory some ticks earlier, and
        every row known at each tick since, for the world and for its countries. `gsi recompute` computes the
        same bytes from it. The answer is large, and the service makes one at a time. Needs the scope
        `scores:read`."""
        query: Query = {}
        return cast("models.Inputs", self._body(f"/v1/snapshots/{segment(id)}/inputs", query, "application/json"))

    def get_summary(
        self,
        *,
        as_of: Time | None = None,
    ) -> models.SummaryBody:
        """Rolling summary.

        Natural-language text across all pillars, refreshed every 15 minutes. Needs the scope `scores:read`.

        as_of: Answer as it was published at this time. Nothing published then: 404 `no_snapshot`."""
        query: Query = {
            "as_of": as_of,
        }
        return cast("models.SummaryBody", self._body("/v1/summaries", query, "application/json"))
