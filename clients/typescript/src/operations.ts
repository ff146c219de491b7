// Made by clients/typescript/scripts/generate.mjs from the OpenAPI document. Not to be edited.

import type { BodyOf, PathOf, Query, QueryOf, RequestOptions } from "./types.js";

/** What the document calls each operation, and where it is. */
export const OPERATIONS = {
  getAlertsAtom: "/alerts.atom",
  getAlertsJsonFeed: "/alerts.json",
  getBadge: "/badge.svg",
  getBriefingsAtom: "/briefings.atom",
  getBriefingsJsonFeed: "/briefings.json",
  getCard: "/card.png",
  listAlerts: "/v1/alerts",
  getAlert: "/v1/alerts/{id}",
  listBriefings: "/v1/briefings",
  getBriefing: "/v1/briefings/{id}",
  listConflictEvents: "/v1/conflict",
  getConflictEvent: "/v1/conflict/{id}",
  listCountries: "/v1/countries",
  getCountry: "/v1/countries/{country}",
  explainCountry: "/v1/countries/{country}/explain",
  getCountryHistory: "/v1/countries/{country}/history",
  listCrises: "/v1/crises",
  listFeeds: "/v1/feeds",
  getGlobalStability: "/v1/global-stability",
  listAnalogues: "/v1/global-stability/analogues",
  explainGlobalStability: "/v1/global-stability/explain",
  getGlobalStabilityHistory: "/v1/global-stability/history",
  getMeaning: "/v1/global-stability/meaning",
  getPillar: "/v1/global-stability/pillar/{pillar}",
  getPillarHistory: "/v1/global-stability/pillar/{pillar}/history",
  getPillarReconstruction: "/v1/global-stability/pillar/{pillar}/reconstruction",
  getReconstruction: "/v1/global-stability/reconstruction",
  getOwnKey: "/v1/keys/self",
  listLayers: "/v1/layers",
  getMethod: "/v1/method",
  listMethodChanges: "/v1/method/changes",
  getSnapshotInputs: "/v1/snapshots/{id}/inputs",
  getSummary: "/v1/summaries",
} as const;

/** A method for every operation. */
export abstract class Operations {
  protected abstract body(path: string, query: Query, media: string, options: RequestOptions): Promise<unknown>;
  protected abstract items(path: string, list: string, query: Query, options: RequestOptions): AsyncGenerator<unknown, void>;

  /**
   * Alerts as Atom.
   * The newest 50 for a feed reader, without briefings, which have their own feed. The key may also be sent as the password of
   * HTTP Basic, with any user name. Needs the scope `alerts:read`.
   */
  getAlertsAtom(options: RequestOptions = {}): Promise<BodyOf<"getAlertsAtom", "application/atom+xml">> {
    return this.body("/alerts.atom", {}, "application/atom+xml", options) as Promise<BodyOf<"getAlertsAtom", "application/atom+xml">>;
  }

  /**
   * Alerts as JSON Feed.
   * The newest 50 for a feed reader, without briefings, which have their own feed. The key may also be sent as the password of
   * HTTP Basic, with any user name. Needs the scope `alerts:read`.
   */
  getAlertsJsonFeed(options: RequestOptions = {}): Promise<BodyOf<"getAlertsJsonFeed", "application/feed+json">> {
    return this.body("/alerts.json", {}, "application/feed+json", options) as Promise<BodyOf<"getAlertsJsonFeed", "application/feed+json">>;
  }

  /**
   * The score as a badge.
   * A line of SVG with the score and its band, for other people's pages. Needs the scope `scores:read`.
   */
  getBadge(options: RequestOptions = {}): Promise<BodyOf<"getBadge", "image/svg+xml">> {
    return this.body("/badge.svg", {}, "image/svg+xml", options) as Promise<BodyOf<"getBadge", "image/svg+xml">>;
  }

