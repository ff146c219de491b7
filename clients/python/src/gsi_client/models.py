"""The bodies of the answers.

Made by clients/python/generate.py from the OpenAPI document. Not to be edited."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

AlertRuleKind = Literal["score", "band", "event", "feed", "briefing", "own"]

AlertState = Literal["active", "ended"]

Band = Literal["calm", "guarded", "elevated", "high", "severe"]

CardPicture = str

CountryStanding = Literal["scored", "thin", "unmonitored"]

DataStatus = Literal["ok", "degraded", "stale"]

DayOrigin = Literal["published", "reconstructed"]

FeedHealthWord = Literal["ok", "late", "stale", "never"]

LayerKey = Literal["outages", "chokepoints", "quakes", "disasters"]

LayerStatusWord = Literal["ok", "stale", "no_data"]

MethodChangeKind = Literal["change", "correction"]

MethodParameter = float | bool | str | list[float] | list[str] | dict[str, float]

PillarKey = Literal["conflict", "cyber", "supply_chain", "macro"]

PrecisionWord = Literal["city", "region", "country"]

StatusWord = Literal["confirmed", "reported", "unconfirmed"]

StepWord = Literal["1h", "15m", "1d"]

TextAuthor = Literal["template", "model"]

TrendWord = Literal["up", "down", "flat"]


class Alert(TypedDict):
    """A rule that holds, or held, for a subject."""

    # The event or the briefing that the alert is about.
    about: str | None
    began_at: str
    country: str | None
    ended_at: str | None
    headline: str
    id: str
    rule: AlertRuleKind
    # The snapshot it began with.
    snapshot: str
    state: AlertState
    # `global`, a pillar's key, `country:ua`, `feed:gdelt`, or a briefing's subject.
    subject: str
    # The threshold that the value was compared with.
    threshold: float | None
    # The measured value when it began: a score, or an event's escalation.
    value: float | None


class AlertDetail(TypedDict):
    """An alert with its course, its inputs, and how often its rule fired."""

    alert: Alert
    # The watched value from a day before the alert began until it ended, at most 200 points; empty where the
    # rule watches no number.
    course: list[AlertPoint]
    # The address of the explanation at that moment; null for feeds and briefings.
    explanation: str | None
    fired: AlertFrequency
    # The inputs behind the subject's score when it began, the largest first; empty for feeds and briefings.
    inputs: list[AlertInput]


class AlertFrequency(TypedDict):
    """How often a rule fired for a subject."""

    backtest: AlertsInPast | None
    # Alerts that began within the 365 days before it, itself included, as far as the store has them.
    last_365_days: int


class AlertInput(TypedDict):
    # Its part of the 24 h change; null without a value of a day before.
    change_24h: float | None
    # Points of the subject's score.
    contribution: float
    key: str


class AlertPage(TypedDict):
    """A page of alerts, those that began last first."""

    alerts: list[Alert]
    # Send as `cursor` for the next page; null on the last.
    next_cursor: str | None


class AlertPoint(TypedDict):
    as_of: str
    value: float


AlertsInPast = TypedDict(
    "AlertsInPast",
    {
        "alerts": "int",
        "from": "str",
        "per_year": "float",
        "to": "str",
    },
)


class Analogue(TypedDict):
    """A past day and what followed."""

    crisis: Crisis | None
    date: str
    # Root mean square difference of the pillars that both days have, in points.
    distance: float
    # The highest score within these thirty days.
    highest_in_30_days: float | None
    pillars: KnownPillars
    # The number of compared pillars.
    pillars_compared: int
    score: float
    # The score thirty days later; null where the past ends before.
    score_30_days_later: float | None


class Analogues(TypedDict):
    """The days of the reconstructed past whose pillars were nearest, one to an episode."""

    # Nearest first. Days within 60 days of the requested day or of a listed day are left out.
    analogues: list[Analogue]
    # The requested day.
    date: str
    # The method of the reconstruction.
    method_version: str
    origin: DayOrigin
    pillars: KnownPillars
    score: float


class BesideMethod(TypedDict):
    """A previous method that runs in parallel with the current one."""

    digest: str
    score: float
    # The first tick of the method that replaced it.
    since: str
    # The first tick at which this method is no longer computed.
    until: str
    version: str


class BriefingBody(TypedDict):
    """A daily briefing."""

    # One sentence.
    headline: str
    id: str
    published_at: str
    summary: str
    # Pillar keys, event categories, `country:<iso2>`, `theater:<slug>`, `global`, `data-gap`, `record`.
    tags: list[str]


class BriefingDetail(TypedDict):
    """A briefing with its facts and their sources."""

    # The tick it was written from.
    as_of: str
    # The briefing that corrects this one, or null. The corrected briefing is otherwise unchanged.
    corrected_by: str | None
    # The briefing this one corrects, or null.
    corrects: str | None
    # The UTC day that it covers.
    day: str
    facts: list[FactBody]
    generated_by: GeneratedByBody
    headline: str
    id: str
    # Written later than its day because the service was not running.
    late: bool
    published_at: str
    # The sentences of the summary; a fact's `sentence` is an index into this list.
    sentences: list[str]
    # `global`, a pillar key, or `theater:<slug>`.
    subject: str
    summary: str
    tags: list[str]


class BriefingPage(TypedDict):
    """A page of briefings, newest first."""

    briefings: list[BriefingBody]
    # Send as `cursor` for the next page; null on the last.
    next_cursor: str | None


class ConfidenceBody(TypedDict):
    """How much a number can be trusted, and why."""

    agreement: float
    calibration: float
    coverage: float
    value: float
    # `low`, `moderate` or `high`.
    word: str


class ConflictEvent(TypedDict):
    """One conflict event."""

    # Readable actor labels, no duplicates; empty when unknown.
    actors: list[str]
    # `kinetic`, `posture`, `threat`, `coercion` or `unrest`. Tolerate new values.
    category: str
    # 0 to 1, higher is worse. Three decimals.
    escalation: float
    id: str
    lat: float
    lon: float
    occurred_at: str


class Countries(TypedDict):
    """Countries with a score, worst first."""

    as_of: str
    countries: list[Country]
    # Send as `cursor` for the next page; null on the last.
    next_cursor: str | None
    # The number of countries without a score at this tick, by reason.
    not_scored: NotScored


class Country(TypedDict):
    """One country in the list."""

    # ISO 3166-1 alpha-2.
    country: str
    # Share of all weight that has fresh data.
    coverage: float
    # Null while there is no score of a day ago.
    delta_24h: float | None
    name: str
    # Only those with data.
    pillars: dict[str, float]
    # 0 to 100, lower is more stable. One decimal.
    score: float
    # Against the mean of the last three daily closes.
    trend: TrendWord


class CountryDetail(TypedDict):
    """One country."""

    as_of: str
    country: str
    coverage: float
    delta_24h: float | None
    # Its newest events of the last seven days, at most ten. Empty for a caller without the scope `events:read`.
    events: list[ConflictEvent]
    indicators: list[Indicator]
    late: bool
    name: str
    pillars: dict[str, float]
    published_at: str
    # Place among the countries with a score, the worst first; null without a score.
    rank: int | None
    # Countries with a score.
    ranked: int
    # Null without a score.
    score: float | None
    # The country's reports stopped while the world's continue, so its last readings are held.
    silent: bool
    standing: CountryStanding
    trend: TrendWord
    # The share of the country's daily closes of the last year that are below this score, in percent; null with
    # too little history.
    year_percentile: float | None


class CountryExplanation(TypedDict):
    """The explanation of a country's score. Contributions add to the score, changes to the 24 h change."""

    as_of: str
    country: str
    coverage: float
    delta_24h: float | None
    # Indicators that the country had a day ago and no longer has, with their part of the change.
    left: list[LeftExplanation]
    # The method for countries, which `/v1/method` has under `countries`.
    method: MethodReference
    name: str
    pillars: list[CountryPillarExplanation]
    score: float | None
    silent: bool
    standing: CountryStanding


