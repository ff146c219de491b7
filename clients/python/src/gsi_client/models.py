"""The bodies of the answers.

Made by clients/python/generate.py from the OpenAPI document. Not to be edited."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

CardPicture = str

FeedHealthWord = Literal["ok", "late", "stale", "never"]

LayerStatusWord = Literal["ok", "stale", "no_data"]

MethodParameter = float | bool | str | list[float] | list[str] | dict[str, float]

PillarKey = Literal["conflict", "cyber", "supply_chain", "macro"]

PrecisionWord = Literal["city", "region", "country"]

StatusWord = Literal["confirmed", "reported", "unconfirmed"]

StepWord = Literal["15m", "1h", "1d"]

TrendWord = Literal["up", "down", "flat"]


class Alert(TypedDict):
    """A rule that holds, or held, for a subject."""

    # The event or the briefing it speaks of.
    about: str | None
    began_at: str
    country: str | None
    ended_at: str | None
    headline: str
    id: str
    # `score`, `band`, `event`, `feed` or `briefing`.
    rule: str
    # The snapshot it began with.
    snapshot: str
    # `active` or `ended`.
    state: str
    # `global`, a pillar's key, `country:ua`, `feed:gdelt`, or what a briefing speaks of.
    subject: str
    # What that was held against.
    threshold: float | None
    # What was measured when it began: a score, or an event's escalation.
    value: float | None


class AlertDetail(TypedDict):
    """An alert with its course, what drove it, and how often its rule fired."""

    alert: Alert
    # What the rule watches, from a day before it began until it ended, at most 200 points; empty where that is
    # no number.
    course: list[AlertPoint]
    # Where the whole explanation of that moment is; null for feeds and briefings.
    explanation: str | None
    fired: AlertFrequency
    # The inputs behind the subject's score when it began, the largest first; empty for feeds and briefings.
    inputs: list[AlertInput]


class AlertFrequency(TypedDict):
    """How often a rule fired for a subject."""

    backtest: AlertsInPast | None
    # Beginnings within the 365 days before it began, itself included, as far as the store goes back.
    last_365_days: int


class AlertInput(TypedDict):
    # Its part of the 24 h change; null where there was nothing to compare with.
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
    # On how many pillars it was measured.
    pillars_compared: int
    score: float
    # The score thirty days later; null where the past ends before.
    score_30_days_later: float | None


class Analogues(TypedDict):
    """The days of the reconstructed past whose pillars were nearest, one to an episode."""

    # Nearest first. Days within 60 days of the one asked about, or of one already listed, are left out.
    analogues: list[Analogue]
    # The day asked about.
    date: str
    # The method that told the past.
    method_version: str
    # Whether its figures were published then or are reconstructed.
    origin: str
    pillars: KnownPillars
    score: float


class BesideMethod(TypedDict):
    """A method that another has taken the place of."""

    digest: str
    score: float
    # The first tick of the method that took its place …
    since: str
    # … and the first at which this one is computed no more.
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
    """A briefing with what it rests on."""

    # The tick it was written from.
    as_of: str
    # The briefing that corrects this one, or null. What was published stays as it was; this alone is added.
    corrected_by: str | None
    # The briefing this one corrects, or null.
    corrects: str | None
    # The UTC day it speaks of.
    day: str
    facts: list[FactBody]
    generated_by: GeneratedByBody
    headline: str
    id: str
    # Written later than its day because the service was not running.
    late: bool
    published_at: str
    # The summary cut into sentences; a fact's `sentence` counts in here.
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
    """How far a number can be trusted, and why."""

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
    # Send it back as `cursor` for the next page; null on the last.
    next_cursor: str | None
    # How many countries have no score at this tick, by why.
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
    # Its newest events of the last seven days, at most ten.
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
    # Its reports have stopped while the world's go on: what is told is the last that was known.
    silent: bool
    # `scored`, `thin` (too little is known) or `unmonitored` (the world's press hardly reports from there).
    standing: str
    trend: TrendWord
    # Share of the days of its own last year that closed below this score, in percent; null while there are too
    # few.
    year_percentile: float | None


class CountryExplanation(TypedDict):
    """How a country's score comes about: contributions add to the score, changes to the 24 h change."""

    as_of: str
    country: str
    coverage: float
    delta_24h: float | None
    # Indicators that it had a day ago and has no more, with their part of the change.
    left: list[LeftExplanation]
    # Of the method for countries, which is in `/v1/method` under `countries`.
    method: MethodReference
    name: str
    pillars: list[CountryPillarExplanation]
    score: float | None
    silent: bool
    standing: str


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
    # To be shown beside a map of the outlines.
    attribution: str
    features: list[CountryFeature]
    # Send it back as `cursor` for the next page; null on the last.
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
    # Days of the country's own history it was ranked in.
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
    pillars: list[str]
    # How plainly it should be seen: A must, B should, C is hard or regional.
    tier: str