  /**
   * Briefings as Atom.
   * The newest 50 for a feed reader. The key may also be sent as the password of HTTP Basic, with any user name. Needs the scope `briefings:read`.
   */
  getBriefingsAtom(query: QueryOf<"getBriefingsAtom"> = {}, options: RequestOptions = {}): Promise<BodyOf<"getBriefingsAtom", "application/atom+xml">> {
    return this.body("/briefings.atom", query, "application/atom+xml", options) as Promise<BodyOf<"getBriefingsAtom", "application/atom+xml">>;
  }

  /**
   * Briefings as JSON Feed.
   * The newest 50 for a feed reader. The key may also be sent as the password of HTTP Basic, with any user name. Needs the scope `briefings:read`.
   */
  getBriefingsJsonFeed(query: QueryOf<"getBriefingsJsonFeed"> = {}, options: RequestOptions = {}): Promise<BodyOf<"getBriefingsJsonFeed", "application/feed+json">> {
    return this.body("/briefings.json", query, "application/feed+json", options) as Promise<BodyOf<"getBriefingsJsonFeed", "application/feed+json">>;
  }

  /**
   * The score as a picture.
   * 1200 × 630 pixels in the colour of the score's band, with its time, for previews of links. A simulated world says so. Needs the scope `scores:read`.
   */
  getCard(options: RequestOptions = {}): Promise<BodyOf<"getCard", "image/png">> {
    return this.body("/card.png", {}, "image/png", options) as Promise<BodyOf<"getCard", "image/png">>;
  }

  /**
   * Alerts.
   * Active and ended alerts, newest first: scores that are high and well above their past, upper bands, grave events, stale
   * feeds, published briefings. `since` and `until` filter by the time at which an alert began. Needs the scope `alerts:read`.
   */
  listAlerts(query: QueryOf<"listAlerts"> = {}, options: RequestOptions = {}): Promise<BodyOf<"listAlerts", "application/json">> {
    return this.body("/v1/alerts", query, "application/json", options) as Promise<BodyOf<"listAlerts", "application/json">>;
  }

  /**
   * Alerts, as csv.
   * Active and ended alerts, newest first: scores that are high and well above their past, upper bands, grave events, stale
   * feeds, published briefings. `since` and `until` filter by the time at which an alert began. Needs the scope `alerts:read`.
   */
  listAlertsCsv(query: QueryOf<"listAlerts"> = {}, options: RequestOptions = {}): Promise<BodyOf<"listAlerts", "text/csv">> {
    return this.body("/v1/alerts", { ...query, format: "csv" }, "text/csv", options) as Promise<BodyOf<"listAlerts", "text/csv">>;
  }

  /**
   * Alerts, page after page; `limit` is the size of a page.
   * Active and ended alerts, newest first: scores that are high and well above their past, upper bands, grave events, stale
   * feeds, published briefings. `since` and `until` filter by the time at which an alert began. Needs the scope `alerts:read`.
   */
  iterAlerts(query: Omit<QueryOf<"listAlerts">, "cursor"> = {}, options: RequestOptions = {}): AsyncGenerator<BodyOf<"listAlerts", "application/json">["alerts"][number], void> {
    return this.items("/v1/alerts", "alerts", query, options) as AsyncGenerator<BodyOf<"listAlerts", "application/json">["alerts"][number], void>;
  }

  /**
   * One alert.
   * An alert with the course of the watched value, its inputs when it began, and how often its rule fired. Needs the scope `alerts:read`.
   */
  getAlert(id: PathOf<"getAlert">["id"], query: QueryOf<"getAlert"> = {}, options: RequestOptions = {}): Promise<BodyOf<"getAlert", "application/json">> {
    return this.body(`/v1/alerts/${encodeURIComponent(id)}`, query, "application/json", options) as Promise<BodyOf<"getAlert", "application/json">>;
  }