class CountryFeature(TypedDict):
    """One country with its outline."""

    geometry: CountryOutline | None
    # ISO 3166-1 alpha-2.
    id: str
    properties: Country
    type: str


class CountryFeatures(TypedDict):
    """The same countries as GeoJSON, for maps."""

    as_of: str
    # The credit to show with a map of the outlines.
    attribution: str
    features: list[CountryFeature]
    # Send as `cursor` for the next page; null on the last.
    next_cursor: str | None
    not_scored: NotScored
    type: str


CountryHistory = TypedDict(
    "CountryHistory",
    {
        "country": "str",
        "from": "str",
        "points": "list[HistoryBucket]",
        "step": "StepWord",
        "to": "str",
    },
)


class CountryIndicatorExplanation(TypedDict):
    """One indicator's part in a country's score."""

    # Points of the country's 24 h change; null without a score of a day ago.
    change_24h: float | None
    # Points of the country's score; null without one.
    contribution: float | None
    freshness: float
    # The last reading is held, because its source is silent.
    held: bool
    key: str
    period_end: str
    # Days of the country's history that the value was ranked in.
    sample_days: int
    # 0 to 100 on the common scale.
    score: float
    value: float
    # Within the pillar, after age.
    weight: float


class CountryMethod(TypedDict):
    """The method for countries."""

    # The countries of each exchange rate.
    currencies: dict[str, list[str]]
    digest: str
    indicators: list[CountryMethodIndicator]
    parameters: dict[str, float]
    pillars: dict[str, float]
    # The countries of each region.
    regions: dict[str, list[str]]
    # The series that the indicators read.
    series: NotRequired[list[str]]
    version: str