class CrisisList(TypedDict):
    """A list of dated crises, or a stricter reading of one."""

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
    # Ids of events that turned out to be this one.
    merged: list[str]
    occurred_at: str
    place: str
    precision: PrecisionWord
    # How probable it is that the likeliest of its articles reports a real, current happening, as the event
    # filter judges; null for events opened before there was one.
    probability: float | None
    reports: int
    # Every published version, oldest first.
    revisions: list[EventRevision]
    # Versions that were replaced before this moment are no longer kept; null when all of them are here.
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
    """What a feature says beside its place."""

    actors: list[str]
    category: str
    # ISO 3166-1 alpha-2, or null when not known.
    country: str | None
    escalation: float
    occurred_at: str
    place: str
    status: StatusWord


class EventRevision(TypedDict):
    """The event as one tick published it."""

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
    """The composite, its pillars and their indicators, with everything that made the numbers."""

    as_of: str
    # `calm`, `guarded`, `elevated`, `high` or `severe`.
    band: str
    # Older methods that go on beside this one for a month, oldest first: `?method=` explains what they say.
    beside: list[BesideMethod]
    # Number of pillars at 50 or more.
    breadth: int
    confidence: ConfidenceBody
    context: ScoreContext | None
    # How much the pillars move together, 0 to 1; a diagnosis beside the score. Null while there is too little
    # history.
    coupling: float | None
    # Share of the method's weight that had fresh data.
    coverage: float
    delta_24h: float
    # `ok`, or `no_baseline` when nothing was published 24 hours ago.
    delta_basis: str
    delta_significant: bool
    interval_90: Interval
    # It was computed after the tick that follows it was due: after an outage or a change of leader.
    late: bool
    method: MethodReference
    # Fast minus slow average: the trend's evidence.
    momentum: float
    # Percentile within the composite's own last ten years; null while there is too little history.
    percentile_10y: float | None
    # Their contributions add to `score`, their effects to `delta_24h`.
    pillars: list[PillarExplanation]
    # When readers could first be shown it; null while the store cannot be asked.
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

    # Age of the newest content, and the ages at which it counts as late and as stale.
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
    # The pillar it feeds, or null when it serves several.
    pillar: str | None
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
    """Every feed and how it is doing."""

    feeds: list[FeedBody]


class GeneratedByBody(TypedDict):
    """How the text came about."""

    # `template` or `model`.
    how: str
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
    """What was published from `at` until the next bucket."""

    at: str
    last: float
    # It was computed after the tick that follows it was due.
    late: bool
    max: float
    min: float
    # When readers could first be shown `last`.
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
    band: str
    # Null while there is no score of 24 hours before.
    delta_24h: float | None
    id: str
    pillars: PillarScores
    score: float
    status: str
    trend: str


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
    # A jump held back for one tick.
    held: bool
    # The stored observations behind the value.
    inputs: list[InputReference]
    key: str
    missing: str | None
    # Share of its own history below this value, in percent.
    percentile: float | None
    # End of the newest period in the value.
    period_end: str | None
    # Points of the pillar score, and of the composite.
    pillar_contribution: float
    pillar_coverage_effect: float | None
    # Points of the pillar's change; null without a baseline.
    pillar_data_effect: float | None
    quality: float
    # Days of history it was ranked in.
    sample: int
    # 0 to 100 on the common scale.
    score: float | None
    unit: str
    # Null when there is no data; `missing` says why.
    value: float | None
    # Weight in the pillar by the catalogue, and after age and quality.
    weight: float


class InputCountries(TypedDict):
    """A tick's countries are a function of the rows, of its events and of what was published before."""

    # The stored record of a day before.
    day_ago: dict[str, dict[str, Any]] | None
    # SHA-256 of the published record as JSON, in hexadecimal: what computing it again has to give.
    digest: str
    # By country: what the tick's events said of it.
    events: dict[str, dict[str, dict[str, Any]]]
    # The stored record that was published last before it.
    previous: dict[str, dict[str, Any]] | None