  /**
   * Daily briefings.
   * Newest first. Needs the scope `briefings:read`.
   */
  listBriefings(query: QueryOf<"listBriefings"> = {}, options: RequestOptions = {}): Promise<BodyOf<"listBriefings", "application/json">> {
    return this.body("/v1/briefings", query, "application/json", options) as Promise<BodyOf<"listBriefings", "application/json">>;
  }

  /**
   * Daily briefings, as csv.
   * Newest first. Needs the scope `briefings:read`.
   */
  listBriefingsCsv(query: QueryOf<"listBriefings"> = {}, options: RequestOptions = {}): Promise<BodyOf<"listBriefings", "text/csv">> {
    return this.body("/v1/briefings", { ...query, format: "csv" }, "text/csv", options) as Promise<BodyOf<"listBriefings", "text/csv">>;
  }

  /**
   * Daily briefings, page after page; `limit` is the size of a page.
   * Newest first. Needs the scope `briefings:read`.
   */
  iterBriefings(query: Omit<QueryOf<"listBriefings">, "cursor"> = {}, options: RequestOptions = {}): AsyncGenerator<BodyOf<"listBriefings", "application/json">["briefings"][number], void> {
    return this.items("/v1/briefings", "briefings", query, options) as AsyncGenerator<BodyOf<"listBriefings", "application/json">["briefings"][number], void>;
  }

  /**
   * One briefing.
   * A briefing with the facts it states and their sources, the one it corrects and the one that corrects it. Needs the scope `briefings:read`.
   */
  getBriefing(id: PathOf<"getBriefing">["id"], query: QueryOf<"getBriefing"> = {}, options: RequestOptions = {}): Promise<BodyOf<"getBriefing", "application/json">> {
    return this.body(`/v1/briefings/${encodeURIComponent(id)}`, query, "application/json", options) as Promise<BodyOf<"getBriefing", "application/json">>;
  }

  /**
   * Conflict events.
   * Newest first. Without since: the last seven days. Filters combine; values of one repeated filter mean any of them. With a
   * filter, a window of more than 31 days counts as one request for every 31 days begun, twelve at most. Needs the scope `events:read`.
   */
  listConflictEvents(query: QueryOf<"listConflictEvents"> = {}, options: RequestOptions = {}): Promise<BodyOf<"listConflictEvents", "application/json">> {
    return this.body("/v1/conflict", query, "application/json", options) as Promise<BodyOf<"listConflictEvents", "application/json">>;
  }

  /**
   * Conflict events, as geojson.
   * Newest first. Without since: the last seven days. Filters combine; values of one repeated filter mean any of them. With a
   * filter, a window of more than 31 days counts as one request for every 31 days begun, twelve at most. Needs the scope `events:read`.
   */
  listConflictEventsGeojson(query: QueryOf<"listConflictEvents"> = {}, options: RequestOptions = {}): Promise<BodyOf<"listConflictEvents", "application/geo+json">> {
    return this.body("/v1/conflict", { ...query, format: "geojson" }, "application/geo+json", options) as Promise<BodyOf<"listConflictEvents", "application/geo+json">>;
  }

  /**
   * Conflict events, as csv.
   * Newest first. Without since: the last seven days. Filters combine; values of one repeated filter mean any of them. With a
   * filter, a window of more than 31 days counts as one request for every 31 days begun, twelve at most. Needs the scope `events:read`.
   */
  listConflictEventsCsv(query: QueryOf<"listConflictEvents"> = {}, options: RequestOptions = {}): Promise<BodyOf<"listConflictEvents", "text/csv">> {
    return this.body("/v1/conflict", { ...query, format: "csv" }, "text/csv", options) as Promise<BodyOf<"listConflictEvents", "text/csv">>;
  }