class CountryMethodIndicator(TypedDict):
    """One indicator of a country."""

    business_days: bool
    cadence_hours: float
    compared_with: str
    description: str
    formula: dict[str, MethodParameter]
    key: str
    lag_hours: float
    pillar: str
    prior: MethodPrior
    slack_hours: float
    unit: str
    weight: float


class CountryOutline(TypedDict):
    """A GeoJSON MultiPolygon, simplified to about ten kilometres."""

    # Polygons of rings of points: longitude, latitude.
    coordinates: list[list[list[list[float]]]]
    type: str


class CountryPillarExplanation(TypedDict):
    """One pillar's part in a country's score."""

    # Points of the country's score; null without one.
    contribution: float | None
    coverage: float
    indicators: list[CountryIndicatorExplanation]
    pillar: PillarKey
    score: float
    # Among the pillars that the country has.
    weight: float


class Crises(TypedDict):
    """The dated crises that the method is judged by, oldest first."""

    crises: list[Crisis]


class Crisis(TypedDict):
    date: str
    end: str
    name: str
    pillars: list[PillarKey]
    # How clearly the score should show it: A must, B should, C is hard to see or regional.
    tier: str


class CrisisList(TypedDict):
    """A list of dated crises, or a stricter selection from one."""

    crises: int
    name: str


DayPlace = TypedDict(
    "DayPlace",
    {
        "days": "int",
        "days_this_high": "int",
        "from": "str",
        "last_this_high": "HighDays | None",
        "share_lower": "float",
        "to": "str",
    },
)


class DaySpan(TypedDict):
    first: str
    last: str


class EscalationPartsBody(TypedDict):
    """The parts of the escalation score, each 0 to 1."""

    corroboration: float
    departure: float
    gravity: float
    intensity: float
    # The factor that multiplies the others.
    reliability: float
    tempo: float


class EventDetail(TypedDict):
    """Everything known about one event."""

    actors: list[str]
    category: str
    closed: bool
    # ISO 3166-1 alpha-2, or null when not known.
    country: str | None
    # Effective number of distinct source domains.
    domains: int
    escalation: float
    escalation_parts: EscalationPartsBody
    id: str
    last_activity: str
    lat: float
    lon: float
    # Ids of events that were merged into this one.
    merged: list[str]
    occurred_at: str
    place: str
    precision: PrecisionWord
    # The highest probability, by the event filter, that one of its articles reports a real and current event;
    # null for events from before the filter.
    probability: float | None
    reports: int
    # Every published version, oldest first.
    revisions: list[EventRevision]
    # Versions that were replaced before this time are no longer kept; null when all are listed.
    revisions_since: str | None
    sources: list[EventSourceBody]
    status: StatusWord
    # Distinct stories after syndicated copies are collapsed.
    stories: int


class EventFeature(TypedDict):
    """One conflict event as a GeoJSON feature."""

    geometry: EventPoint
    id: str
    properties: EventProperties
    type: str


class EventFeatures(TypedDict):
    """The same page as an RFC 7946 FeatureCollection."""

    features: list[EventFeature]
    # Send as `cursor` for the next page; null on the last.
    next_cursor: str | None
    type: str


class EventPage(TypedDict):
    """A page of conflict events, newest first."""

    events: list[ConflictEvent]
    # Send as `cursor` for the next page; null on the last.
    next_cursor: str | None


class EventPoint(TypedDict):
    """A GeoJSON point: longitude, latitude."""

    coordinates: list[float]
    type: str


