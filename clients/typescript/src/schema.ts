// Made by clients/typescript/scripts/generate.mjs from the OpenAPI document. Not to be edited.

export interface paths {
    "/alerts.atom": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Alerts as Atom
         * @description The newest 50 for a feed reader, without briefings, which have their own feed. The key may also be sent as the password of
         *     HTTP Basic, with any user name. Needs the scope `alerts:read`.
         */
        get: operations["getAlertsAtom"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alerts.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Alerts as JSON Feed
         * @description The newest 50 for a feed reader, without briefings, which have their own feed. The key may also be sent as the password of
         *     HTTP Basic, with any user name. Needs the scope `alerts:read`.
         */
        get: operations["getAlertsJsonFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/badge.svg": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The score as a badge
         * @description A line of SVG with the score and its band, for other people's pages. Needs the scope `scores:read`.
         */
        get: operations["getBadge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/briefings.atom": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Briefings as Atom
         * @description The newest 50 for a feed reader. The key may also be sent as the password of HTTP Basic, with any user name. Needs the scope `briefings:read`.
         */
        get: operations["getBriefingsAtom"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/briefings.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Briefings as JSON Feed
         * @description The newest 50 for a feed reader. The key may also be sent as the password of HTTP Basic, with any user name. Needs the scope `briefings:read`.
         */
        get: operations["getBriefingsJsonFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/card.png": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The score as a picture
         * @description 1200 × 630 pixels in the colour of the score's band, with its time, for previews of links. A simulated world says so. Needs the scope `scores:read`.
         */
        get: operations["getCard"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is published, while it is published
         * @description Server-sent events with JSON data. Any valid key may subscribe; it is sent what its scopes cover. A new subscriber is told how things stand, then everything as it is published: at least once, in order. A tick sends at most 500 events, the worst first. A comment comes after 15 seconds of silence. A key may hold 200 streams. A subscriber that reads too slowly gets `reset`, and is cut off when it does not read at all.
         */
        get: operations["stream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Alerts
         * @description Active and ended alerts, newest first: scores that are high and well above their past, upper bands, grave events, stale
         *     feeds, published briefings. `since` and `until` filter by the time at which an alert began. Needs the scope `alerts:read`.
         */
        get: operations["listAlerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One alert
         * @description An alert with the course of the watched value, its inputs when it began, and how often its rule fired. Needs the scope `alerts:read`.
         */
        get: operations["getAlert"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/briefings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Daily briefings
         * @description Newest first. Needs the scope `briefings:read`.
         */
        get: operations["listBriefings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/briefings/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One briefing
         * @description A briefing with the facts it states and their sources, the one it corrects and the one that corrects it. Needs the scope `briefings:read`.
         */
        get: operations["getBriefing"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conflict": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Conflict events
         * @description Newest first. Without since: the last seven days. Filters combine; values of one repeated filter mean any of them. With a
         *     filter, a window of more than 31 days counts as one request for every 31 days begun, twelve at most. Needs the scope `events:read`.
         */
        get: operations["listConflictEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conflict/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One conflict event
         * @description An event by its id, or by the id of one that was merged into it. Needs the scope `events:read`.
         */
        get: operations["getConflictEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/countries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Countries by score
         * @description Every country that has a score, worst first, then by code. With `pillar`, only countries that have this pillar, ranked by
         *     it. A country without enough data has no score; `not_scored` counts these. Needs the scope `scores:read`.
         */
        get: operations["listCountries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/countries/{country}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One country
         * @description Its score and readings, its rank among all countries and within its last year, and its newest events. `standing` is the
         *     reason why a country has no score. `events` is empty for a caller without the scope `events:read`. Needs the scope `scores:read`.
         */
        get: operations["getCountry"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/countries/{country}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How a country's score comes about
         * @description Every pillar and indicator that the country has. Contributions add to the score and changes to the 24 h change, exactly. Needs the scope `scores:read`.
         */
        get: operations["explainCountry"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/countries/{country}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A country over time
         * @description Published scores of one country in buckets. At most 2000 buckets and 40000 ticks; a longer window is refused. Needs the scope `scores:read`.
         */
        get: operations["getCountryHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/crises": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Dated crises
         * @description The crises that the method is judged by, with their first and last day and their pillars. Needs the scope `scores:read`.
         */
        get: operations["listCrises"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/feeds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Feeds and their health
         * @description Every feed: origin, licence, freshness, rows accepted and rejected. Needs the scope `scores:read`.
         */
        get: operations["listFeeds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/global-stability": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Composite score and pillar scores
         * @description The composite global stability score, 0 to 100, lower is more stable, and its four pillars. Needs the scope `scores:read`.
         */
        get: operations["getGlobalStability"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/global-stability/analogues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Past days most like this one
         * @description The days of the reconstructed past whose pillars were nearest, with the crisis under way and what the score did in the next 30
         *     days. Measured only on pillars that both days have. `as_of` before the first snapshot asks about a reconstructed day. Needs the scope `scores:read`.
         */
        get: operations["listAnalogues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/global-stability/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How the score comes about
         * @description The whole tree from composite to indicators. Contributions add to the score and effects to the change, exactly. Needs the scope `scores:read`.
         */
        get: operations["explainGlobalStability"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/global-stability/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The composite over time
         * @description Published composite scores in buckets. At most 2000 buckets and 40000 ticks; a longer window is refused. Needs the scope `scores:read`.
         */
        get: operations["getGlobalStabilityHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/global-stability/meaning": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What this level has meant
         * @description The share of past days at each level on which a listed crisis was under way, the place of this score among all
         *     reconstructed days, and the figures which show that the score does not forecast. Needs the scope `scores:read`.
         */
        get: operations["getMeaning"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/global-stability/pillar/{pillar}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One pillar
         * @description A pillar's score, its change over 24 hours and the indicators behind it. Needs the scope `scores:read`.
         */
        get: operations["getPillar"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/global-stability/pillar/{pillar}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A pillar over time
         * @description Published scores of one pillar in buckets. At most 2000 buckets and 40000 ticks; a longer window is refused. Needs the scope `scores:read`.
         */
        get: operations["getPillarHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/global-stability/pillar/{pillar}/reconstruction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A pillar, reconstructed
         * @description The reconstructed scores of one pillar. Needs the scope `scores:read`.
         */
        get: operations["getPillarReconstruction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/global-stability/reconstruction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The composite, reconstructed
         * @description The scores that this method would have published on each day of the history that comes with the program. Each value is used
         *     only from the time at which it was known. Published scores are in `history` and are never mixed with these. Needs the scope `scores:read`.
         */
        get: operations["getReconstruction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/self": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's key
         * @description Scopes, expiry and quota of the key the request was made with. Any valid key may ask.
         */
        get: operations["getOwnKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/layers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Layers of the map
         * @description Data from the feeds for a map besides the events: internet outages by country, ships through chokepoints against normal,
         *     earthquakes and disaster alerts. A layer without data has the `status` `no_data`. A layer whose feed is off is not listed. Needs the scope `events:read`.
         */
        get: operations["listLayers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/method": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The method
         * @description Catalogue, weights, units and parameters of the current method, with its version and digest, and the statement that the
         *     score does not forecast, with figures. Needs the scope `scores:read`.
         */
        get: operations["getMethod"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/method/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Changes of the method
         * @description The log of method changes and corrections, newest first: each change, its reason, and its effect on measured figures. Needs the scope `scores:read`.
         */
        get: operations["listMethodChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/snapshots/{id}/inputs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The inputs of a snapshot
         * @description Everything the snapshot was computed from: the method, the engine's memory some ticks earlier, and every row known at each
         *     tick since, for the world and for its countries. `gsi recompute` computes the same bytes from it. The answer is large, and
         *     the service makes one at a time. Needs the scope `scores:read`.
         */
        get: operations["getSnapshotInputs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/summaries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Rolling summary
         * @description Natural-language text across all pillars, refreshed every 15 minutes. Needs the scope `scores:read`.
         */
        get: operations["getSummary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "alert.began": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An alert began, by the rules that everybody gets or by the hook's own.
         * @description Sent to the hooks that an operator sets with `gsi hook create`, signed as the Standard Webhooks specification says; verify it with that project's libraries. At least once, in order for each hook; the same `webhook-id` always has the same body. Anything but a success is tried again with growing pauses, at most three times if the answer is a 4xx other than 408, 425 and 429; 410 ends the hook. A snapshot that was not accepted is not sent any more after a newer one is published.
         */
        post: operations["alertBegan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "alert.ended": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An alert is over.
         * @description Sent to the hooks that an operator sets with `gsi hook create`, signed as the Standard Webhooks specification says; verify it with that project's libraries. At least once, in order for each hook; the same `webhook-id` always has the same body. Anything but a success is tried again with growing pauses, at most three times if the answer is a 4xx other than 408, 425 and 429; 410 ends the hook. A snapshot that was not accepted is not sent any more after a newer one is published.
         */
        post: operations["alertEnded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "briefing.published": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A briefing was published.
         * @description Sent to the hooks that an operator sets with `gsi hook create`, signed as the Standard Webhooks specification says; verify it with that project's libraries. At least once, in order for each hook; the same `webhook-id` always has the same body. Anything but a success is tried again with growing pauses, at most three times if the answer is a 4xx other than 408, 425 and 429; 410 ends the hook. A snapshot that was not accepted is not sent any more after a newer one is published.
         */
        post: operations["briefingPublished"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "hook.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The operator tries the hook. Nothing has happened.
         * @description Sent to the hooks that an operator sets with `gsi hook create`, signed as the Standard Webhooks specification says; verify it with that project's libraries. At least once, in order for each hook; the same `webhook-id` always has the same body. Anything but a success is tried again with growing pauses, at most three times if the answer is a 4xx other than 408, 425 and 429; 410 ends the hook. A snapshot that was not accepted is not sent any more after a newer one is published.
         */
        post: operations["hookTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "snapshot.published": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A snapshot was published.
         * @description Sent to the hooks that an operator sets with `gsi hook create`, signed as the Standard Webhooks specification says; verify it with that project's libraries. At least once, in order for each hook; the same `webhook-id` always has the same body. Anything but a success is tried again with growing pauses, at most three times if the answer is a 4xx other than 408, 425 and 429; 410 ends the hook. A snapshot that was not accepted is not sent any more after a newer one is published.
         */
        post: operations["snapshotPublished"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description A rule that holds, or held, for a subject. */
        Alert: {
            /**
             * @description The event or the briefing that the alert is about.
             * @example evt_0123456789ABCDEFGHJKMNPQRS
             */
            about: string | null;
            /**
             * Format: date-time
             * @example 2026-11-14T06:00:00Z
             */
            began_at: string;
            /** @example UA */
            country: string | null;
            /** Format: date-time */
            ended_at: string | null;
            headline: string;
            /** @example alr_0123456789ABCDEFGHJKMNPQRS */
            id: string;
            rule: components["schemas"]["AlertRuleKind"];
            /**
             * @description The snapshot it began with.
             * @example snp_0123456789ABCDEFGHJKMNPQRS
             */
            snapshot: string;
            state: components["schemas"]["AlertState"];
            /**
             * @description `global`, a pillar's key, `country:ua`, `feed:gdelt`, or a briefing's subject.
             * @example conflict
             */
            subject: string;
            /**
             * Format: double
             * @description The threshold that the value was compared with.
             * @example 53
             */
            threshold: number | null;
            /**
             * Format: double
             * @description The measured value when it began: a score, or an event's escalation.
             * @example 57.3
             */
            value: number | null;
        };
        /** @description An alert with its course, its inputs, and how often its rule fired. */
        AlertDetail: {
            alert: components["schemas"]["Alert"];
            /** @description The watched value from a day before the alert began until it ended, at most 200 points; empty where the rule watches no number. */
            course: components["schemas"]["AlertPoint"][];
            /**
             * @description The address of the explanation at that moment; null for feeds and briefings.
             * @example /v1/global-stability/explain?as_of=2026-11-14T06:00:00Z
             */
            explanation: string | null;
            fired: components["schemas"]["AlertFrequency"];
            /** @description The inputs behind the subject's score when it began, the largest first; empty for feeds and briefings. */
            inputs: components["schemas"]["AlertInput"][];
        };
        /** @description How often a rule fired for a subject. */
        AlertFrequency: {
            backtest: components["schemas"]["AlertsInPast"] | null;
            /**
             * Format: int32
             * @description Alerts that began within the 365 days before it, itself included, as far as the store has them.
             */
            last_365_days: number;
        };
        AlertInput: {
            /**
             * Format: double
             * @description Its part of the 24 h change; null without a value of a day before.
             * @example 6.1
             */
            change_24h: number | null;
            /**
             * Format: double
             * @description Points of the subject's score.
             * @example 14.2
             */
            contribution: number;
            /** @example country_surprise */
            key: string;
        };
        /** @description A page of alerts, those that began last first. */
        AlertPage: {
            alerts: components["schemas"]["Alert"][];
            /** @description Send as `cursor` for the next page; null on the last. */
            next_cursor: string | null;
        };
        AlertPoint: {
            /**
             * Format: date-time
             * @example 2026-11-14T06:00:00Z
             */
            as_of: string;
            /**
             * Format: double
             * @example 57.3
             */
            value: number;
        };
        /**
         * @description What an alert's rule watches. `own` is a rule that an operator set for one hook.
         * @enum {string}
         */
        AlertRuleKind: "score" | "band" | "event" | "feed" | "briefing" | "own";
        /**
         * @description Whether an alert's rule still holds.
         * @enum {string}
         */
        AlertState: "active" | "ended";
        /** @description Alerts on the packed history. */
        AlertsInPast: {
            /** Format: int32 */
            alerts: number;
            /**
             * Format: date
             * @example 2000-01-01
             */
            from: string;
            /**
             * Format: double
             * @example 1.4
             */
            per_year: number;
            /**
             * Format: date
             * @example 2024-12-31
             */
            to: string;
        };
        /** @description A past day and what followed. */
        Analogue: {
            crisis: components["schemas"]["Crisis"] | null;
            /**
             * Format: date
             * @example 2011-08-08
             */
            date: string;
            /**
             * Format: double
             * @description Root mean square difference of the pillars that both days have, in points.
             * @example 3.2
             */
            distance: number;
            /**
             * Format: double
             * @description The highest score within these thirty days.
             * @example 52.7
             */
            highest_in_30_days: number | null;
            pillars: components["schemas"]["KnownPillars"];
            /**
             * Format: int32
             * @description The number of compared pillars.
             * @example 4
             */
            pillars_compared: number;
            /**
             * Format: double
             * @example 44.1
             */
            score: number;
            /**
             * Format: double
             * @description The score thirty days later; null where the past ends before.
             * @example 39
             */
            score_30_days_later: number | null;
        };
        /** @description The days of the reconstructed past whose pillars were nearest, one to an episode. */
        Analogues: {
            /** @description Nearest first. Days within 60 days of the requested day or of a listed day are left out. */
            analogues: components["schemas"]["Analogue"][];
            /**
             * Format: date
             * @description The requested day.
             * @example 2026-11-14
             */
            date: string;
            /**
             * @description The method of the reconstruction.
             * @example 3.0.0
             */
            method_version: string;
            origin: components["schemas"]["DayOrigin"];
            pillars: components["schemas"]["KnownPillars"];
            /**
             * Format: double
             * @example 41.3
             */
            score: number;
        };
        /**
         * @description The range that a score is in, from the most stable to the least.
         * @enum {string}
         */
        Band: "calm" | "guarded" | "elevated" | "high" | "severe";
        /** @description A previous method that runs in parallel with the current one. */
        BesideMethod: {
            digest: string;
            /**
             * Format: double
             * @example 41.3
             */
            score: number;
            /**
             * Format: date-time
             * @description The first tick of the method that replaced it.
             * @example 2026-11-14T23:45:00Z
             */
            since: string;
            /**
             * Format: date-time
             * @description The first tick at which this method is no longer computed.
             * @example 2026-12-14T23:45:00Z
             */
            until: string;
            /** @example 2.0.0 */
            version: string;
        };
        /** @description A daily briefing. */
        BriefingBody: {
            /**
             * @description One sentence.
             * @example Conflict eases while energy markets tighten.
             */
            headline: string;
            /** @example brf_0123456789ABCDEFGHJKMNPQRS */
            id: string;
            /**
             * Format: date-time
             * @example 2026-11-14T06:00:00Z
             */
            published_at: string;
            /** @example The composite fell to 41.3. */
            summary: string;
            /**
             * @description Pillar keys, event categories, `country:<iso2>`, `theater:<slug>`, `global`, `data-gap`, `record`.
             * @example [
             *       "global",
             *       "conflict",
             *       "country:UA"
             *     ]
             */
            tags: string[];
        };
        /** @description A briefing with its facts and their sources. */
        BriefingDetail: {
            /**
             * Format: date-time
             * @description The tick it was written from.
             * @example 2026-11-14T06:00:00Z
             */
            as_of: string;
            /** @description The briefing that corrects this one, or null. The corrected briefing is otherwise unchanged. */
            corrected_by: string | null;
            /** @description The briefing this one corrects, or null. */
            corrects: string | null;
            /**
             * Format: date
             * @description The UTC day that it covers.
             * @example 2026-11-13
             */
            day: string;
            facts: components["schemas"]["FactBody"][];
            generated_by: components["schemas"]["GeneratedByBody"];
            headline: string;
            /** @example brf_0123456789ABCDEFGHJKMNPQRS */
            id: string;
            /** @description Written later than its day because the service was not running. */
            late: boolean;
            /**
             * Format: date-time
             * @example 2026-11-14T06:00:00Z
             */
            published_at: string;
            /** @description The sentences of the summary; a fact's `sentence` is an index into this list. */
            sentences: string[];
            /**
             * @description `global`, a pillar key, or `theater:<slug>`.
             * @example global
             */
            subject: string;
            summary: string;
            tags: string[];
        };
        /** @description A page of briefings, newest first. */
        BriefingPage: {
            briefings: components["schemas"]["BriefingBody"][];
            /** @description Send as `cursor` for the next page; null on the last. */
            next_cursor: string | null;
        };
        /**
         * Format: binary
         * @description A PNG file.
         */
        CardPicture: string;
        /** @description How much a number can be trusted, and why. */
        ConfidenceBody: {
            /** Format: double */
            agreement: number;
            /** Format: double */
            calibration: number;
            /** Format: double */
            coverage: number;
            /**
             * Format: double
             * @example 0.71
             */
            value: number;
            /**
             * @description `low`, `moderate` or `high`.
             * @example high
             */
            word: string;
        };
        /** @description One conflict event. */
        ConflictEvent: {
            /**
             * @description Readable actor labels, no duplicates; empty when unknown.
             * @example [
             *       "Russia (military)",
             *       "Ukraine"
             *     ]
             */
            actors: string[];
            /**
             * @description `kinetic`, `posture`, `threat`, `coercion` or `unrest`. Tolerate new values.
             * @example kinetic
             */
            category: string;
            /**
             * Format: double
             * @description 0 to 1, higher is worse. Three decimals.
             * @example 0.613
             */
            escalation: number;
            /** @example evt_0123456789ABCDEFGHJKMNPQRS */
            id: string;
            /**
             * Format: double
             * @example 48.4647
             */
            lat: number;
            /**
             * Format: double
             * @example 35.0462
             */
            lon: number;
            /**
             * Format: date-time
             * @example 2026-11-14T21:30:00Z
             */
            occurred_at: string;
        };
        /** @description Countries with a score, worst first. */
        Countries: {
            /**
             * Format: date-time
             * @example 2026-11-14T23:45:00Z
             */
            as_of: string;
            countries: components["schemas"]["Country"][];
            /** @description Send as `cursor` for the next page; null on the last. */
            next_cursor: string | null;
            /** @description The number of countries without a score at this tick, by reason. */
            not_scored: components["schemas"]["NotScored"];
        };
        /** @description One country in the list. */
        Country: {
            /**
             * @description ISO 3166-1 alpha-2.
             * @example UA
             */
            country: string;
            /**
             * Format: double
             * @description Share of all weight that has fresh data.
             * @example 0.62
             */
            coverage: number;
            /**
             * Format: double
             * @description Null while there is no score of a day ago.
             * @example 1.2
             */
            delta_24h: number | null;
            /** @example Ukraine */
            name: string;
            /**
             * @description Only those with data.
             * @example {
             *       "conflict": 78.1,
             *       "cyber": 12
             *     }
             */
            pillars: {
                [key: string]: number;
            };
            /**
             * Format: double
             * @description 0 to 100, lower is more stable. One decimal.
             * @example 71.4
             */
            score: number;
            /** @description Against the mean of the last three daily closes. */
            trend: components["schemas"]["TrendWord"];
        };
        /** @description One country. */
        CountryDetail: {
            /**
             * Format: date-time
             * @example 2026-11-14T23:45:00Z
             */
            as_of: string;
            /** @example UA */
            country: string;
            /**
             * Format: double
             * @example 0.62
             */
            coverage: number;
            /**
             * Format: double
             * @example 1.2
             */
            delta_24h: number | null;
            /** @description Its newest events of the last seven days, at most ten. Empty for a caller without the scope `events:read`. */
            events: components["schemas"]["ConflictEvent"][];
            indicators: components["schemas"]["Indicator"][];
            late: boolean;
            /** @example Ukraine */
            name: string;
            /**
             * @example {
             *       "conflict": 78.1,
             *       "cyber": 12
             *     }
             */
            pillars: {
                [key: string]: number;
            };
            /**
             * Format: date-time
             * @example 2026-11-14T23:45:04Z
             */
            published_at: string;
            /**
             * Format: int32
             * @description Place among the countries with a score, the worst first; null without a score.
             * @example 3
             */
            rank: number | null;
            /**
             * Format: int32
             * @description Countries with a score.
             * @example 168
             */
            ranked: number;
            /**
             * Format: double
             * @description Null without a score.
             * @example 71.4
             */
            score: number | null;
            /** @description The country's reports stopped while the world's continue, so its last readings are held. */
            silent: boolean;
            standing: components["schemas"]["CountryStanding"];
            trend: components["schemas"]["TrendWord"];
            /**
             * Format: double
             * @description The share of the country's daily closes of the last year that are below this score, in percent; null with too little history.
             * @example 88.2
             */
            year_percentile: number | null;
        };
        /** @description The explanation of a country's score. Contributions add to the score, changes to the 24 h change. */
        CountryExplanation: {
            /**
             * Format: date-time
             * @example 2026-11-14T23:45:00Z
             */
            as_of: string;
            /** @example UA */
            country: string;
            /**
             * Format: double
             * @example 0.62
             */
            coverage: number;
            /**
             * Format: double
             * @example 1.2
             */
            delta_24h: number | null;
            /** @description Indicators that the country had a day ago and no longer has, with their part of the change. */
            left: components["schemas"]["LeftExplanation"][];
            /** @description The method for countries, which `/v1/method` has under `countries`. */
            method: components["schemas"]["MethodReference"];
            /** @example Ukraine */
            name: string;
            pillars: components["schemas"]["CountryPillarExplanation"][];
            /**
             * Format: double
             * @example 71.4
             */
            score: number | null;
            silent: boolean;
            standing: components["schemas"]["CountryStanding"];
        };
        /** @description One country with its outline. */
        CountryFeature: {
            geometry: components["schemas"]["CountryOutline"] | null;
            /**
             * @description ISO 3166-1 alpha-2.
             * @example UA
             */
            id: string;
            properties: components["schemas"]["Country"];
            /** @example Feature */
            type: string;
        };
        /** @description The same countries as GeoJSON, for maps. */
        CountryFeatures: {
            /**
             * Format: date-time
             * @example 2026-11-14T23:45:00Z
             */
            as_of: string;
            /**
             * @description The credit to show with a map of the outlines.
             * @example Outlines: made with Natural Earth
             */
            attribution: string;
            features: components["schemas"]["CountryFeature"][];
            /** @description Send as `cursor` for the next page; null on the last. */
            next_cursor: string | null;
            not_scored: components["schemas"]["NotScored"];
            /** @example FeatureCollection */
            type: string;
        };
        /** @description Published scores of one country, oldest first. */
        CountryHistory: {
            /** @example UA */
            country: string;
            /**
             * Format: date-time
             * @example 2026-11-07T00:00:00Z
             */
            from: string;
            /** @description Buckets in which it had a score; an empty one is left out. */
            points: components["schemas"]["HistoryBucket"][];
            step: components["schemas"]["StepWord"];
            /**
             * Format: date-time
             * @example 2026-11-14T00:00:00Z
             */
            to: string;
        };
        /** @description One indicator's part in a country's score. */
        CountryIndicatorExplanation: {
            /**
             * Format: double
             * @description Points of the country's 24 h change; null without a score of a day ago.
             */
            change_24h: number | null;
            /**
             * Format: double
             * @description Points of the country's score; null without one.
             */
            contribution: number | null;
            /** Format: double */
            freshness: number;
            /** @description The last reading is held, because its source is silent. */
            held: boolean;
            /** @example attention_surprise */
            key: string;
            /**
             * Format: date-time
             * @example 2026-11-14T23:45:00Z
             */
            period_end: string;
            /**
             * Format: int32
             * @description Days of the country's history that the value was ranked in.
             */
            sample_days: number;
            /**
             * Format: double
             * @description 0 to 100 on the common scale.
             */
            score: number;
            /** Format: double */
            value: number;
            /**
             * Format: double
             * @description Within the pillar, after age.
             */
            weight: number;
        };
        /** @description The method for countries. */
        CountryMethod: {
            /** @description The countries of each exchange rate. */
            currencies: {
                [key: string]: string[];
            };
            digest: string;
            indicators: components["schemas"]["CountryMethodIndicator"][];
            parameters: {
                [key: string]: number;
            };
            pillars: {
                [key: string]: number;
            };
            /** @description The countries of each region. */
            regions: {
                [key: string]: string[];
            };
            /** @description The series that the indicators read. */
            series?: string[];
            version: string;
        };
        /** @description One indicator of a country. */
        CountryMethodIndicator: {
            business_days: boolean;
            /** Format: double */
            cadence_hours: number;
            /** @example own */
            compared_with: string;
            description: string;
            formula: {
                [key: string]: components["schemas"]["MethodParameter"];
            };
            key: string;
            /** Format: double */
            lag_hours: number;
            pillar: string;
            prior: components["schemas"]["MethodPrior"];
            /** Format: double */
            slack_hours: number;
            unit: string;
            /** Format: double */
            weight: number;
        };
        /** @description A GeoJSON MultiPolygon, simplified to about ten kilometres. */
        CountryOutline: {
            /** @description Polygons of rings of points: longitude, latitude. */
            coordinates: number[][][][];
            /** @example MultiPolygon */
            type: string;
        };
        /** @description One pillar's part in a country's score. */
        CountryPillarExplanation: {
            /**
             * Format: double
             * @description Points of the country's score; null without one.
             * @example 60.1
             */
            contribution: number | null;
            /** Format: double */
            coverage: number;
            indicators: components["schemas"]["CountryIndicatorExplanation"][];
            pillar: components["schemas"]["PillarKey"];
            /**
             * Format: double
             * @example 78.1
             */
            score: number;
            /**
             * Format: double
             * @description Among the pillars that the country has.
             */
            weight: number;
        };
        /**
         * @description Whether a country has a score: `thin` has too little data, `unmonitored` too little news coverage.
         * @enum {string}
         */
        CountryStanding: "scored" | "thin" | "unmonitored";
        /** @description The dated crises that the method is judged by, oldest first. */
        Crises: {
            crises: components["schemas"]["Crisis"][];
        };
        Crisis: {
            /**
             * Format: date
             * @example 2008-09-15
             */
            date: string;
            /**
             * Format: date
             * @example 2009-06-30
             */
            end: string;
            /** @example Lehman Brothers */
            name: string;
            pillars: components["schemas"]["PillarKey"][];
            /**
             * @description How clearly the score should show it: A must, B should, C is hard to see or regional.
             * @example A
             */
            tier: string;
        };
        /** @description A list of dated crises, or a stricter selection from one. */
        CrisisList: {
            /**
             * Format: int32
             * @example 37
             */
            crises: number;
            /** @example tiers A and B */
            name: string;
        };
        /**
         * @description Whether the data behind an answer are complete and fresh.
         * @enum {string}
         */
        DataStatus: "ok" | "degraded" | "stale";
        /**
         * @description Whether a day's figures were published then or are reconstructed.
         * @enum {string}
         */
        DayOrigin: "published" | "reconstructed";
        /** @description A score's place among days. */
        DayPlace: {
            /**
             * Format: int32
             * @description The number of these days that have a score.
             * @example 9132
             */
            days: number;
            /**
             * Format: int32
             * @description Published days in a row, up to yesterday, with a score at least this high; 0 among reconstructed days.
             * @example 3
             */
            days_this_high: number;
            /**
             * Format: date
             * @description The first and the last day it is compared with.
             * @example 2000-01-01
             */
            from: string;
            last_this_high: components["schemas"]["HighDays"] | null;
            /**
             * Format: double
             * @description The share of them with a lower score.
             * @example 0.6412
             */
            share_lower: number;
            /**
             * Format: date
             * @example 2024-12-31
             */
            to: string;
        };
        DaySpan: {
            /**
             * Format: date
             * @example 2008-01-01
             */
            first: string;
            /**
             * Format: date
             * @example 2008-12-31
             */
            last: string;
        };
        /** @description The parts of the escalation score, each 0 to 1. */
        EscalationPartsBody: {
            /** Format: double */
            corroboration: number;
            /** Format: double */
            departure: number;
            /** Format: double */
            gravity: number;
            /** Format: double */
            intensity: number;
            /**
             * Format: double
             * @description The factor that multiplies the others.
             */
            reliability: number;
            /** Format: double */
            tempo: number;
        };
        /** @description Everything known about one event. */
        EventDetail: {
            actors: string[];
            /** @example kinetic */
            category: string;
            closed: boolean;
            /**
             * @description ISO 3166-1 alpha-2, or null when not known.
             * @example UA
             */
            country: string | null;
            /**
             * Format: int32
             * @description Effective number of distinct source domains.
             */
            domains: number;
            /**
             * Format: double
             * @example 0.613
             */
            escalation: number;
            escalation_parts: components["schemas"]["EscalationPartsBody"];
            /** @example evt_0123456789ABCDEFGHJKMNPQRS */
            id: string;
            /**
             * Format: date-time
             * @example 2026-11-14T23:30:00Z
             */
            last_activity: string;
            /**
             * Format: double
             * @example 48.4647
             */
            lat: number;
            /**
             * Format: double
             * @example 35.0462
             */
            lon: number;
            /** @description Ids of events that were merged into this one. */
            merged: string[];
            /**
             * Format: date-time
             * @example 2026-11-14T21:30:00Z
             */
            occurred_at: string;
            /** @example Dnipro, Dnipropetrovsk, Ukraine */
            place: string;
            precision: components["schemas"]["PrecisionWord"];
            /**
             * Format: double
             * @description The highest probability, by the event filter, that one of its articles reports a real and current event; null for events
             *     from before the filter.
             * @example 0.93
             */
            probability: number | null;
            /** Format: int32 */
            reports: number;
            /** @description Every published version, oldest first. */
            revisions: components["schemas"]["EventRevision"][];
            /**
             * Format: date-time
             * @description Versions that were replaced before this time are no longer kept; null when all are listed.
             * @example 2026-11-01T00:00:00Z
             */
            revisions_since: string | null;
            sources: components["schemas"]["EventSourceBody"][];
            status: components["schemas"]["StatusWord"];
            /**
             * Format: int32
             * @description Distinct stories after syndicated copies are collapsed.
             */
            stories: number;
        };
        /** @description One conflict event as a GeoJSON feature. */
        EventFeature: {
            geometry: components["schemas"]["EventPoint"];
            /** @example evt_0123456789ABCDEFGHJKMNPQRS */
            id: string;
            properties: components["schemas"]["EventProperties"];
            /** @example Feature */
            type: string;
        };
        /** @description The same page as an RFC 7946 FeatureCollection. */
        EventFeatures: {
            features: components["schemas"]["EventFeature"][];
            /** @description Send as `cursor` for the next page; null on the last. */
            next_cursor: string | null;
            /** @example FeatureCollection */
            type: string;
        };
        /** @description A page of conflict events, newest first. */
        EventPage: {
            events: components["schemas"]["ConflictEvent"][];
            /** @description Send as `cursor` for the next page; null on the last. */
            next_cursor: string | null;
        };
        /** @description A GeoJSON point: longitude, latitude. */
        EventPoint: {
            /**
             * @example [
             *       35.0462,
             *       48.4647
             *     ]
             */
            coordinates: number[];
            /** @example Point */
            type: string;
        };
        /** @description The properties of a feature. */
        EventProperties: {
            /**
             * @example [
             *       "Russia (military)",
             *       "Ukraine"
             *     ]
             */
            actors: string[];
            /** @example kinetic */
            category: string;
            /**
             * @description ISO 3166-1 alpha-2, or null when not known.
             * @example UA
             */
            country: string | null;
            /**
             * Format: double
             * @example 0.613
             */
            escalation: number;
            /**
             * Format: date-time
             * @example 2026-11-14T21:30:00Z
             */
            occurred_at: string;
            /** @example Dnipro, Dnipropetrovsk, Ukraine */
            place: string;
            status: components["schemas"]["StatusWord"];
        };
        /** @description The version of an event that one tick published. */
        EventRevision: {
            /**
             * Format: date-time
             * @example 2026-11-14T21:30:00Z
             */
            as_of: string;
            /** @example kinetic */
            category: string;
            /**
             * Format: double
             * @example 0.402
             */
            escalation: number;
            /** Format: int32 */
            reports: number;
            status: components["schemas"]["StatusWord"];
        };
        /** @description One report. */
        EventSourceBody: {
            /** @example news.example */
            domain: string;
            /**
             * Format: date-time
             * @example 2026-11-14T21:30:00Z
             */
            first_seen: string;
            /** @example https://news.example/dnipro-strike */
            url: string;
        };
        /** @description The composite, its pillars and their indicators, with all values that the numbers come from. */
        Explanation: {
            /**
             * Format: date-time
             * @example 2026-11-14T23:45:00Z
             */
            as_of: string;
            /**
             * @description `calm`, `guarded`, `elevated`, `high` or `severe`.
             * @example elevated
             */
            band: string;
            /** @description Previous methods, which run in parallel for a month, oldest first. `?method=` explains their scores. */
            beside: components["schemas"]["BesideMethod"][];
            /**
             * Format: int32
             * @description Number of pillars at 50 or more.
             */
            breadth: number;
            confidence: components["schemas"]["ConfidenceBody"];
            context: components["schemas"]["ScoreContext"] | null;
            /**
             * Format: double
             * @description How much the pillars move together, 0 to 1. It is not part of the score; null with too little history.
             */
            coupling: number | null;
            /**
             * Format: double
             * @description Share of the method's weight that had fresh data.
             * @example 0.97
             */
            coverage: number;
            /**
             * Format: double
             * @example -0.8
             */
            delta_24h: number;
            /**
             * @description `ok`, or `no_baseline` when nothing was published 24 hours ago.
             * @example ok
             */
            delta_basis: string;
            delta_significant: boolean;
            interval_90: components["schemas"]["Interval"];
            /** @description The snapshot was computed after the next tick was due, as after an outage or a change of leader. */
            late: boolean;
            method: components["schemas"]["MethodReference"];
            /**
             * Format: double
             * @description The fast minus the slow average, from which the trend follows.
             * @example -0.62
             */
            momentum: number;
            /**
             * Format: double
             * @description Percentile within the composite's last ten years; null with too little history.
             */
            percentile_10y: number | null;
            /** @description Their contributions add to `score`, their effects to `delta_24h`. */
            pillars: components["schemas"]["PillarExplanation"][];
            /**
             * Format: date-time
             * @description The time of publication; null while the store is unavailable.
             * @example 2026-11-14T23:45:04Z
             */
            published_at: string | null;
            /**
             * Format: double
             * @example 41.3
             */
            score: number;
            /** @example snp_0123456789ABCDEFGHJKMNPQRS */
            snapshot: string;
            /**
             * @description `ok`, `degraded` or `stale`.
             * @example ok
             */
            status: string;
            trend: components["schemas"]["TrendWord"];
            /**
             * Format: double
             * @description The composite before smoothing.
             * @example 40.9
             */
            unsmoothed: number;
        };
        /** @description One supported statement. */
        FactBody: {
            id: string;
            kind: string;
            /**
             * Format: int32
             * @description Which sentence of the summary states it, counted from 0, or null.
             */
            sentence: number | null;
            sources: string[];
            subject: string;
            unit: string;
            /** Format: double */
            value: number | null;
        };
        /** @description One feed. */
        FeedBody: {
            /**
             * Format: int64
             * @description Age of the newest content. The next two fields are the ages at which it is late and stale.
             */
            age_seconds: number | null;
            attribution: string;
            /** Format: date-time */
            failing_since: string | null;
            /** @example gdelt */
            feed: string;
            homepage: string;
            /** Format: date-time */
            last_attempt: string | null;
            /** Format: date-time */
            last_change: string | null;
            /** @description Why the last payload was refused, or null. */
            last_refusal: string | null;
            /** Format: date-time */
            last_success: string | null;
            /** Format: int64 */
            late_after_seconds: number;
            licence: string;
            /** Format: date-time */
            newest_content: string | null;
            pillar: components["schemas"]["PillarKey"] | null;
            /** Format: int64 */
            poll_seconds: number;
            publisher: string;
            /** Format: int64 */
            rows_accepted: number;
            /** Format: int64 */
            rows_duplicate: number;
            /** @description Rejected rows by reason. */
            rows_rejected: {
                [key: string]: number;
            };
            /** Format: int64 */
            rows_seen: number;
            /** Format: int64 */
            stale_after_seconds: number;
            status: components["schemas"]["FeedHealthWord"];
            title: string;
        };
        /**
         * @description How a feed is doing: `never` when nothing was ever received.
         * @enum {string}
         */
        FeedHealthWord: "ok" | "late" | "stale" | "never";
        /** @description Every feed and its health. */
        Feeds: {
            feeds: components["schemas"]["FeedBody"][];
        };
        /** @description The author of the text. */
        GeneratedByBody: {
            how: components["schemas"]["TextAuthor"];
            /** @description Why a model's text was not used, or null. */
            rejected: string | null;
        };
        /** @description Days in a row with a score at least as high. */
        HighDays: {
            /**
             * Format: int32
             * @example 12
             */
            days: number;
            /**
             * Format: date
             * @example 2024-10-10
             */
            from: string;
            /**
             * Format: double
             * @description The highest score of these days.
             * @example 47.3
             */
            highest: number;
            /**
             * Format: date
             * @example 2024-10-21
             */
            to: string;
        };
        /** @description Scores as published, oldest first. */
        History: {
            /**
             * Format: date-time
             * @description The beginning of the window.
             * @example 2026-11-07T00:00:00Z
             */
            from: string;
            pillars: components["schemas"]["PillarBuckets"] | null;
            /** @description Buckets in which something was published; an empty one is left out. */
            points: components["schemas"]["HistoryBucket"][];
            /**
             * @description `composite` or the pillar's key.
             * @example composite
             */
            series: string;
            step: components["schemas"]["StepWord"];
            /**
             * Format: date-time
             * @example 2026-11-14T00:00:00Z
             */
            to: string;
        };
        /** @description The scores that were published from `at` until the next bucket. */
        HistoryBucket: {
            /**
             * Format: date-time
             * @example 2026-11-07T00:00:00Z
             */
            at: string;
            /**
             * Format: double
             * @example 41.3
             */
            last: number;
            /** @description `last` was computed after the next tick was due. */
            late: boolean;
            /**
             * Format: double
             * @example 42.7
             */
            max: number;
            /**
             * Format: double
             * @example 40.1
             */
            min: number;
            /**
             * Format: date-time
             * @description The time at which `last` was published.
             * @example 2026-11-07T00:45:03Z
             */
            published_at: string;
        };
        /** @description A briefing that was published, in short. */
        HookBriefing: {
            headline: string;
            /** @example brf_0123456789ABCDEFGHJKMNPQRS */
            id: string;
            /**
             * Format: date-time
             * @example 2026-11-15T00:00:00Z
             */
            published_at: string;
            /** @example global */
            subject: string;
            summary: string;
            tags: string[];
        };
        /** @description A snapshot that was published, in short. */
        HookSnapshot: {
            /**
             * Format: date-time
             * @example 2026-11-14T23:45:00Z
             */
            as_of: string;
            band: components["schemas"]["Band"];
            /**
             * Format: double
             * @description Null while there is no score of 24 hours before.
             * @example -1.4
             */
            delta_24h: number | null;
            /** @example snp_0123456789ABCDEFGHJKMNPQRS */
            id: string;
            pillars: components["schemas"]["PillarScores"];
            /**
             * Format: double
             * @example 41.3
             */
            score: number;
            status: components["schemas"]["DataStatus"];
            trend: components["schemas"]["TrendWord"];
        };
        /** @description A message that an operator sent to try a hook. */
        HookTest: {
            /** @description The hook's name. */
            hook: string;
        };
        /** @description A reading of one indicator, in its own unit (see `/v1/method`). */
        Indicator: {
            /** @example active_theaters */
            key: string;
            /**
             * Format: double
             * @description Four significant digits.
             * @example 7
             */
            value: number;
        };
        /** @description One indicator's part in its pillar and in the composite. */
        IndicatorExplanation: {
            /** Format: int64 */
            age_seconds: number | null;
            /** Format: double */
            calibration: number;
            /** Format: double */
            contribution: number;
            /** Format: double */
            coverage_effect: number | null;
            /**
             * Format: double
             * @description Points of the composite's change; null without a baseline.
             */
            data_effect: number | null;
            /** Format: double */
            effective_weight: number;
            /** @example gdelt */
            feed: string;
            /** Format: double */
            freshness: number;
            /** @description A jump that is held back for one tick. */
            held: boolean;
            /** @description The stored observations behind the value. */
            inputs: components["schemas"]["InputReference"][];
            /** @example event_velocity */
            key: string;
            missing: string | null;
            /**
             * Format: double
             * @description Share of its history below this value, in percent.
             */
            percentile: number | null;
            /**
             * Format: date-time
             * @description End of the newest period in the value.
             */
            period_end: string | null;
            /**
             * Format: double
             * @description Points of the pillar score, and of the composite.
             */
            pillar_contribution: number;
            /** Format: double */
            pillar_coverage_effect: number | null;
            /**
             * Format: double
             * @description Points of the pillar's change; null without a baseline.
             */
            pillar_data_effect: number | null;
            /** Format: double */
            quality: number;
            /**
             * Format: int32
             * @description Days of history that the value was ranked in.
             */
            sample: number;
            /**
             * Format: double
             * @description 0 to 100 on the common scale.
             */
            score: number | null;
            /** @example events/day */
            unit: string;
            /**
             * Format: double
             * @description Null when there is no data; `missing` says why.
             */
            value: number | null;
            /**
             * Format: double
             * @description Weight in the pillar: in the catalogue, and reduced by age and quality.
             */
            weight: number;
        };
        /** @description A tick's countries are a function of the rows, its events and the countries published before. */
        InputCountries: {
            /** @description The record of a day before. */
            day_ago: {
                [key: string]: unknown;
            } | null;
            /** @description SHA-256 of the published record as JSON, in hexadecimal. Computing it again must give the same digest. */
            digest: string;
            /** @description The tick's events by country. */
            events: {
                [key: string]: {
                    [key: string]: unknown;
                };
            };
            /** @description The record published before it. */
            previous: {
                [key: string]: unknown;
            } | null;
        };
        /** @description A reference to a stored observation. */
        InputReference: {
            /** @description The entity of the observation; empty for the world. */
            entity: string;
            /**
             * Format: date-time
             * @example 2026-11-13T00:00:00Z
             */
            period_end: string;
            /** Format: int32 */
            revision: number;
            /** @example ofr.fsi */
            series: string;
        };
        /** @description Start from `state` and compute the `ticks` in order, each with the rows known at that time. The last one gives the snapshot. */
        Inputs: {
            /** Format: date-time */
            as_of: string;
            /** @description Scores by previous methods at the same tick. Part of the record, not of the arithmetic. */
            beside?: {
                [key: string]: unknown;
            }[];
            /** @description The score among the days before it. Part of the record, not of the arithmetic. */
            context?: {
                [key: string]: unknown;
            };
            /**
             * @description Further inputs of the countries of the same tick. Absent when none were computed, or by a method for countries other than
             *     the one in `method`.
             */
            countries?: components["schemas"]["InputCountries"];
            /** @description The health of the feeds. Part of the record, not of the arithmetic. */
            feeds: {
                [key: string]: unknown;
            }[];
            /**
             * Format: int32
             * @description The version of this format.
             * @example 1
             */
            format: number;
            /** @description The document that `/v1/method` returns. */
            method: components["schemas"]["Method"];
            /**
             * Format: date-time
             * @description The time of publication. Inputs from older versions lack it.
             */
            published_at?: string;
            series: components["schemas"]["SeriesRows"][];
            simulated: boolean;
            slots: components["schemas"]["SlotRow"][];
            /** @example snp_0123456789ABCDEFGHJKMNPQRS */
            snapshot: string;
            state: components["schemas"]["StateBody"] | null;
            ticks: string[];
            /** @description Series that may not be passed on; without them the snapshot cannot be computed again. */
            withheld: string[];
        };
        /** @description The range that contains the true value with a probability of 90 %. */
        Interval: {
            /**
             * Format: double
             * @example 44.4
             */
            high: number;
            /**
             * Format: double
             * @example 38.2
             */
            low: number;
        };
        /** @description A JSON Feed, version 1.1. */
        JsonFeed: {
            description: string;
            /** @example /briefings.json */
            feed_url: string;
            /**
             * @description The dashboard. Addresses are absolute where `public.url` is set, otherwise relative to the address of the feed.
             * @example /?view=briefings
             */
            home_page_url: string;
            items: components["schemas"]["JsonFeedItem"][];
            /** @example en */
            language: string;
            /** @example Global Stability Intelligence: briefings */
            title: string;
            /** @example https://jsonfeed.org/version/1.1 */
            version: string;
        };
        /** @description One entry. */
        JsonFeedItem: {
            content_text: string;
            /**
             * Format: date-time
             * @example 2026-11-14T06:00:00Z
             */
            date_published: string;
            /** @example brf_0123456789ABCDEFGHJKMNPQRS */
            id: string;
            tags: string[];
            title: string;
            /** @description Its page in the dashboard. */
            url: string;
        };
        /** @description The key the request was made with. */
        KeySelf: {
            /** Format: date-time */
            created_at: string | null;
            /**
             * Format: date-time
             * @description Null: never.
             */
            expires_at: string | null;
            /**
             * @description The public part of the key.
             * @example 7h2k9m4q1z
             */
            id: string;
            /** @example nightly report */
            name: string;
            quota: components["schemas"]["Quota"] | null;
            /**
             * @example [
             *       "scores:read"
             *     ]
             */
            scopes: string[];
        };
        /** @description The pillar scores of a day; null with too little data. */
        KnownPillars: {
            /**
             * Format: double
             * @example 55.2
             */
            conflict: number | null;
            /**
             * Format: double
             * @example 38
             */
            cyber: number | null;
            /**
             * Format: double
             * @example 36.4
             */
            macro: number | null;
            /**
             * Format: double
             * @example 33.1
             */
            supply_chain: number | null;
        };
        /** @description One kind of thing on the map, all of it from one feed. */
        Layer: {
            /** @description The meaning of a mark's value. */
            about: string;
            /** @description The credit that must be shown to readers. */
            attribution: string;
            /** @example usgs */
            feed: string;
            key: components["schemas"]["LayerKey"];
            licence: string;
            /** @description Further conditions of the licence, or empty. */
            licence_note: string;
            /** @description The gravest first, then by id. */
            marks: components["schemas"]["Mark"][];
            /**
             * Format: date
             * @description The newest day with data, UTC.
             * @example 2026-11-13
             */
            newest_day: string | null;
            publisher: string;
            /** @description `stale` when the newest day is too old. With `no_data`, missing marks do not mean that nothing happened. */
            status: components["schemas"]["LayerStatusWord"];
            /** @example Earthquakes */
            title: string;
            /**
             * @description The unit of the values.
             * @example magnitude
             */
            unit: string;
        };
        /**
         * @description A layer of the map.
         * @enum {string}
         */
        LayerKey: "outages" | "chokepoints" | "quakes" | "disasters";
        /**
         * @description How far a layer can be relied on.
         * @enum {string}
         */
        LayerStatusWord: "ok" | "stale" | "no_data";
        /** @description The layers of the map, as known at a tick. */
        Layers: {
            /**
             * Format: date-time
             * @example 2026-11-14T23:45:00Z
             */
            as_of: string;
            layers: components["schemas"]["Layer"][];
        };
        /** @description An indicator that the country no longer has. */
        LeftExplanation: {
            /** Format: double */
            change_24h: number;
            /** @example internet_outage */
            key: string;
        };
        /** @description What past days in one band were like. */
        Level: {
            band: components["schemas"]["Band"];
            /**
             * Format: double
             * @description Share of them with the beginning of another listed crisis within 14 days.
             * @example 0.09
             */
            crisis_begins_within_14_days: number | null;
            /**
             * Format: double
             * @description Share of them with a listed crisis under way; null without a day.
             * @example 0.38
             */
            crisis_under_way: number | null;
            crisis_under_way_range: components["schemas"]["ShareRange"] | null;
            /**
             * Format: int32
             * @example 2710
             */
            days: number;
            /**
             * Format: double
             * @description The lowest score of the band.
             * @example 33
             */
            from: number;
            /**
             * Format: double
             * @description The end of the band, exclusive.
             * @example 44
             */
            to: number;
        };
        /** @description One place, country or happening. */
        Mark: {
            /**
             * @description ISO 3166-1 alpha-2. A mark without coordinates is about the whole country.
             * @example JP
             */
            country: string | null;
            /**
             * Format: date
             * @description The day of the value, or the last of several days, UTC.
             * @example 2026-11-13
             */
            day: string;
            /**
             * @description Unique in its layer, and the same from tick to tick.
             * @example us7000abcd
             */
            id: string;
            /**
             * Format: double
             * @example 38.3
             */
            lat: number | null;
            /**
             * Format: int32
             * @description The severity from 0 (ordinary) to 3 (gravest), on the same scale for all layers.
             * @example 2
             */
            level: number;
            /**
             * Format: double
             * @example 142.4
             */
            lon: number | null;
            /** @example Earthquake */
            name: string;
            /**
             * @description The severity in the layer's words.
             * @example strong
             */
            severity: string;
            /**
             * Format: double
             * @description Null where the licence lets only the severity be shown.
             * @example 6.1
             */
            value: number | null;
        };
        /** @description What a level has meant: frequencies in the past, and their limits. */
        Meaning: {
            /** @description The band of this score, without hysteresis. */
            band: components["schemas"]["Band"];
            /**
             * Format: int32
             * @description Number of dated crises in the list that comes with the program.
             * @example 52
             */
            crises: number;
            /**
             * Format: date
             * @example 2026-11-14
             */
            date: string;
            /**
             * Format: int32
             * @description The number of reconstructed days with a score.
             * @example 9100
             */
            days: number;
            /**
             * @description The statement that the score does not forecast, with figures.
             * @example The score tells the present and does not forecast: a listed crisis began within 14 days after 9 % of calm days, 11 % of guarded days.
             */
            forecast: string;
            /**
             * Format: date
             * @description The last reconstructed day with a score at least this high; null when there is none.
             * @example 2024-10-21
             */
            last_day_as_high: string | null;
            /** @description From the lowest band to the highest. */
            levels: components["schemas"]["Level"][];
            /**
             * Format: date
             * @description The first and last day that the list of crises covers.
             * @example 2008-01-01
             */
            listed_from: string;
            /**
             * Format: date
             * @example 2024-12-31
             */
            listed_to: string;
            /** @description The lists behind the ranges: the list that comes with the program, and stricter selections from it. */
            lists: components["schemas"]["CrisisList"][];
            /** @example 3.0.0 */
            method_version: string;
            origin: components["schemas"]["DayOrigin"];
            /**
             * Format: double
             * @example 41.3
             */
            score: number;
            /**
             * Format: double
             * @description Share of all reconstructed days with a lower score.
             * @example 0.64
             */
            share_of_days_lower: number;
        };
        /** @description Everything that can change a number, with a digest over it. */
        Method: {
            /** @description Further thresholds at which alerts begin and end. */
            alert_rules?: {
                [key: string]: components["schemas"]["MethodParameter"];
            };
            /** @description How the alert levels are computed. */
            alerts: components["schemas"]["MethodAlerts"];
            countries?: components["schemas"]["CountryMethod"] | null;
            /** @description The digest of everything that can change a score: parameters, indicators and the files in `parts`. */
            digest: string;
            /** @description The statement that the score does not forecast, with figures. Absent until the past is computed. */
            forecast?: string | null;
            /** @description Indicators whose feeds are off. */
            inactive: string[];
            indicators: components["schemas"]["MethodIndicator"][];
            parameters: {
                [key: string]: components["schemas"]["MethodParameter"];
            };
            /** @description Digest of each file of lists and words. */
            parts?: {
                [key: string]: string;
            };
            /** @description Weight of each pillar in the composite. */
            pillars: {
                [key: string]: number;
            };
            /** @description The series that the indicators read. */
            series: string[];
            /** @example 3.0.0 */
            version: string;
            /** @description How texts phrase each indicator. */
            words?: {
                [key: string]: {
                    [key: string]: string;
                };
            };
            words_digest?: string | null;
        };
        MethodAlerts: {
            /** Format: int32 */
            past_days: number;
            /** Format: int32 */
            past_needed: number;
            /** @description By pillar, and `composite`. */
            rules: {
                [key: string]: {
                    [key: string]: number;
                };
            };
        };
        /** @description One entry of the log. */
        MethodChange: {
            /**
             * Format: date
             * @example 2026-11-16
             */
            date: string;
            /** @description The effect on measured figures. */
            effect: string;
            kind: components["schemas"]["MethodChangeKind"];
            /** @example 3.0.0 */
            title: string;
            /**
             * @description The version that the change made, or that the correction is about.
             * @example 3.0.0
             */
            version: string;
            what: string;
            why: string;
        };
        /**
         * @description `change` for another way of computing, `correction` for figures that turned out wrong.
         * @enum {string}
         */
        MethodChangeKind: "change" | "correction";
        /** @description Changes of the method, and corrections of figures about it. Published scores are never rewritten. */
        MethodChanges: {
            /** @description Newest first. */
            changes: components["schemas"]["MethodChange"][];
            digest: string;
            /**
             * @description The method in force.
             * @example 3.0.0
             */
            version: string;
        };
        /** @description One indicator of the composite. */
        MethodIndicator: {
            business_days: boolean;
            /** Format: double */
            cadence_hours: number;
            /** @description Compared with the same day of the week. */
            day_of_week: boolean;
            description: string;
            fades?: {
                [key: string]: number;
            } | null;
            feeds: string[];
            /** @description `kind` and its parameters. */
            formula: {
                [key: string]: components["schemas"]["MethodParameter"];
            };
            /** @example country_surprise */
            key: string;
            /** Format: double */
            lag_hours: number;
            /** @description Its absence does not lower the coverage. */
            optional: boolean;
            /** @example conflict */
            pillar: string;
            /** @description The distribution assumed before there is history. */
            prior: components["schemas"]["MethodPrior"];
            /** Format: double */
            slack_hours: number;
            start?: string | null;
            takes_over?: boolean | null;
            tested_on?: components["schemas"]["MethodTestSeries"] | null;
            unit: string;
            /**
             * Format: double
             * @description The weight within its pillar. With zero, the indicator is shown and not scored.
             */
            weight: number;
            /** Format: double */
            window_years: number;
        };
        /** @description A number, a name, several of them, or a group of numbers. */
        MethodParameter: number | boolean | string | number[] | string[] | {
            [key: string]: number;
        };
        /** @description A distribution by its median and its 95th percentile. */
        MethodPrior: {
            /** @example normal */
            kind: string;
            /** Format: double */
            median: number;
            /** Format: double */
            q95: number;
        };
        /** @description The method that computed the numbers. */
        MethodReference: {
            digest: string;
            version: string;
        };
        /** @description The longer series on which an indicator was tested. */
        MethodTestSeries: {
            prior: components["schemas"]["MethodPrior"];
            series: string;
        };
        /** @description Countries without a score. A missing score does not mean that a country is calm. */
        NotScored: {
            /**
             * Format: int32
             * @description Too little data.
             * @example 4
             */
            thin: number;
            /**
             * Format: int32
             * @description Too little news coverage.
             * @example 31
             */
            unmonitored: number;
        };
        /**
         * Stability overview
         * @description The composite and its four parts at one tick.
         */
        Overview: {
            /**
             * Format: date-time
             * @description The tick the data refer to.
             * @example 2026-11-14T23:45:00Z
             */
            as_of: string;
            pillars: components["schemas"]["PillarScores"];
            /**
             * Format: double
             * @description Composite score, lower is more stable. One decimal.
             * @example 41.3
             */
            score: number;
            /** @description Direction of the number: `down` means getting more stable. */
            trend: components["schemas"]["TrendWord"];
        };
        /** @description One parameter that was not accepted. */
        ParameterProblem: {
            /**
             * @description What would be accepted.
             * @example a whole number from 1 to 200
             */
            allowed: string;
            /**
             * @description The parameter's name as it was sent.
             * @example limit
             */
            parameter: string;
            /**
             * @description What is wrong with it.
             * @example is not a whole number
             */
            problem: string;
        };
        /** @description The buckets of every pillar. */
        PillarBuckets: {
            conflict: components["schemas"]["HistoryBucket"][];
            cyber: components["schemas"]["HistoryBucket"][];
            macro: components["schemas"]["HistoryBucket"][];
            supply_chain: components["schemas"]["HistoryBucket"][];
        };
        /**
         * Pillar drilldown
         * @description One pillar with the readings behind it.
         */
        PillarDrilldown: {
            /**
             * Format: date-time
             * @description The tick the data refer to.
             * @example 2026-11-14T23:45:00Z
             */
            as_of: string;
            /**
             * Format: double
             * @description The published score minus the one published 24 hours ago; 0.0 without one.
             * @example -1.4
             */
            delta_24h: number;
            /** @description Readings with data. Others are left out. */
            indicators: components["schemas"]["Indicator"][];
            pillar: components["schemas"]["PillarKey"];
            /**
             * Format: double
             * @description Pillar score. One decimal.
             * @example 55.2
             */
            score: number;
        };
        /** @description One pillar's part in the composite. */
        PillarExplanation: {
            confidence: components["schemas"]["ConfidenceBody"];
            /**
             * Format: double
             * @description Points of the composite.
             * @example 14.212
             */
            contribution: number;
            /** Format: double */
            coverage: number;
            /** Format: double */
            coverage_effect: number | null;
            /**
             * Format: double
             * @description Points of the composite's change from data and from coverage; null without a baseline.
             */
            data_effect: number | null;
            /**
             * Format: double
             * @example -1.4
             */
            delta_24h: number;
            /**
             * @description `ok`, or `no_baseline` when nothing was published 24 hours ago.
             * @example ok
             */
            delta_basis: string;
            indicators: components["schemas"]["IndicatorExplanation"][];
            pillar: components["schemas"]["PillarKey"];
            /**
             * Format: double
             * @example 55.2
             */
            score: number;
            /** Format: double */
            standard_error: number | null;
            /**
             * @description `ok`, `degraded`, or `unavailable`: the last score is held and the composite is computed without it.
             * @example ok
             */
            status: string;
            /**
             * Format: double
             * @example 54.8
             */
            unsmoothed: number;
            /**
             * Format: double
             * @description Effective weight in the composite.
             */
            weight: number;
        };
        /**
         * @description One of the four parts of the composite.
         * @enum {string}
         */
        PillarKey: "conflict" | "cyber" | "supply_chain" | "macro";
        /** @description The four pillar scores, 0 to 100, one decimal. */
        PillarScores: {
            /**
             * Format: double
             * @example 55.2
             */
            conflict: number;
            /**
             * Format: double
             * @example 38
             */
            cyber: number;
            /**
             * Format: double
             * @example 36.4
             */
            macro: number;
            /**
             * Format: double
             * @example 33.1
             */
            supply_chain: number;
        };
        /**
         * @description How exactly the place is known.
         * @enum {string}
         */
        PrecisionWord: "city" | "region" | "country";
        /**
         * Problem
         * @description The wire form of a problem.
         */
        Problem: {
            /**
             * @description A stable word for programs.
             * @example invalid_parameter
             */
            code: string;
            /**
             * @description What happened in this case.
             * @example limit: is not a whole number
             */
            detail: string;
            /** @description The parameters concerned, when the problem is about parameters; the first twenty when there are more. */
            errors?: components["schemas"]["ParameterProblem"][];
            /**
             * @description The path that was asked for.
             * @example /v1/conflict
             */
            instance: string;
            /**
             * @description Also in the header X-Request-Id and in the service's log.
             * @example 6f1a9c0d2b7e4835
             */
            request_id: string;
            /**
             * Format: int32
             * @description The status code, again.
             * @example 400
             */
            status: number;
            /**
             * @description The kind of problem in a few words.
             * @example A query parameter is not valid
             */
            title: string;
            /**
             * @description A path that resolves to a page about this kind of problem.
             * @example /problems/invalid_parameter
             */
            type: string;
        };
        /** @description A token bucket and what is left in it. */
        Quota: {
            /** Format: int32 */
            burst: number;
            /** Format: int32 */
            per_minute: number;
            /** Format: int64 */
            remaining: number;
            /**
             * Format: int64
             * @description Seconds until the bucket is full again.
             */
            reset_seconds: number;
        };
        /** @description An indicator of the reconstruction. */
        ReconstructedIndicator: {
            /** @example volatility_stress */
            key: string;
            /**
             * Format: double
             * @description Its weight in the live pillar.
             * @example 0.2
             */
            live_weight: number;
            pillar: components["schemas"]["PillarKey"];
            /** @description Spans of days with a value, within the requested window. */
            with_data: components["schemas"]["DaySpan"][];
        };
        /** @description One day at its last tick. */
        ReconstructedPoint: {
            /**
             * Format: double
             * @description Share of the live weight with fresh values.
             * @example 0.71
             */
            coverage: number;
            /**
             * Format: date
             * @example 2008-09-15
             */
            date: string;
            /**
             * Format: double
             * @description Null with too little data.
             * @example 61.3
             */
            score: number | null;
        };
        /** @description The scores that this method would have published on each day, from data known on that day. They were computed afterwards. */
        Reconstruction: {
            /** @description The credits for the values behind it. */
            attributions: string[];
            /**
             * Format: date-time
             * @example 2008-01-01T00:00:00Z
             */
            from: string;
            /** @description The indicators in the history, with the days on which each has a value. */
            indicators: components["schemas"]["ReconstructedIndicator"][];
            /**
             * @description The digest of the part of the method for which the history has data.
             * @example 288110e80bd1
             */
            method_digest: string;
            /** @example 3.0.0 */
            method_version: string;
            /**
             * @description Always `reconstructed`: these scores and published ones are never mixed.
             * @example reconstructed
             */
            origin: string;
            /** @description One for each day. */
            points: components["schemas"]["ReconstructedPoint"][];
            /**
             * @description `composite` or the pillar's key.
             * @example composite
             */
            series: string;
            /** @example 1d */
            step: string;
            /**
             * Format: date-time
             * @example 2009-01-01T00:00:00Z
             */
            to: string;
        };
        /**
         * @description The place of a score among the days before it. Scores are compared as shown, to a tenth. Published and reconstructed days
         *     are never mixed.
         */
        ScoreContext: {
            /** @description The statement that the score does not forecast, with figures; null where it is not compared with the real past. */
            forecast: string | null;
            level: components["schemas"]["Level"] | null;
            published: components["schemas"]["DayPlace"] | null;
            reconstruction: components["schemas"]["DayPlace"] | null;
            /**
             * @description The method of the reconstruction.
             * @example 3.0.0
             */
            reconstruction_method: string | null;
        };
        SeriesRows: {
            /** @description A country, a place or a currency; absent when the series has one entity. */
            entity?: string;
            feed: string;
            /** @description Period end, revision, known at, value, quality; times in seconds since 1970. */
            rows: number[][];
            /** @example gpr.total */
            series: string;
        };
        /** @description The lowest and the highest share. */
        ShareRange: {
            /**
             * Format: double
             * @example 0.38
             */
            high: number;
            /**
             * Format: double
             * @example 0.21
             */
            low: number;
        };
        /** @description Counts over one file of coded news. */
        SlotRow: {
            /** Format: int32 */
            articles: number;
            /** Format: double */
            conflict: number;
            /** @description Country, articles, conflict. */
            countries: unknown[][];
            /** Format: int32 */
            cyber: number;
            /** Format: int64 */
            known_at: number;
            /** Format: int64 */
            stamp: number;
            /** Format: int32 */
            supply: number;
            /** Format: double */
            threat: number;
        };
        StateBody: {
            /** @description Base64. */
            bytes: string;
            /** Format: date-time */
            tick: string;
        };
        /**
         * @description How well an event is corroborated.
         * @enum {string}
         */
        StatusWord: "confirmed" | "reported" | "unconfirmed";
        /**
         * @description Width of a bucket.
         * @enum {string}
         */
        StepWord: "1h" | "15m" | "1d";
        /** @description A change of the band, of the status of the data, or of an alert. */
        StreamAlert: {
            /** @example degraded */
            after: string;
            alert: components["schemas"]["Alert"] | null;
            /**
             * Format: date-time
             * @example 2026-11-14T23:45:00Z
             */
            as_of: string;
            /** @example ok */
            before: string;
            /**
             * @description `band`, `status`, or `alert:` and a subject, which goes from `off` to `on` and back. Subjects other than the composite and
             *     the pillars are sent to keys with `alerts:read`.
             * @example status
             */
            kind: string;
        };
        /** @description One feed's status. */
        StreamFeed: {
            /** @example gdelt */
            feed: string;
            status: components["schemas"]["FeedHealthWord"];
        };
        /** @description The status of every feed, sent when one changes. */
        StreamFeeds: {
            feeds: components["schemas"]["StreamFeed"][];
        };
        /** @description Missed messages are no longer kept, so the client must request its data again. */
        StreamReset: {
            /**
             * Format: date-time
             * @description The newest tick. Its messages follow.
             * @example 2026-11-14T23:45:00Z
             */
            as_of: string | null;
        };
        /** @description A new snapshot. */
        StreamSnapshot: {
            /**
             * Format: date-time
             * @example 2026-11-14T23:45:00Z
             */
            as_of: string;
            band: components["schemas"]["Band"];
            /**
             * Format: double
             * @description The change against the score published 24 hours before; 0.0 without such a baseline.
             * @example -1.4
             */
            delta_24h: number;
            pillars: components["schemas"]["PillarScores"];
            /**
             * Format: double
             * @example 41.3
             */
            score: number;
            simulated: boolean;
            /** @description The same status as in `GSI-Data-Status`. */
            status: components["schemas"]["DataStatus"];
            trend: components["schemas"]["TrendWord"];
        };
        /** @description The end of a tick's messages. A later connection continues from its id. */
        StreamTick: {
            /**
             * Format: date-time
             * @example 2026-11-14T23:45:00Z
             */
            as_of: string;
            /**
             * Format: int32
             * @description The number of new or changed events, including events that the key may not read.
             */
            events: number;
            /**
             * Format: int32
             * @description The number of these events that were not sent because there were too many. The list has all of them.
             */
            events_left_out: number;
        };
        /**
         * Summary
         * @description The rolling summary.
         */
        SummaryBody: {
            /**
             * Format: date-time
             * @description The tick the summary refers to.
             * @example 2026-11-14T23:45:00Z
             */
            as_of: string;
            /**
             * @description Natural-language text covering all pillars.
             * @example Global stability stands at 41.3, easing over the last three days.
             */
            summary: string;
        };
        /**
         * @description The author of a text.
         * @enum {string}
         */
        TextAuthor: "template" | "model";
        /**
         * @description Direction of a score.
         * @enum {string}
         */
        TrendWord: "up" | "down" | "flat";
    };
    responses: {
        /** @description `invalid_parameter`, `invalid_cursor` or `bad_request`. */
        BadRequest: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `body_not_allowed`. */
        BodyNotAllowed: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `insufficient_scope`. */
        Forbidden: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `no_longer_kept`: it was there, and the operator keeps it for a limited time. */
        Gone: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `headers_too_large`. */
        HeadersTooLarge: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `internal`. */
        Internal: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `method_not_allowed`. */
        MethodNotAllowed: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                Allow: components["headers"]["Allow"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `not_acceptable`. */
        NotAcceptable: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `not_found`, `unknown_pillar`, `unknown_country`, or `no_snapshot` for a time before the first. */
        NotFound: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `rate_limited`. */
        RateLimited: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `missing_credentials`, `invalid_credentials` or `expired_credentials`. */
        Unauthorized: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `no_snapshot` before the first publication, or `overloaded`. */
        Unavailable: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `uri_too_long`. */
        UriTooLong: {
            headers: {
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Whose pages may read the answer, where the operator allows it to any. */
        "Access-Control-Allow-Origin": string;
        /** @description The methods that are allowed. */
        Allow: string;
        /** @description Current until the next tick. */
        "Cache-Control": string;
        /** @description Strong validator of this representation. */
        ETag: string;
        /** @description Whether the data behind the answer are complete and fresh. */
        "GSI-Data-Status": "ok" | "degraded" | "stale";
        /** @description Present when the data come from the simulated world. */
        "GSI-Simulated": string;
        /** @description The tick the answer refers to, or when it was made. */
        "Last-Modified": string;
        /** @description The next page, when there is one. */
        Link: string;
        /** @description What is left of the quota, and seconds until it is full again. */
        RateLimit: string;
        /** @description The quota. */
        "RateLimit-Policy": string;
        /** @description Seconds to wait. */
        "Retry-After": number;
        /** @description What the answer depends on. */
        Vary: string;
        /** @description How to authenticate. */
        "WWW-Authenticate": string;
        /** @description Identifies the request in the service's log. */
        "X-Request-Id": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getAlertsAtom: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The feed. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/atom+xml": string;
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getAlertsJsonFeed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The feed. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/feed+json": components["schemas"]["JsonFeed"];
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getBadge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The badge. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Data-Status": components["headers"]["GSI-Data-Status"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getBriefingsAtom: {
        parameters: {
            query?: {
                /** @description Any of these tags. */
                tag?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The feed. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/atom+xml": string;
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getBriefingsJsonFeed: {
        parameters: {
            query?: {
                /** @description Any of these tags. */
                tag?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The feed. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/feed+json": components["schemas"]["JsonFeed"];
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getCard: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The picture. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Data-Status": components["headers"]["GSI-Data-Status"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "image/png": components["schemas"]["CardPicture"];
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    stream: {
        parameters: {
            query?: never;
            header?: {
                /** @description The last id received. What followed it is sent, or `reset` when that is no longer kept. */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream, for as long as both sides keep it open. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAlerts: {
        parameters: {
            query?: {
                /** @description Entries per page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description Only alerts in this state. */
                state?: "active" | "ended";
                /** @description Only alerts by this rule. */
                rule?: "score" | "band" | "event" | "feed" | "briefing";
                /** @description Only this country, ISO 3166-1 alpha-2. */
                country?: "AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AN" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CS" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "XK" | "YE" | "YT" | "ZA" | "ZM" | "ZW";
                /** @description From this time on, inclusive; must come before `until`. */
                since?: string;
                /** @description Up to this time, exclusive. */
                until?: string;
                /** @description Answer as it was published at this time. Nothing published then: 404 `no_snapshot`. */
                as_of?: string;
                /** @description The form of the answer; without it, `Accept` decides. */
                format?: "json" | "csv";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of alerts. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertPage"];
                    "text/csv": string;
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getAlert: {
        parameters: {
            query?: {
                /** @description Answer as it was published at this time. Nothing published then: 404 `no_snapshot`. */
                as_of?: string;
            };
            header?: never;
            path: {
                /** @description The alert. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The alert. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertDetail"];
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listBriefings: {
        parameters: {
            query?: {
                /** @description Entries per page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description From this time on, inclusive; must come before `until`. */
                since?: string;
                /** @description Up to this time, exclusive. */
                until?: string;
                /** @description Any of these tags. */
                tag?: string[];
                /** @description Answer as it was published at this time. Nothing published then: 404 `no_snapshot`. */
                as_of?: string;
                /** @description The form of the answer; without it, `Accept` decides. */
                format?: "json" | "csv";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of briefings. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BriefingPage"];
                    "text/csv": string;
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getBriefing: {
        parameters: {
            query?: {
                /** @description Answer as it was published at this time. Nothing published then: 404 `no_snapshot`. */
                as_of?: string;
            };
            header?: never;
            path: {
                /** @description The briefing. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The briefing. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BriefingDetail"];
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listConflictEvents: {
        parameters: {
            query?: {
                /** @description Entries per page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description From this time on, inclusive; must come before `until`. */
                since?: string;
                /** @description Up to this time, exclusive. */
                until?: string;
                /** @description Any of these categories. */
                category?: ("kinetic" | "posture" | "threat" | "coercion" | "unrest")[];
                /** @description Any of these countries, ISO 3166-1 alpha-2. */
                country?: ("AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AN" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CS" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "XK" | "YE" | "YT" | "ZA" | "ZM" | "ZW")[];
                /** @description Part of an actor label, in any case. */
                actor?: string;
                /** @description This escalation or more. */
                min_escalation?: number;
                /** @description west,south,east,north in degrees, south not above north; west above east crosses the antimeridian. */
                bbox?: string;
                /** @description Last active at this time or later: its `last_activity`. */
                active_since?: string;
                /** @description Any of these statuses. Default: confirmed and reported. */
                status?: ("confirmed" | "reported" | "unconfirmed")[];
                /** @description Answer as it was published at this time. Nothing published then: 404 `no_snapshot`. */
                as_of?: string;
                /** @description The form of the answer; without it, `Accept` decides. */
                format?: "json" | "geojson" | "csv";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/geo+json": components["schemas"]["EventFeatures"];
                    "application/json": components["schemas"]["EventPage"];
                    "text/csv": string;
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["Gone"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getConflictEvent: {
        parameters: {
            query?: {
                /** @description Answer as it was published at this time. Nothing published then: 404 `no_snapshot`. */
                as_of?: string;
            };
            header?: never;
            path: {
                /** @description The event. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event with its sources and revisions. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventDetail"];
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["Gone"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listCountries: {
        parameters: {
            query?: {
                /** @description Entries per page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description This score or more. */
                min_score?: number;
                /** @description Ranked and filtered by this pillar. */
                pillar?: "conflict" | "cyber" | "supply_chain" | "macro";
                /** @description Answer as it was published at this time. Nothing published then: 404 `no_snapshot`. */
                as_of?: string;
                /** @description The form of the answer; without it, `Accept` decides. */
                format?: "json" | "geojson" | "csv";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of countries. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/geo+json": components["schemas"]["CountryFeatures"];
                    "application/json": components["schemas"]["Countries"];
                    "text/csv": string;
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getCountry: {
        parameters: {
            query?: {
                /** @description Answer as it was published at this time. Nothing published then: 404 `no_snapshot`. */
                as_of?: string;
            };
            header?: never;
            path: {
                /** @description ISO 3166-1 alpha-2, in capitals. */
                country: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The country. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CountryDetail"];
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    explainCountry: {
        parameters: {
            query?: {
                /** @description Answer as it was published at this time. Nothing published then: 404 `no_snapshot`. */
                as_of?: string;
            };
            header?: never;
            path: {
                /** @description ISO 3166-1 alpha-2, in capitals. */
                country: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The explanation. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CountryExplanation"];
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getCountryHistory: {
        parameters: {
            query?: {
                /** @description From this time on, inclusive; must come before `to`. Default: 168 steps before `to`. */
                from?: string;
                /** @description Up to this time, exclusive. Default: just after the newest tick. */
                to?: string;
                /** @description Width of a bucket. */
                step?: "1h" | "15m" | "1d";
                /** @description The form of the answer; without it, `Accept` decides. */
                format?: "json" | "csv";
            };
            header?: never;
            path: {
                /** @description ISO 3166-1 alpha-2, in capitals. */
                country: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The buckets. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CountryHistory"];
                    "text/csv": string;
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listCrises: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The crises, oldest first. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Crises"];
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listFeeds: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The feeds. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Feeds"];
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getGlobalStability: {
        parameters: {
            query?: {
                /** @description Answer as it was published at this time. Nothing published then: 404 `no_snapshot`. */
                as_of?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The overview. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Data-Status": components["headers"]["GSI-Data-Status"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAnalogues: {
        parameters: {
            query?: {
                /** @description Answer as it was published at this time. Nothing published then: 404 `no_snapshot`. */
                as_of?: string;
                /** @description Entries per page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The days, nearest first. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Analogues"];
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    explainGlobalStability: {
        parameters: {
            query?: {
                /** @description Answer as it was published at this time. Nothing published then: 404 `no_snapshot`. */
                as_of?: string;
                /** @description Explain the score by this version of the method, current or previous. Not computed at that tick: 404. */
                method?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The explanation. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Data-Status": components["headers"]["GSI-Data-Status"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Explanation"];
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getGlobalStabilityHistory: {
        parameters: {
            query?: {
                /** @description From this time on, inclusive; must come before `to`. Default: 168 steps before `to`. */
                from?: string;
                /** @description Up to this time, exclusive. Default: just after the newest tick. */
                to?: string;
                /** @description Width of a bucket. */
                step?: "1h" | "15m" | "1d";
                /** @description Only scores by this version of the method, current or previous. At most 33 days. None stored then: 404. */
                method?: string;
                /** @description `all`: the composite and the four pillars, in the same buckets. */
                series?: "composite" | "all";
                /** @description The form of the answer; without it, `Accept` decides. */
                format?: "json" | "csv";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The buckets. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Data-Status": components["headers"]["GSI-Data-Status"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["History"];
                    "text/csv": string;
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getMeaning: {
        parameters: {
            query?: {
                /** @description Answer as it was published at this time. Nothing published then: 404 `no_snapshot`. */
                as_of?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Past frequencies by level. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Meaning"];
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPillar: {
        parameters: {
            query?: {
                /** @description Answer as it was published at this time. Nothing published then: 404 `no_snapshot`. */
                as_of?: string;
            };
            header?: never;
            path: {
                /** @description The pillar. */
                pillar: "conflict" | "cyber" | "supply_chain" | "macro";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The drilldown. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Data-Status": components["headers"]["GSI-Data-Status"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PillarDrilldown"];
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPillarHistory: {
        parameters: {
            query?: {
                /** @description From this time on, inclusive; must come before `to`. Default: 168 steps before `to`. */
                from?: string;
                /** @description Up to this time, exclusive. Default: just after the newest tick. */
                to?: string;
                /** @description Width of a bucket. */
                step?: "1h" | "15m" | "1d";
                /** @description Only scores by this version of the method, current or previous. At most 33 days. None stored then: 404. */
                method?: string;
                /** @description The form of the answer; without it, `Accept` decides. */
                format?: "json" | "csv";
            };
            header?: never;
            path: {
                /** @description The pillar. */
                pillar: "conflict" | "cyber" | "supply_chain" | "macro";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The buckets. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Data-Status": components["headers"]["GSI-Data-Status"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["History"];
                    "text/csv": string;
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPillarReconstruction: {
        parameters: {
            query?: {
                /** @description Days that begin at this time or later. Default: the first day there is. */
                from?: string;
                /** @description Days that begin before this time. Default: after the last day there is. */
                to?: string;
                /** @description A point for each day. */
                step?: "1d";
            };
            header?: never;
            path: {
                /** @description The pillar. */
                pillar: "conflict" | "cyber" | "supply_chain" | "macro";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A point for each day. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reconstruction"];
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getReconstruction: {
        parameters: {
            query?: {
                /** @description Days that begin at this time or later. Default: the first day there is. */
                from?: string;
                /** @description Days that begin before this time. Default: after the last day there is. */
                to?: string;
                /** @description A point for each day. */
                step?: "1d";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A point for each day. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reconstruction"];
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getOwnKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key, without its secret. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeySelf"];
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listLayers: {
        parameters: {
            query?: {
                /** @description Only these layers. */
                layers?: ("outages" | "chokepoints" | "quakes" | "disasters")[];
                /** @description Answer as it was published at this time. Nothing published then: 404 `no_snapshot`. */
                as_of?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The layers with their marks. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Layers"];
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getMethod: {
        parameters: {
            query?: {
                /** @description Answer as it was published at this time. Nothing published then: 404 `no_snapshot`. */
                as_of?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The method document. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Method"];
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listMethodChanges: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The log. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MethodChanges"];
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSnapshotInputs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The snapshot. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The inputs. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Data-Status": components["headers"]["GSI-Data-Status"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Inputs"];
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["Gone"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSummary: {
        parameters: {
            query?: {
                /** @description Answer as it was published at this time. Nothing published then: 404 `no_snapshot`. */
                as_of?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The summary. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "GSI-Data-Status": components["headers"]["GSI-Data-Status"];
                    "GSI-Simulated": components["headers"]["GSI-Simulated"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SummaryBody"];
                };
            };
            /** @description The caller already has this answer. */
            304: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["BodyNotAllowed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    alertBegan: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every try. */
                "webhook-id": string;
                /** @description When it was sent, in seconds since 1970. */
                "webhook-timestamp": string;
                /** @description One or, while a secret is rotated, several signatures. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["Alert"];
                    /** @description From the simulated world. */
                    simulated: boolean;
                    /**
                     * Format: date-time
                     * @description The tick.
                     */
                    timestamp: string;
                    /** @enum {string} */
                    type: "alert.began";
                };
            };
        };
        responses: {
            /** @description Gone: the hook is not called again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not taken; it is sent again. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    alertEnded: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every try. */
                "webhook-id": string;
                /** @description When it was sent, in seconds since 1970. */
                "webhook-timestamp": string;
                /** @description One or, while a secret is rotated, several signatures. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["Alert"];
                    /** @description From the simulated world. */
                    simulated: boolean;
                    /**
                     * Format: date-time
                     * @description The tick.
                     */
                    timestamp: string;
                    /** @enum {string} */
                    type: "alert.ended";
                };
            };
        };
        responses: {
            /** @description Gone: the hook is not called again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not taken; it is sent again. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    briefingPublished: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every try. */
                "webhook-id": string;
                /** @description When it was sent, in seconds since 1970. */
                "webhook-timestamp": string;
                /** @description One or, while a secret is rotated, several signatures. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["HookBriefing"];
                    /** @description From the simulated world. */
                    simulated: boolean;
                    /**
                     * Format: date-time
                     * @description The tick.
                     */
                    timestamp: string;
                    /** @enum {string} */
                    type: "briefing.published";
                };
            };
        };
        responses: {
            /** @description Gone: the hook is not called again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not taken; it is sent again. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    hookTest: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every try. */
                "webhook-id": string;
                /** @description When it was sent, in seconds since 1970. */
                "webhook-timestamp": string;
                /** @description One or, while a secret is rotated, several signatures. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["HookTest"];
                    /** @description From the simulated world. */
                    simulated: boolean;
                    /**
                     * Format: date-time
                     * @description The tick.
                     */
                    timestamp: string;
                    /** @enum {string} */
                    type: "hook.test";
                };
            };
        };
        responses: {
            /** @description Gone: the hook is not called again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not taken; it is sent again. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    snapshotPublished: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every try. */
                "webhook-id": string;
                /** @description When it was sent, in seconds since 1970. */
                "webhook-timestamp": string;
                /** @description One or, while a secret is rotated, several signatures. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    data: components["schemas"]["HookSnapshot"];
                    /** @description From the simulated world. */
                    simulated: boolean;
                    /**
                     * Format: date-time
                     * @description The tick.
                     */
                    timestamp: string;
                    /** @enum {string} */
                    type: "snapshot.published";
                };
            };
        };
        responses: {
            /** @description Gone: the hook is not called again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not taken; it is sent again. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}

/** The messages of the stream, distinguished by `event`. */
export type StreamMessage =
  /** The band or the state of the data changed, or an alert began or ended. */
  | { event: "alert"; id: string | undefined; data: components["schemas"]["StreamAlert"] }
  /** A briefing was published. */
  | { event: "briefing"; id: string | undefined; data: components["schemas"]["BriefingBody"] }
  /** A conflict event is new or has changed. */
  | { event: "event"; id: string | undefined; data: components["schemas"]["ConflictEvent"] }
  /** The standing of a feed changed. */
  | { event: "feeds"; id: string | undefined; data: components["schemas"]["StreamFeeds"] }
  /** Messages were missed that are no longer kept. */
  | { event: "reset"; id: string | undefined; data: components["schemas"]["StreamReset"] }
  /** A snapshot was published. */
  | { event: "snapshot"; id: string | undefined; data: components["schemas"]["StreamSnapshot"] }
  /** Everything of a tick has been said. Carries the id. */
  | { event: "tick"; id: string | undefined; data: components["schemas"]["StreamTick"] };