  /**
   * Conflict events, page after page; `limit` is the size of a page.
   * Newest first. Without since: the last seven days. Filters combine; values of one repeated filter mean any of them. With a
   * filter, a window of more than 31 days counts as one request for every 31 days begun, twelve at most. Needs the scope `events:read`.
   */
  iterConflictEvents(query: Omit<QueryOf<"listConflictEvents">, "cursor"> = {}, options: RequestOptions = {}): AsyncGenerator<BodyOf<"listConflictEvents", "application/json">["events"][number], void> {
    return this.items("/v1/conflict", "events", query, options) as AsyncGenerator<BodyOf<"listConflictEvents", "application/json">["events"][number], void>;
  }

  /**
   * One conflict event.
   * An event by its id, or by the id of one that was merged into it. Needs the scope `events:read`.
   */
  getConflictEvent(id: PathOf<"getConflictEvent">["id"], query: QueryOf<"getConflictEvent"> = {}, options: RequestOptions = {}): Promise<BodyOf<"getConflictEvent", "application/json">> {
    return this.body(`/v1/conflict/${encodeURIComponent(id)}`, query, "application/json", options) as Promise<BodyOf<"getConflictEvent", "application/json">>;
  }

  /**
   * Countries by score.
   * Every country that has a score, worst first, then by code. With `pillar`, only countries that have this pillar, ranked by
   * it. A country without enough data has no score; `not_scored` counts these. Needs the scope `scores:read`.
   */
  listCountries(query: QueryOf<"listCountries"> = {}, options: RequestOptions = {}): Promise<BodyOf<"listCountries", "application/json">> {
    return this.body("/v1/countries", query, "application/json", options) as Promise<BodyOf<"listCountries", "application/json">>;
  }

  /**
   * Countries by score, as geojson.
   * Every country that has a score, worst first, then by code. With `pillar`, only countries that have this pillar, ranked by
   * it. A country without enough data has no score; `not_scored` counts these. Needs the scope `scores:read`.
   */
  listCountriesGeojson(query: QueryOf<"listCountries"> = {}, options: RequestOptions = {}): Promise<BodyOf<"listCountries", "application/geo+json">> {
    return this.body("/v1/countries", { ...query, format: "geojson" }, "application/geo+json", options) as Promise<BodyOf<"listCountries", "application/geo+json">>;
  }

  /**
   * Countries by score, as csv.
   * Every country that has a score, worst first, then by code. With `pillar`, only countries that have this pillar, ranked by
   * it. A country without enough data has no score; `not_scored` counts these. Needs the scope `scores:read`.
   */
  listCountriesCsv(query: QueryOf<"listCountries"> = {}, options: RequestOptions = {}): Promise<BodyOf<"listCountries", "text/csv">> {
    return this.body("/v1/countries", { ...query, format: "csv" }, "text/csv", options) as Promise<BodyOf<"listCountries", "text/csv">>;
  }

  /**
   * Countries by score, page after page; `limit` is the size of a page.
   * Every country that has a score, worst first, then by code. With `pillar`, only countries that have this pillar, ranked by
   * it. A country without enough data has no score; `not_scored` counts these. Needs the scope `scores:read`.
   */
  iterCountries(query: Omit<QueryOf<"listCountries">, "cursor"> = {}, options: RequestOptions = {}): AsyncGenerator<BodyOf<"listCountries", "application/json">["countries"][number], void> {
    return this.items("/v1/countries", "countries", query, options) as AsyncGenerator<BodyOf<"listCountries", "application/json">["countries"][number], void>;
  }

  /**
   * One country.
   * Its score and readings, its rank among all countries and within its last year, and its newest events. `standing` is the
   * reason why a country has no score. `events` is empty for a caller without the scope `events:read`. Needs the scope `scores:read`.
   */
  getCountry(country: PathOf<"getCountry">["country"], query: QueryOf<"getCountry"> = {}, options: RequestOptions = {}): Promise<BodyOf<"getCountry", "application/json">> {
    return this.body(`/v1/countries/${encodeURIComponent(country)}`, query, "application/json", options) as Promise<BodyOf<"getCountry", "application/json">>;
  }