class EventProperties(TypedDict):
    """The properties of a feature."""

    actors: list[str]
    category: str
    # ISO 3166-1 alpha-2, or null when not known.
    country: str | None
    escalation: float
    occurred_at: str
    place: str
    status: StatusWord


class EventRevision(TypedDict):
    """The version of an event that one tick published."""

    as_of: str
    category: str
    escalation: float
    reports: int
    status: StatusWord


class EventSourceBody(TypedDict):
    """One report."""

    domain: str
    first_seen: str
    url: str


class Explanation(TypedDict):
    """The composite, its pillars and their indicators, with all values that the numbers come from."""

    as_of: str
    # `calm`, `guarded`, `elevated`, `high` or `severe`.
    band: str
    # Previous methods, which run in parallel for a month, oldest first. `?method=` explains their scores.
    beside: list[BesideMethod]
    # Number of pillars at 50 or more.
    breadth: int
    confidence: ConfidenceBody
    context: ScoreContext | None
    # How much the pillars move together, 0 to 1. It is not part of the score; null with too little history.
    coupling: float | None
    # Share of the method's weight that had fresh data.
    coverage: float
    delta_24h: float
    # `ok`, or `no_baseline` when nothing was published 24 hours ago.
    delta_basis: str
    delta_significant: bool
    interval_90: Interval
    # The snapshot was computed after the next tick was due, as after an outage or a change of leader.
    late: bool
    method: MethodReference
    # The fast minus the slow average, from which the trend follows.
    momentum: float
    # Percentile within the composite's last ten years; null with too little history.
    percentile_10y: float | None
    # Their contributions add to `score`, their effects to `delta_24h`.
    pillars: list[PillarExplanation]
    # The time of publication; null while the store is unavailable.
    published_at: str | None
    score: float
    snapshot: str
    # `ok`, `degraded` or `stale`.
    status: str
    trend: TrendWord
    # The composite before smoothing.
    unsmoothed: float


class FactBody(TypedDict):
    """One supported statement."""

    id: str
    kind: str
    # Which sentence of the summary states it, counted from 0, or null.
    sentence: int | None
    sources: list[str]
    subject: str
    unit: str
    value: float | None


class FeedBody(TypedDict):
    """One feed."""

    # Age of the newest content. The next two fields are the ages at which it is late and stale.
    age_seconds: int | None
    attribution: str
    failing_since: str | None
    feed: str
    homepage: str
    last_attempt: str | None
    last_change: str | None
    # Why the last payload was refused, or null.
    last_refusal: str | None
    last_success: str | None
    late_after_seconds: int
    licence: str
    newest_content: str | None
    pillar: PillarKey | None
    poll_seconds: int
    publisher: str
    rows_accepted: int
    rows_duplicate: int
    # Rejected rows by reason.
    rows_rejected: dict[str, int]
    rows_seen: int
    stale_after_seconds: int
    status: FeedHealthWord
    title: str


class Feeds(TypedDict):
    """Every feed and its health."""

    feeds: list[FeedBody]


class GeneratedByBody(TypedDict):
    """The author of the text."""

    how: TextAuthor
    # Why a model's text was not used, or null.
    rejected: str | None


HighDays = TypedDict(
    "HighDays",
    {
        "days": "int",
        "from": "str",
        "highest": "float",
        "to": "str",
    },
)


History = TypedDict(
    "History",
    {
        "from": "str",
        "pillars": "PillarBuckets | None",
        "points": "list[HistoryBucket]",
        "series": "str",
        "step": "StepWord",
        "to": "str",
    },
)


class HistoryBucket(TypedDict):
    """The scores that were published from `at` until the next bucket."""

    at: str
    last: float
    # `last` was computed after the next tick was due.
    late: bool
    max: float
    min: float
    # The time at which `last` was published.
    published_at: str


class HookBriefing(TypedDict):
    """A briefing that was published, in short."""

    headline: str
    id: str
    published_at: str
    subject: str
    summary: str
    tags: list[str]


class HookSnapshot(TypedDict):
    """A snapshot that was published, in short."""

    as_of: str
    band: Band
    # Null while there is no score of 24 hours before.
    delta_24h: float | None
    id: str
    pillars: PillarScores
    score: float
    status: DataStatus
    trend: TrendWord


class HookTest(TypedDict):
    """A message that an operator sent to try a hook."""

    # The hook's name.
    hook: str


class Indicator(TypedDict):
    """A reading of one indicator, in its own unit (see `/v1/method`)."""

    key: str
    # Four significant digits.
    value: float