class InputReference(TypedDict):
    """Names one stored observation."""

    # What it is about; empty for the world.
    entity: str
    period_end: str
    revision: int
    series: str


class Inputs(TypedDict):
    """Set out from `state` and do the `ticks` in order, each with the rows known by then: the last gives the
    snapshot."""

    as_of: str
    # What older methods said at the same tick. Part of the record, not of the arithmetic.
    beside: NotRequired[list[dict[str, dict[str, Any]]]]
    # The score among the days before it. Part of the record, not of the arithmetic.
    context: NotRequired[dict[str, dict[str, Any]]]
    # What the countries of the same tick were computed from, beside the rows. Absent where none were, or by
    # another method for countries than the one in `method`.
    countries: NotRequired[InputCountries]
    # How the feeds were doing. Part of the record, not of the arithmetic.
    feeds: list[dict[str, dict[str, Any]]]
    # Of this form; another number is another form.
    format: int
    # As `/v1/method` gives it.
    method: Method
    # When it was first shown. Not in inputs that were downloaded before it was told.
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
    """The range that holds the true value nine times in ten."""

    high: float
    low: float


class JsonFeed(TypedDict):
    """A JSON Feed, version 1.1."""

    description: str
    feed_url: str
    # The dashboard. Addresses are whole where `public.url` is set, otherwise relative to where the feed was
    # read.
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
    # Where the dashboard shows it.
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
    """Pillars of a day; null for one of which too little was known."""

    conflict: float | None
    cyber: float | None
    macro: float | None
    supply_chain: float | None


class Layer(TypedDict):
    """One kind of thing on the map, all of it from one feed."""

    # What a mark's value says.
    about: str
    # The line a reader must be shown.
    attribution: str
    feed: str
    key: str
    licence: str
    # What the licence asks for; empty where it asks for nothing.
    licence_note: str
    # The gravest first, then by id.
    marks: list[Mark]
    # The newest day that anything is known of, UTC.
    newest_day: str | None
    publisher: str
    # `ok`; `stale` when the newest day is long past; `no_data` when nothing is known, and no mark says nothing.
    status: LayerStatusWord
    title: str
    # Of the values.
    unit: str


class Layers(TypedDict):
    """What the feeds show on a map, as it was known at a tick."""

    as_of: str
    layers: list[Layer]


class LeftExplanation(TypedDict):
    """An indicator that is gone."""

    change_24h: float
    key: str