  /**
   * How a country's score comes about.
   * Every pillar and indicator that the country has. Contributions add to the score and changes to the 24 h change, exactly. Needs the scope `scores:read`.
   */
  explainCountry(country: PathOf<"explainCountry">["country"], query: QueryOf<"explainCountry"> = {}, options: RequestOptions = {}): Promise<BodyOf<"explainCountry", "application/json">> {
    return this.body(`/v1/countries/${encodeURIComponent(country)}/explain`, query, "application/json", options) as Promise<BodyOf<"explainCountry", "application/json">>;
  }

  /**
   * A country over time.
   * Published scores of one country in buckets. At most 2000 buckets and 40000 ticks; a longer window is refused. Needs the scope `scores:read`.
   */
  getCountryHistory(country: PathOf<"getCountryHistory">["country"], query: QueryOf<"getCountryHistory"> = {}, options: RequestOptions = {}): Promise<BodyOf<"getCountryHistory", "application/json">> {
    return this.body(`/v1/countries/${encodeURIComponent(country)}/history`, query, "application/json", options) as Promise<BodyOf<"getCountryHistory", "application/json">>;
  }

  /**
   * A country over time, as csv.
   * Published scores of one country in buckets. At most 2000 buckets and 40000 ticks; a longer window is refused. Needs the scope `scores:read`.
   */
  getCountryHistoryCsv(country: PathOf<"getCountryHistory">["country"], query: QueryOf<"getCountryHistory"> = {}, options: RequestOptions = {}): Promise<BodyOf<"getCountryHistory", "text/csv">> {
    return this.body(`/v1/countries/${encodeURIComponent(country)}/history`, { ...query, format: "csv" }, "text/csv", options) as Promise<BodyOf<"getCountryHistory", "text/csv">>;
  }

  /**
   * Dated crises.
   * The crises that the method is judged by, with their first and last day and their pillars. Needs the scope `scores:read`.
   */
  listCrises(options: RequestOptions = {}): Promise<BodyOf<"listCrises", "application/json">> {
    return this.body("/v1/crises", {}, "application/json", options) as Promise<BodyOf<"listCrises", "application/json">>;
  }

  /**
   * Feeds and their health.
   * Every feed: origin, licence, freshness, rows accepted and rejected. Needs the scope `scores:read`.
   */
  listFeeds(options: RequestOptions = {}): Promise<BodyOf<"listFeeds", "application/json">> {
    return this.body("/v1/feeds", {}, "application/json", options) as Promise<BodyOf<"listFeeds", "application/json">>;
  }

  /**
   * Composite score and pillar scores.
   * The composite global stability score, 0 to 100, lower is more stable, and its four pillars. Needs the scope `scores:read`.
   */
  getGlobalStability(query: QueryOf<"getGlobalStability"> = {}, options: RequestOptions = {}): Promise<BodyOf<"getGlobalStability", "application/json">> {
    return this.body("/v1/global-stability", query, "application/json", options) as Promise<BodyOf<"getGlobalStability", "application/json">>;
  }

  /**
   * Past days most like this one.
   * The days of the reconstructed past whose pillars were nearest, with the crisis under way and what the score did in the next 30
   * days. Measured only on pillars that both days have. `as_of` before the first snapshot asks about a reconstructed day. Needs the scope `scores:read`.
   */
  listAnalogues(query: QueryOf<"listAnalogues"> = {}, options: RequestOptions = {}): Promise<BodyOf<"listAnalogues", "application/json">> {
    return this.body("/v1/global-stability/analogues", query, "application/json", options) as Promise<BodyOf<"listAnalogues", "application/json">>;
  }

  /**
   * How the score comes about.
   * The whole tree from composite to indicators. Contributions add to the score and effects to the change, exactly. Needs the scope `scores:read`.
   */
  explainGlobalStability(query: QueryOf<"explainGlobalStability"> = {}, options: RequestOptions = {}): Promise<BodyOf<"explainGlobalStability", "application/json">> {
    return this.body("/v1/global-stability/explain", query, "application/json", options) as Promise<BodyOf<"explainGlobalStability", "application/json">>;
  }