class IndicatorExplanation(TypedDict):
    """One indicator's part in its pillar and in the composite."""

    age_seconds: int | None
    calibration: float
    contribution: float
    coverage_effect: float | None
    # Points of the composite's change; null without a baseline.
    data_effect: float | None
    effective_weight: float
    feed: str
    freshness: float
    # A jump that is held back for one tick.
    held: bool
    # The stored observations behind the value.
    inputs: list[InputReference]
    key: str
    missing: str | None
    # Share of its history below this value, in percent.
    percentile: float | None
    # End of the newest period in the value.
    period_end: str | None
    # Points of the pillar score, and of the composite.
    pillar_contribution: float
    pillar_coverage_effect: float | None
    # Points of the pillar's change; null without a baseline.
    pillar_data_effect: float | None
    quality: float
    # Days of history that the value was ranked in.
    sample: int
    # 0 to 100 on the common scale.
    score: float | None
    unit: str
    # Null when there is no data; `missing` says why.
    value: float | None
    # Weight in the pillar: in the catalogue, and reduced by age and quality.
    weight: float


class InputCountries(TypedDict):
    """A tick's countries are a function of the rows, its events and the countries published before."""

    # The record of a day before.
    day_ago: dict[str, dict[str, Any]] | None
    # SHA-256 of the published record as JSON, in hexadecimal. Computing it again must give the same digest.
    digest: str
    # The tick's events by country.
    events: dict[str, dict[str, dict[str, Any]]]
    # The record published before it.
    previous: dict[str, dict[str, Any]] | None


class InputReference(TypedDict):
    """A reference to a stored observation."""

    # The entity of the observation; empty for the world.
    entity: str
    period_end: str
    revision: int
    series: str


class Inputs(TypedDict):
    """Start from `state` and compute the `ticks` in order, each with the rows known at that time. The last one
    gives the snapshot."""

    as_of: str
    # Scores by previous methods at the same tick. Part of the record, not of the arithmetic.
    beside: NotRequired[list[dict[str, dict[str, Any]]]]
    # The score among the days before it. Part of the record, not of the arithmetic.
    context: NotRequired[dict[str, dict[str, Any]]]
    # Further inputs of the countries of the same tick. Absent when none were computed, or by a method for
    # countries other than the one in `method`.
    countries: NotRequired[InputCountries]
    # The health of the feeds. Part of the record, not of the arithmetic.
    feeds: list[dict[str, dict[str, Any]]]
    # The version of this format.
    format: int
    # The document that `/v1/method` returns.
    method: Method
    # The time of publication. Inputs from older versions lack it.
    published_at: NotRequired[str]
    series: list[SeriesRows]
    simulated: bool
    slots: list[SlotRow]
    snapshot: str
    state: StateBody | None
    ticks: list[str]
    # Series that may not be passed on; without them the snapshot cannot be computed again.
    withheld: list[str]


class Interval(TypedDict):
    """The range that contains the true value with a probability of 90 %."""

    high: float
    low: float


class JsonFeed(TypedDict):
    """A JSON Feed, version 1.1."""

    description: str
    feed_url: str
    # The dashboard. Addresses are absolute where `public.url` is set, otherwise relative to the address of the
    # feed.
    home_page_url: str
    items: list[JsonFeedItem]
    language: str
    title: str
    version: str


class JsonFeedItem(TypedDict):
    """One entry."""

    content_text: str
    date_published: str
    id: str
    tags: list[str]
    title: str
    # Its page in the dashboard.
    url: str


class KeySelf(TypedDict):
    """The key the request was made with."""

    created_at: str | None
    # Null: never.
    expires_at: str | None
    # The public part of the key.
    id: str
    name: str
    quota: Quota | None
    scopes: list[str]


class KnownPillars(TypedDict):
    """The pillar scores of a day; null with too little data."""

    conflict: float | None
    cyber: float | None
    macro: float | None
    supply_chain: float | None


class Layer(TypedDict):
    """One kind of thing on the map, all of it from one feed."""

    # The meaning of a mark's value.
    about: str
    # The credit that must be shown to readers.
    attribution: str
    feed: str
    key: LayerKey
    licence: str
    # Further conditions of the licence, or empty.
    licence_note: str
    # The gravest first, then by id.
    marks: list[Mark]
    # The newest day with data, UTC.
    newest_day: str | None
    publisher: str
    # `stale` when the newest day is too old. With `no_data`, missing marks do not mean that nothing happened.
    status: LayerStatusWord
    title: str
    # The unit of the values.
    unit: str