Level = TypedDict(
    "Level",
    {
        "band": "str",
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

    # ISO 3166-1 alpha-2. A mark without a place of its own is about the whole country.
    country: str | None
    # The day that it speaks of, or the last of several, UTC.
    day: str
    # Unique in its layer, and the same from tick to tick.
    id: str
    lat: float | None
    # 0: nothing out of the ordinary, to 3: the gravest; the same for all layers.
    level: int
    lon: float | None
    name: str
    # In a word of the layer's own.
    severity: str
    # Null where the licence lets only the severity be shown.
    value: float | None


class Meaning(TypedDict):
    """What a level has meant: past frequencies, and what they do not say."""

    # The band of this score, without hysteresis.
    band: str
    # Number of dated crises, of the one list that comes with the program.
    crises: int
    date: str
    # How many days that is out of.
    days: int
    # In a sentence, with the figures that show it.
    forecast: str
    # The last reconstructed day with a score at least this high; null when there is none.
    last_day_as_high: str | None
    # From the lowest band to the highest.
    levels: list[Level]
    # The days that the list of crises speaks for.
    listed_from: str
    listed_to: str
    # The lists that ranges are over: the one that comes with the program, and stricter readings of it.
    lists: list[CrisisList]
    method_version: str
    origin: str
    score: float
    # Share of all reconstructed days with a lower score.
    share_of_days_lower: float


class Method(TypedDict):
    """Everything that can change a number, with a digest over it."""

    # When alerts begin and end, beside `alerts`.
    alert_rules: NotRequired[dict[str, MethodParameter]]
    # How the levels are made at which a score has meant something.
    alerts: MethodAlerts
    countries: NotRequired[CountryMethod | None]
    # Of everything that can change a score: parameters, indicators and the files in `parts`.
    digest: str
    # That the score does not forecast, with the figures that show it, once the past is computed.
    forecast: NotRequired[str | None]
    # Indicators without a feed that is switched on.
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
    # How each indicator is spoken of.
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
    # What it did to measured figures.
    effect: str
    # `change` for another way of computing, `correction` for figures that turned out wrong.
    kind: str
    title: str
    # The version that it made, or that it speaks of.
    version: str
    what: str
    why: str


class MethodChanges(TypedDict):
    """What was changed in the method, or corrected in what was said of it. Published scores are never rewritten."""

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
    # What is assumed before there is history.
    prior: MethodPrior
    slack_hours: float
    start: NotRequired[str | None]
    takes_over: NotRequired[bool | None]
    tested_on: NotRequired[MethodTestSeries | None]
    unit: str
    # Within its pillar; zero is shown and not scored.
    weight: float
    window_years: float


class MethodPrior(TypedDict):
    """A distribution by its median and its 95th percentile."""

    kind: str
    median: float
    q95: float


class MethodReference(TypedDict):
    """Which method made the numbers."""

    digest: str
    version: str


class MethodTestSeries(TypedDict):
    """The longer series on which an indicator was tested."""

    prior: MethodPrior
    series: str


class NotScored(TypedDict):
    """Countries without a score: never calm by absence."""

    # Too little is known of them.
    thin: int
    # The world's press hardly reports from them.
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
    # Published score now minus the one published 24 hours ago; 0.0 while there is no such baseline.
    delta_24h: float
    # Readings that have data; one without is left out.
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
    # Points of the composite's change that come from data, and from coverage; null without a baseline.
    data_effect: float | None
    delta_24h: float
    # `ok`, or `no_baseline` when nothing was published 24 hours ago.
    delta_basis: str
    indicators: list[IndicatorExplanation]
    pillar: PillarKey
    score: float
    standard_error: float | None
    # `ok`, `degraded`, or `unavailable`: the last score is held and the composite goes on without it.
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
    pillar: str
    # Spans of days with a value, within the window asked for.
    with_data: list[DaySpan]


class ReconstructedPoint(TypedDict):
    """One day at its last look."""

    # Share of the live weight whose values were at hand and fresh.
    coverage: float
    date: str
    # Null when too little was known.
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
    """The score among the days before it, compared as they are shown, to a tenth. Published and reconstructed
    days are never mixed."""

    # That the score does not forecast, with the figures that show it; null where it is not compared with the
    # real past.
    forecast: str | None
    level: Level | None
    published: DayPlace | None
    reconstruction: DayPlace | None
    # The method that told the reconstructed days.
    reconstruction_method: str | None


class SeriesRows(TypedDict):
    # A country, a place, a currency; absent where the series is of one thing.
    entity: NotRequired[str]
    feed: str
    # Period end, revision, known at, value, quality; times in seconds since 1970.
    rows: list[list[float]]
    series: str


class ShareRange(TypedDict):
    """The lowest and the highest of some shares."""

    high: float
    low: float


class SlotRow(TypedDict):
    """What was counted over one file of coded news."""

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
    """Something that asks for a look: the band, the state of the data or an alert is no longer what it was."""

    after: str
    alert: Alert | None
    as_of: str
    before: str
    # `band`, `status`, or `alert:` and a subject, which goes from `off` to `on` and back. Subjects other than
    # the composite and the pillars are sent to keys with `alerts:read`.
    kind: str


class StreamFeed(TypedDict):
    """One feed's standing."""

    feed: str
    # `ok`, `late`, `stale` or `never`.
    status: str


class StreamFeeds(TypedDict):
    """How every feed is doing, sent when that changes."""

    feeds: list[StreamFeed]


class StreamReset(TypedDict):
    """Messages were missed that are no longer kept: whatever was built from them must be asked for again."""

    # The newest tick, which follows.
    as_of: str | None


class StreamSnapshot(TypedDict):
    """A new snapshot."""

    as_of: str
    band: str
    # Against the score published 24 hours before; 0.0 while there is no such baseline.
    delta_24h: float
    pillars: PillarScores
    score: float
    simulated: bool
    # `ok`, `degraded` or `stale`, as in `GSI-Data-Status`.
    status: str
    trend: str


class StreamTick(TypedDict):
    """The end of everything a tick had to say; its id is where a later connection goes on from."""

    as_of: str
    # Events that are new or changed, whether the key may see them or not.
    events: int
    # How many of them were too many to send; the list has them all.
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