  /**
   * The composite over time.
   * Published composite scores in buckets. At most 2000 buckets and 40000 ticks; a longer window is refused. Needs the scope `scores:read`.
   */
  getGlobalStabilityHistory(query: QueryOf<"getGlobalStabilityHistory"> = {}, options: RequestOptions = {}): Promise<BodyOf<"getGlobalStabilityHistory", "application/json">> {
    return this.body("/v1/global-stability/history", query, "application/json", options) as Promise<BodyOf<"getGlobalStabilityHistory", "application/json">>;
  }

  /**
   * The composite over time, as csv.
   * Published composite scores in buckets. At most 2000 buckets and 40000 ticks; a longer window is refused. Needs the scope `scores:read`.
   */
  getGlobalStabilityHistoryCsv(query: QueryOf<"getGlobalStabilityHistory"> = {}, options: RequestOptions = {}): Promise<BodyOf<"getGlobalStabilityHistory", "text/csv">> {
    return this.body("/v1/global-stability/history", { ...query, format: "csv" }, "text/csv", options) as Promise<BodyOf<"getGlobalStabilityHistory", "text/csv">>;
  }

  /**
   * What this level has meant.
   * The share of past days at each level on which a listed crisis was under way, the place of this score among all
   * reconstructed days, and the figures which show that the score does not forecast. Needs the scope `scores:read`.
   */
  getMeaning(query: QueryOf<"getMeaning"> = {}, options: RequestOptions = {}): Promise<BodyOf<"getMeaning", "application/json">> {
    return this.body("/v1/global-stability/meaning", query, "application/json", options) as Promise<BodyOf<"getMeaning", "application/json">>;
  }

  /**
   * One pillar.
   * A pillar's score, its change over 24 hours and the indicators behind it. Needs the scope `scores:read`.
   */
  getPillar(pillar: PathOf<"getPillar">["pillar"], query: QueryOf<"getPillar"> = {}, options: RequestOptions = {}): Promise<BodyOf<"getPillar", "application/json">> {
    return this.body(`/v1/global-stability/pillar/${encodeURIComponent(pillar)}`, query, "application/json", options) as Promise<BodyOf<"getPillar", "application/json">>;
  }

  /**
   * A pillar over time.
   * Published scores of one pillar in buckets. At most 2000 buckets and 40000 ticks; a longer window is refused. Needs the scope `scores:read`.
   */
  getPillarHistory(pillar: PathOf<"getPillarHistory">["pillar"], query: QueryOf<"getPillarHistory"> = {}, options: RequestOptions = {}): Promise<BodyOf<"getPillarHistory", "application/json">> {
    return this.body(`/v1/global-stability/pillar/${encodeURIComponent(pillar)}/history`, query, "application/json", options) as Promise<BodyOf<"getPillarHistory", "application/json">>;
  }

  /**
   * A pillar over time, as csv.
   * Published scores of one pillar in buckets. At most 2000 buckets and 40000 ticks; a longer window is refused. Needs the scope `scores:read`.
   */
  getPillarHistoryCsv(pillar: PathOf<"getPillarHistory">["pillar"], query: QueryOf<"getPillarHistory"> = {}, options: RequestOptions = {}): Promise<BodyOf<"getPillarHistory", "text/csv">> {
    return this.body(`/v1/global-stability/pillar/${encodeURIComponent(pillar)}/history`, { ...query, format: "csv" }, "text/csv", options) as Promise<BodyOf<"getPillarHistory", "text/csv">>;
  }