class Layers(TypedDict):
    """The layers of the map, as known at a tick."""

    as_of: str
    layers: list[Layer]


class LeftExplanation(TypedDict):
    """An indicator that the country no longer has."""

    change_24h: float
    key: str


Level = TypedDict(
    "Level",
    {
        "band": "Band",
        "crisis_begins_within_14_days": "float | None",
        "crisis_under_way": "float | None",
        "crisis_under_way_range": "ShareRange | None",
        "days": "int",
        "from": "float",
        "to": "float",
    },
)


class Mark(TypedDict):
    """One place, country or happening."""

    # ISO 3166-1 alpha-2. A mark without coordinates is about the whole country.
    country: str | None
    # The day of the value, or the last of several days, UTC.
    day: str
    # Unique in its layer, and the same from tick to tick.
    id: str
    lat: float | None
    # The severity from 0 (ordinary) to 3 (gravest), on the same scale for all layers.
    level: int
    lon: float | None
    name: str
    # The severity in the layer's words.
    severity: str
    # Null where the licence lets only the severity be shown.
    value: float | None


class Meaning(TypedDict):
    """What a level has meant: frequencies in the past, and their limits."""

    # The band of this score, without hysteresis.
    band: Band
    # Number of dated crises in the list that comes with the program.
    crises: int
    date: str
    # The number of reconstructed days with a score.
    days: int
    # The statement that the score does not forecast, with figures.
    forecast: str
    # The last reconstructed day with a score at least this high; null when there is none.
    last_day_as_high: str | None
    # From the lowest band to the highest.
    levels: list[Level]
    # The first and last day that the list of crises covers.
    listed_from: str
    listed_to: str
    # The lists behind the ranges: the list that comes with the program, and stricter selections from it.
    lists: list[CrisisList]
    method_version: str
    origin: DayOrigin
    score: float
    # Share of all reconstructed days with a lower score.
    share_of_days_lower: float


class Method(TypedDict):
    """Everything that can change a number, with a digest over it."""

    # Further thresholds at which alerts begin and end.
    alert_rules: NotRequired[dict[str, MethodParameter]]
    # How the alert levels are computed.
    alerts: MethodAlerts
    countries: NotRequired[CountryMethod | None]
    # The digest of everything that can change a score: parameters, indicators and the files in `parts`.
    digest: str
    # The statement that the score does not forecast, with figures. Absent until the past is computed.
    forecast: NotRequired[str | None]
    # Indicators whose feeds are off.
    inactive: list[str]
    indicators: list[MethodIndicator]
    parameters: dict[str, MethodParameter]
    # Digest of each file of lists and words.
    parts: NotRequired[dict[str, str]]
    # Weight of each pillar in the composite.
    pillars: dict[str, float]
    # The series that the indicators read.
    series: list[str]
    version: str
    # How texts phrase each indicator.
    words: NotRequired[dict[str, dict[str, str]]]
    words_digest: NotRequired[str | None]


class MethodAlerts(TypedDict):
    past_days: int
    past_needed: int
    # By pillar, and `composite`.
    rules: dict[str, dict[str, float]]


class MethodChange(TypedDict):
    """One entry of the log."""

    date: str
    # The effect on measured figures.
    effect: str
    kind: MethodChangeKind
    title: str
    # The version that the change made, or that the correction is about.
    version: str
    what: str
    why: str


class MethodChanges(TypedDict):
    """Changes of the method, and corrections of figures about it. Published scores are never rewritten."""

    # Newest first.
    changes: list[MethodChange]
    digest: str
    # The method in force.
    version: str


class MethodIndicator(TypedDict):
    """One indicator of the composite."""

    business_days: bool
    cadence_hours: float
    # Compared with the same day of the week.
    day_of_week: bool
    description: str
    fades: NotRequired[dict[str, float] | None]
    feeds: list[str]
    # `kind` and its parameters.
    formula: dict[str, MethodParameter]
    key: str
    lag_hours: float
    # Its absence does not lower the coverage.
    optional: bool
    pillar: str
    # The distribution assumed before there is history.
    prior: MethodPrior
    slack_hours: float
    start: NotRequired[str | None]
    takes_over: NotRequired[bool | None]
    tested_on: NotRequired[MethodTestSeries | None]
    unit: str
    # The weight within its pillar. With zero, the indicator is shown and not scored.
    weight: float
    window_years: float