  /**
   * A pillar, reconstructed.
   * The reconstructed scores of one pillar. Needs the scope `scores:read`.
   */
  getPillarReconstruction(pillar: PathOf<"getPillarReconstruction">["pillar"], query: QueryOf<"getPillarReconstruction"> = {}, options: RequestOptions = {}): Promise<BodyOf<"getPillarReconstruction", "application/json">> {
    return this.body(`/v1/global-stability/pillar/${encodeURIComponent(pillar)}/reconstruction`, query, "application/json", options) as Promise<BodyOf<"getPillarReconstruction", "application/json">>;
  }

  /**
   * The composite, reconstructed.
   * The scores that this method would have published on each day of the history that comes with the program. Each value is used
   * only from the time at which it was known. Published scores are in `history` and are never mixed with these. Needs the scope `scores:read`.
   */
  getReconstruction(query: QueryOf<"getReconstruction"> = {}, options: RequestOptions = {}): Promise<BodyOf<"getReconstruction", "application/json">> {
    return this.body("/v1/global-stability/reconstruction", query, "application/json", options) as Promise<BodyOf<"getReconstruction", "application/json">>;
  }

  /**
   * The caller's key.
   * Scopes, expiry and quota of the key the request was made with. Any valid key may ask.
   */
  getOwnKey(options: RequestOptions = {}): Promise<BodyOf<"getOwnKey", "application/json">> {
    return this.body("/v1/keys/self", {}, "application/json", options) as Promise<BodyOf<"getOwnKey", "application/json">>;
  }

  /**
   * Layers of the map.
   * Data from the feeds for a map besides the events: internet outages by country, ships through chokepoints against normal,
   * earthquakes and disaster alerts. A layer without data has the `status` `no_data`. A layer whose feed is off is not listed. Needs the scope `events:read`.
   */
  listLayers(query: QueryOf<"listLayers"> = {}, options: RequestOptions = {}): Promise<BodyOf<"listLayers", "application/json">> {
    return this.body("/v1/layers", query, "application/json", options) as Promise<BodyOf<"listLayers", "application/json">>;
  }

  /**
   * The method.
   * Catalogue, weights, units and parameters of the current method, with its version and digest, and the statement that the
   * score does not forecast, with figures. Needs the scope `scores:read`.
   */
  getMethod(query: QueryOf<"getMethod"> = {}, options: RequestOptions = {}): Promise<BodyOf<"getMethod", "application/json">> {
    return this.body("/v1/method", query, "application/json", options) as Promise<BodyOf<"getMethod", "application/json">>;
  }

  /**
   * Changes of the method.
   * The log of method changes and corrections, newest first: each change, its reason, and its effect on measured figures. Needs the scope `scores:read`.
   */
  listMethodChanges(options: RequestOptions = {}): Promise<BodyOf<"listMethodChanges", "application/json">> {
    return this.body("/v1/method/changes", {}, "application/json", options) as Promise<BodyOf<"listMethodChanges", "application/json">>;
  }

  /**
   * The inputs of a snapshot.
   * Everything the snapshot was computed from: the method, the engine's memory some ticks earlier, and every row known at each
   * tick since, for the world and for its countries. `gsi recompute` computes the same bytes from it. The answer is large, and
   * the service makes one at a time. Needs the scope `scores:read`.
   */
  getSnapshotInputs(id: PathOf<"getSnapshotInputs">["id"], options: RequestOptions = {}): Promise<BodyOf<"getSnapshotInputs", "application/json">> {
    return this.body(`/v1/snapshots/${encodeURIComponent(id)}/inputs`, {}, "application/json", options) as Promise<BodyOf<"getSnapshotInputs", "application/json">>;
  }

  /**
   * Rolling summary.
   * Natural-language text across all pillars, refreshed every 15 minutes. Needs the scope `scores:read`.
   */
  getSummary(query: QueryOf<"getSummary"> = {}, options: RequestOptions = {}): Promise<BodyOf<"getSummary", "application/json">> {
    return this.body("/v1/summaries", query, "application/json", options) as Promise<BodyOf<"getSummary", "application/json">>;
  }
}