class MethodPrior(TypedDict):
    """A distribution by its median and its 95th percentile."""

    kind: str
    median: float
    q95: float


class MethodReference(TypedDict):
    """The method that computed the numbers."""

    digest: str
    version: str


class MethodTestSeries(TypedDict):
    """The longer series on which an indicator was tested."""

    prior: MethodPrior
    series: str


class NotScored(TypedDict):
    """Countries without a score. A missing score does not mean that a country is calm."""

    # Too little data.
    thin: int
    # Too little news coverage.
    unmonitored: int


class Overview(TypedDict):
    """The composite and its four parts at one tick."""

    # The tick the data refer to.
    as_of: str
    pillars: PillarScores
    # Composite score, lower is more stable. One decimal.
    score: float
    # Direction of the number: `down` means getting more stable.
    trend: TrendWord


class ParameterProblem(TypedDict):
    """One parameter that was not accepted."""

    # What would be accepted.
    allowed: str
    # The parameter's name as it was sent.
    parameter: str
    # What is wrong with it.
    problem: str


class PillarBuckets(TypedDict):
    """The buckets of every pillar."""

    conflict: list[HistoryBucket]
    cyber: list[HistoryBucket]
    macro: list[HistoryBucket]
    supply_chain: list[HistoryBucket]


class PillarDrilldown(TypedDict):
    """One pillar with the readings behind it."""

    # The tick the data refer to.
    as_of: str
    # The published score minus the one published 24 hours ago; 0.0 without one.
    delta_24h: float
    # Readings with data. Others are left out.
    indicators: list[Indicator]
    pillar: PillarKey
    # Pillar score. One decimal.
    score: float


class PillarExplanation(TypedDict):
    """One pillar's part in the composite."""

    confidence: ConfidenceBody
    # Points of the composite.
    contribution: float
    coverage: float
    coverage_effect: float | None
    # Points of the composite's change from data and from coverage; null without a baseline.
    data_effect: float | None
    delta_24h: float
    # `ok`, or `no_baseline` when nothing was published 24 hours ago.
    delta_basis: str
    indicators: list[IndicatorExplanation]
    pillar: PillarKey
    score: float
    standard_error: float | None
    # `ok`, `degraded`, or `unavailable`: the last score is held and the composite is computed without it.
    status: str
    unsmoothed: float
    # Effective weight in the composite.
    weight: float


class PillarScores(TypedDict):
    """The four pillar scores, 0 to 100, one decimal."""

    conflict: float
    cyber: float
    macro: float
    supply_chain: float


class Problem(TypedDict):
    """The wire form of a problem."""

    # A stable word for programs.
    code: str
    # What happened in this case.
    detail: str
    # The parameters concerned, when the problem is about parameters; the first twenty when there are more.
    errors: NotRequired[list[ParameterProblem]]
    # The path that was asked for.
    instance: str
    # Also in the header X-Request-Id and in the service's log.
    request_id: str
    # The status code, again.
    status: int
    # The kind of problem in a few words.
    title: str
    # A path that resolves to a page about this kind of problem.
    type: str


class Quota(TypedDict):
    """A token bucket and what is left in it."""

    burst: int
    per_minute: int
    remaining: int
    # Seconds until the bucket is full again.
    reset_seconds: int


class ReconstructedIndicator(TypedDict):
    """An indicator of the reconstruction."""

    key: str
    # Its weight in the live pillar.
    live_weight: float
    pillar: PillarKey
    # Spans of days with a value, within the requested window.
    with_data: list[DaySpan]


class ReconstructedPoint(TypedDict):
    """One day at its last tick."""

    # Share of the live weight with fresh values.
    coverage: float
    date: str
    # Null with too little data.
    score: float | None


Reconstruction = TypedDict(
    "Reconstruction",
    {
        "attributions": "list[str]",
        "from": "str",
        "indicators": "list[ReconstructedIndicator]",
        "method_digest": "str",
        "method_version": "str",
        "origin": "str",
        "points": "list[ReconstructedPoint]",
        "series": "str",
        "step": "str",
        "to": "str",
    },
)


class ScoreContext(TypedDict):
    """The place of a score among the days before it. Scores are compared as shown, to a tenth. Published and
    reconstructed days are never mixed."""

    # The statement that the score does not forecast, with figures; null where it is not compared with the real
    # past.
    forecast: str | None
    level: Level | None
    published: DayPlace | None
    reconstruction: DayPlace | None
    # The method of the reconstruction.
    reconstruction_method: str | None


class SeriesRows(TypedDict):
    # A country, a place or a currency; absent when the series has one entity.
    entity: NotRequired[str]
    feed: str
    # Period end, revision, known at, value, quality; times in seconds since 1970.
    rows: list[list[float]]
    series: str


class ShareRange(TypedDict):
    """The lowest and the highest share."""

    high: float
    low: float


class SlotRow(TypedDict):
    """Counts over one file of coded news."""

    articles: int
    conflict: float
    # Country, articles, conflict.
    countries: list[list[dict[str, Any]]]
    cyber: int
    known_at: int
    stamp: int
    supply: int
    threat: float


class StateBody(TypedDict):
    # Base64.
    bytes: str
    tick: str


class StreamAlert(TypedDict):
    """A change of the band, of the status of the data, or of an alert."""

    after: str
    alert: Alert | None
    as_of: str
    before: str
    # `band`, `status`, or `alert:` and a subject, which goes from `off` to `on` and back. Subjects other than
    # the composite and the pillars are sent to keys with `alerts:read`.
    kind: str


class StreamFeed(TypedDict):
    """One feed's status."""

    feed: str
    status: FeedHealthWord


class StreamFeeds(TypedDict):
    """The status of every feed, sent when one changes."""

    feeds: list[StreamFeed]


class StreamReset(TypedDict):
    """Missed messages are no longer kept, so the client must request its data again."""

    # The newest tick. Its messages follow.
    as_of: str | None


class StreamSnapshot(TypedDict):
    """A new snapshot."""

    as_of: str
    band: Band
    # The change against the score published 24 hours before; 0.0 without such a baseline.
    delta_24h: float
    pillars: PillarScores
    score: float
    simulated: bool
    # The same status as in `GSI-Data-Status`.
    status: DataStatus
    trend: TrendWord


class StreamTick(TypedDict):
    """The end of a tick's messages. A later connection continues from its id."""

    as_of: str
    # The number of new or changed events, including events that the key may not read.
    events: int
    # The number of these events that were not sent because there were too many. The list has all of them.
    events_left_out: int


class SummaryBody(TypedDict):
    """The rolling summary."""

    # The tick the summary refers to.
    as_of: str
    # Natural-language text covering all pillars.
    summary: str


class AlertMessage(TypedDict):
    """The band or the state of the data changed, or an alert began or ended."""

    event: Literal["alert"]
    id: str | None
    data: StreamAlert


class BriefingMessage(TypedDict):
    """A briefing was published."""

    event: Literal["briefing"]
    id: str | None
    data: BriefingBody


class EventMessage(TypedDict):
    """A conflict event is new or has changed."""

    event: Literal["event"]
    id: str | None
    data: ConflictEvent


class FeedsMessage(TypedDict):
    """The standing of a feed changed."""

    event: Literal["feeds"]
    id: str | None
    data: StreamFeeds


class ResetMessage(TypedDict):
    """Messages were missed that are no longer kept."""

    event: Literal["reset"]
    id: str | None
    data: StreamReset


class SnapshotMessage(TypedDict):
    """A snapshot was published."""

    event: Literal["snapshot"]
    id: str | None
    data: StreamSnapshot


class TickMessage(TypedDict):
    """Everything of a tick has been said. Carries the id."""

    event: Literal["tick"]
    id: str | None
    data: StreamTick


StreamMessage = AlertMessage | BriefingMessage | EventMessage | FeedsMessage | ResetMessage | SnapshotMessage | TickMessage
STREAM_EVENTS = frozenset({"alert", "briefing", "event", "feeds", "reset", "snapshot", "tick"})

# Fields that hold a time or a day wherever they occur.
TIME_FIELDS = frozenset(
    {
        "as_of",
        "at",
        "began_at",
        "created_at",
        "date",
        "date_published",
        "day",
        "end",
        "ended_at",
        "expires_at",
        "failing_since",
        "first",
        "first_seen",
        "last_activity",
        "last_attempt",
        "last_change",
        "last_day_as_high",
        "last_success",
        "listed_from",
        "listed_to",
        "newest_content",
        "newest_day",
        "occurred_at",
        "period_end",
        "published_at",
        "revisions_since",
        "since",
        "tick",
        "until",
    }
)
