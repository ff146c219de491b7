// Made by `scripts/page-types` from the service's OpenAPI document. Not to be edited.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Alert: {
            about: string | null;
            began_at: string;
            country: string | null;
            ended_at: string | null;
            headline: string;
            id: string;
            rule: components["schemas"]["AlertRuleKind"];
            snapshot: string;
            state: components["schemas"]["AlertState"];
            subject: string;
            threshold: number | null;
            value: number | null;
        };
        AlertDetail: {
            alert: components["schemas"]["Alert"];
            course: components["schemas"]["AlertPoint"][];
            explanation: string | null;
            fired: components["schemas"]["AlertFrequency"];
            inputs: components["schemas"]["AlertInput"][];
        };
        AlertFrequency: {
            backtest: components["schemas"]["AlertsInPast"] | null;
            last_365_days: number;
        };
        AlertInput: {
            change_24h: number | null;
            contribution: number;
            key: string;
        };
        AlertPage: {
            alerts: components["schemas"]["Alert"][];
            next_cursor: string | null;
        };
        AlertPoint: {
            as_of: string;
            value: number;
        };
        /** @enum {string} */
        AlertRuleKind: "score" | "band" | "event" | "feed" | "briefing" | "own";
        /** @enum {string} */
        AlertState: "active" | "ended";
        AlertsInPast: {
            alerts: number;
            from: string;
            per_year: number;
            to: string;
        };
        Analogue: {
            crisis: components["schemas"]["Crisis"] | null;
            date: string;
            distance: number;
            highest_in_30_days: number | null;
            pillars: components["schemas"]["KnownPillars"];
            pillars_compared: number;
            score: number;
            score_30_days_later: number | null;
        };
        Analogues: {
            analogues: components["schemas"]["Analogue"][];
            date: string;
            method_version: string;
            origin: components["schemas"]["DayOrigin"];
            pillars: components["schemas"]["KnownPillars"];
            score: number;
        };
        /** @enum {string} */
        Band: "calm" | "guarded" | "elevated" | "high" | "severe";
        BesideMethod: {
            digest: string;
            score: number;
            since: string;
            until: string;
            version: string;
        };
        BriefingBody: {
            headline: string;
            id: string;
            published_at: string;
            summary: string;
            tags: string[];
        };
        BriefingDetail: {
            as_of: string;
            corrected_by: string | null;
            corrects: string | null;
            day: string;
            facts: components["schemas"]["FactBody"][];
            generated_by: components["schemas"]["GeneratedByBody"];
            headline: string;
            id: string;
            late: boolean;
            published_at: string;
            sentences: string[];
            subject: string;
            summary: string;
            tags: string[];
        };
        BriefingPage: {
            briefings: components["schemas"]["BriefingBody"][];
            next_cursor: string | null;
        };
        CardPicture: string;
        ConfidenceBody: {
            agreement: number;
            calibration: number;
            coverage: number;
            value: number;
            word: string;
        };
        ConflictEvent: {
            actors: string[];
            category: string;
            escalation: number;
            id: string;
            lat: number;
            lon: number;
            occurred_at: string;
        };
        Countries: {
            as_of: string;
            countries: components["schemas"]["Country"][];
            next_cursor: string | null;
            not_scored: components["schemas"]["NotScored"];
        };
        Country: {
            country: string;
            coverage: number;
            delta_24h: number | null;
            name: string;
            pillars: {
                [key: string]: number;
            };
            score: number;
            trend: components["schemas"]["TrendWord"];
        };
        CountryDetail: {
            as_of: string;
            country: string;
            coverage: number;
            delta_24h: number | null;
            events: components["schemas"]["ConflictEvent"][];
            indicators: components["schemas"]["Indicator"][];
            late: boolean;
            name: string;
            pillars: {
                [key: string]: number;
            };
            published_at: string;
            rank: number | null;
            ranked: number;
            score: number | null;
            silent: boolean;
            standing: components["schemas"]["CountryStanding"];
            trend: components["schemas"]["TrendWord"];
            year_percentile: number | null;
        };
        CountryExplanation: {
            as_of: string;
            country: string;
            coverage: number;
            delta_24h: number | null;
            left: components["schemas"]["LeftExplanation"][];
            method: components["schemas"]["MethodReference"];
            name: string;
            pillars: components["schemas"]["CountryPillarExplanation"][];
            score: number | null;
            silent: boolean;
            standing: components["schemas"]["CountryStanding"];
        };
        CountryFeature: {
            geometry: components["schemas"]["CountryOutline"] | null;
            id: string;
            properties: components["schemas"]["Country"];
            type: string;
        };
        CountryFeatures: {
            as_of: string;
            attribution: string;
            features: components["schemas"]["CountryFeature"][];
            next_cursor: string | null;
            not_scored: components["schemas"]["NotScored"];
            type: string;
        };
        CountryHistory: {
            country: string;
            from: string;
            points: components["schemas"]["HistoryBucket"][];
            step: components["schemas"]["StepWord"];
            to: string;
        };
        CountryIndicatorExplanation: {
            change_24h: number | null;
            contribution: number | null;
            freshness: number;
            held: boolean;
            key: string;
            period_end: string;
            sample_days: number;
            score: number;
            value: number;
            weight: number;
        };
        CountryMethod: {
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
            regions: {
                [key: string]: string[];
            };
            series?: string[];
            version: string;
        };
        CountryMethodIndicator: {
            business_days: boolean;
            cadence_hours: number;
            compared_with: string;
            description: string;
            formula: {
                [key: string]: components["schemas"]["MethodParameter"];
            };
            key: string;
            lag_hours: number;
            pillar: string;
            prior: components["schemas"]["MethodPrior"];
            slack_hours: number;
            unit: string;
            weight: number;
        };
        CountryOutline: {
            coordinates: number[][][][];
            type: string;
        };
        CountryPillarExplanation: {
            contribution: number | null;
            coverage: number;
            indicators: components["schemas"]["CountryIndicatorExplanation"][];
            pillar: components["schemas"]["PillarKey"];
            score: number;
            weight: number;
        };
        /** @enum {string} */
        CountryStanding: "scored" | "thin" | "unmonitored";
        Crises: {
            crises: components["schemas"]["Crisis"][];
        };
        Crisis: {
            date: string;
            end: string;
            name: string;
            pillars: components["schemas"]["PillarKey"][];
            tier: string;
        };
        CrisisList: {
            crises: number;
            name: string;
        };
        /** @enum {string} */
        DataStatus: "ok" | "degraded" | "stale";
        /** @enum {string} */
        DayOrigin: "published" | "reconstructed";
        DayPlace: {
            days: number;
            days_this_high: number;
            from: string;
            last_this_high: components["schemas"]["HighDays"] | null;
            share_lower: number;
            to: string;
        };
        DaySpan: {
            first: string;
            last: string;
        };
        EscalationPartsBody: {
            corroboration: number;
            departure: number;
            gravity: number;
            intensity: number;
            reliability: number;
            tempo: number;
        };
        EventDetail: {
            actors: string[];
            category: string;
            closed: boolean;
            country: string | null;
            domains: number;
            escalation: number;
            escalation_parts: components["schemas"]["EscalationPartsBody"];
            id: string;
            last_activity: string;
            lat: number;
            lon: number;
            merged: string[];
            occurred_at: string;
            place: string;
            precision: components["schemas"]["PrecisionWord"];
            probability: number | null;
            reports: number;
            revisions: components["schemas"]["EventRevision"][];
            revisions_since: string | null;
            sources: components["schemas"]["EventSourceBody"][];
            status: components["schemas"]["StatusWord"];
            stories: number;
        };
        EventFeature: {
            geometry: components["schemas"]["EventPoint"];
            id: string;
            properties: components["schemas"]["EventProperties"];
            type: string;
        };
        EventFeatures: {
            features: components["schemas"]["EventFeature"][];
            next_cursor: string | null;
            type: string;
        };
        EventPage: {
            events: components["schemas"]["ConflictEvent"][];
            next_cursor: string | null;
        };
        EventPoint: {
            coordinates: number[];
            type: string;
        };
        EventProperties: {
            actors: string[];
            category: string;
            country: string | null;
            escalation: number;
            occurred_at: string;
            place: string;
            status: components["schemas"]["StatusWord"];
        };
        EventRevision: {
            as_of: string;
            category: string;
            escalation: number;
            reports: number;
            status: components["schemas"]["StatusWord"];
        };
        EventSourceBody: {
            domain: string;
            first_seen: string;
            url: string;
        };
        Explanation: {
            as_of: string;
            band: string;
            beside: components["schemas"]["BesideMethod"][];
            breadth: number;
            confidence: components["schemas"]["ConfidenceBody"];
            context: components["schemas"]["ScoreContext"] | null;
            coupling: number | null;
            coverage: number;
            delta_24h: number;
            delta_basis: string;
            delta_significant: boolean;
            interval_90: components["schemas"]["Interval"];
            late: boolean;
            method: components["schemas"]["MethodReference"];
            momentum: number;
            percentile_10y: number | null;
            pillars: components["schemas"]["PillarExplanation"][];
            published_at: string | null;
            score: number;
            snapshot: string;
            status: string;
            trend: components["schemas"]["TrendWord"];
            unsmoothed: number;
        };
        FactBody: {
            id: string;
            kind: string;
            sentence: number | null;
            sources: string[];
            subject: string;
            unit: string;
            value: number | null;
        };
        FeedBody: {
            age_seconds: number | null;
            attribution: string;
            failing_since: string | null;
            feed: string;
            homepage: string;
            last_attempt: string | null;
            last_change: string | null;
            last_refusal: string | null;
            last_success: string | null;
            late_after_seconds: number;
            licence: string;
            newest_content: string | null;
            pillar: components["schemas"]["PillarKey"] | null;
            poll_seconds: number;
            publisher: string;
            rows_accepted: number;
            rows_duplicate: number;
            rows_rejected: {
                [key: string]: number;
            };
            rows_seen: number;
            stale_after_seconds: number;
            status: components["schemas"]["FeedHealthWord"];
            title: string;
        };
        /** @enum {string} */
        FeedHealthWord: "ok" | "late" | "stale" | "never";
        Feeds: {
            feeds: components["schemas"]["FeedBody"][];
        };
        GeneratedByBody: {
            how: components["schemas"]["TextAuthor"];
            rejected: string | null;
        };
        HighDays: {
            days: number;
            from: string;
            highest: number;
            to: string;
        };
        History: {
            from: string;
            pillars: components["schemas"]["PillarBuckets"] | null;
            points: components["schemas"]["HistoryBucket"][];
            series: string;
            step: components["schemas"]["StepWord"];
            to: string;
        };
        HistoryBucket: {
            at: string;
            last: number;
            late: boolean;
            max: number;
            min: number;
            published_at: string;
        };
        HookBriefing: {
            headline: string;
            id: string;
            published_at: string;
            subject: string;
            summary: string;
            tags: string[];
        };
        HookSnapshot: {
            as_of: string;
            band: components["schemas"]["Band"];
            delta_24h: number | null;
            id: string;
            pillars: components["schemas"]["PillarScores"];
            score: number;
            status: components["schemas"]["DataStatus"];
            trend: components["schemas"]["TrendWord"];
        };
        HookTest: {
            hook: string;
        };
        Indicator: {
            key: string;
            value: number;
        };
        IndicatorExplanation: {
            age_seconds: number | null;
            calibration: number;
            contribution: number;
            coverage_effect: number | null;
            data_effect: number | null;
            effective_weight: number;
            feed: string;
            freshness: number;
            held: boolean;
            inputs: components["schemas"]["InputReference"][];
            key: string;
            missing: string | null;
            percentile: number | null;
            period_end: string | null;
            pillar_contribution: number;
            pillar_coverage_effect: number | null;
            pillar_data_effect: number | null;
            quality: number;
            sample: number;
            score: number | null;
            unit: string;
            value: number | null;
            weight: number;
        };
        InputCountries: {
            day_ago: {
                [key: string]: unknown;
            } | null;
            digest: string;
            events: {
                [key: string]: {
                    [key: string]: unknown;
                };
            };
            previous: {
                [key: string]: unknown;
            } | null;
        };
        InputReference: {
            entity: string;
            period_end: string;
            revision: number;
            series: string;
        };
        Inputs: {
            as_of: string;
            beside?: {
                [key: string]: unknown;
            }[];
            context?: {
                [key: string]: unknown;
            };
            countries?: components["schemas"]["InputCountries"];
            feeds: {
                [key: string]: unknown;
            }[];
            format: number;
            method: components["schemas"]["Method"];
            published_at?: string;
            series: components["schemas"]["SeriesRows"][];
            simulated: boolean;
            slots: components["schemas"]["SlotRow"][];
            snapshot: string;
            state: components["schemas"]["StateBody"] | null;
            ticks: string[];
            withheld: string[];
        };
        Interval: {
            high: number;
            low: number;
        };
        JsonFeed: {
            description: string;
            feed_url: string;
            home_page_url: string;
            items: components["schemas"]["JsonFeedItem"][];
            language: string;
            title: string;
            version: string;
        };
        JsonFeedItem: {
            content_text: string;
            date_published: string;
            id: string;
            tags: string[];
            title: string;
            url: string;
        };
        KeySelf: {
            created_at: string | null;
            expires_at: string | null;
            id: string;
            name: string;
            quota: components["schemas"]["Quota"] | null;
            scopes: string[];
        };
        KnownPillars: {
            conflict: number | null;
            cyber: number | null;
            macro: number | null;
            supply_chain: number | null;
        };
        Layer: {
            about: string;
            attribution: string;
            feed: string;
            key: components["schemas"]["LayerKey"];
            licence: string;
            licence_note: string;
            marks: components["schemas"]["Mark"][];
            newest_day: string | null;
            publisher: string;
            status: components["schemas"]["LayerStatusWord"];
            title: string;
            unit: string;
        };
        /** @enum {string} */
        LayerKey: "outages" | "chokepoints" | "quakes" | "disasters";
        /** @enum {string} */
        LayerStatusWord: "ok" | "stale" | "no_data";
        Layers: {
            as_of: string;
            layers: components["schemas"]["Layer"][];
        };
        LeftExplanation: {
            change_24h: number;
            key: string;
        };
        Level: {
            band: components["schemas"]["Band"];
            crisis_begins_within_14_days: number | null;
            crisis_under_way: number | null;
            crisis_under_way_range: components["schemas"]["ShareRange"] | null;
            days: number;
            from: number;
            to: number;
        };
        Mark: {
            country: string | null;
            day: string;
            id: string;
            lat: number | null;
            level: number;
            lon: number | null;
            name: string;
            severity: string;
            value: number | null;
        };
        Meaning: {
            band: components["schemas"]["Band"];
            crises: number;
            date: string;
            days: number;
            forecast: string;
            last_day_as_high: string | null;
            levels: components["schemas"]["Level"][];
            listed_from: string;
            listed_to: string;
            lists: components["schemas"]["CrisisList"][];
            method_version: string;
            origin: components["schemas"]["DayOrigin"];
            score: number;
            share_of_days_lower: number;
        };
        Method: {
            alert_rules?: {
                [key: string]: components["schemas"]["MethodParameter"];
            };
            alerts: components["schemas"]["MethodAlerts"];
            countries?: components["schemas"]["CountryMethod"] | null;
            digest: string;
            forecast?: string | null;
            inactive: string[];
            indicators: components["schemas"]["MethodIndicator"][];
            parameters: {
                [key: string]: components["schemas"]["MethodParameter"];
            };
            parts?: {
                [key: string]: string;
            };
            pillars: {
                [key: string]: number;
            };
            series: string[];
            version: string;
            words?: {
                [key: string]: {
                    [key: string]: string;
                };
            };
            words_digest?: string | null;
        };
        MethodAlerts: {
            past_days: number;
            past_needed: number;
            rules: {
                [key: string]: {
                    [key: string]: number;
                };
            };
        };
        MethodChange: {
            date: string;
            effect: string;
            kind: components["schemas"]["MethodChangeKind"];
            title: string;
            version: string;
            what: string;
            why: string;
        };
        /** @enum {string} */
        MethodChangeKind: "change" | "correction";
        MethodChanges: {
            changes: components["schemas"]["MethodChange"][];
            digest: string;
            version: string;
        };
        MethodIndicator: {
            business_days: boolean;
            cadence_hours: number;
            day_of_week: boolean;
            description: string;
            fades?: {
                [key: string]: number;
            } | null;
            feeds: string[];
            formula: {
                [key: string]: components["schemas"]["MethodParameter"];
            };
            key: string;
            lag_hours: number;
            optional: boolean;
            pillar: string;
            prior: components["schemas"]["MethodPrior"];
            slack_hours: number;
            start?: string | null;
            takes_over?: boolean | null;
            tested_on?: components["schemas"]["MethodTestSeries"] | null;
            unit: string;
            weight: number;
            window_years: number;
        };
        MethodParameter: number | boolean | string | number[] | string[] | {
            [key: string]: number;
        };
        MethodPrior: {
            kind: string;
            median: number;
            q95: number;
        };
        MethodReference: {
            digest: string;
            version: string;
        };
        MethodTestSeries: {
            prior: components["schemas"]["MethodPrior"];
            series: string;
        };
        NotScored: {
            thin: number;
            unmonitored: number;
        };
        Overview: {
            as_of: string;
            pillars: components["schemas"]["PillarScores"];
            score: number;
            trend: components["schemas"]["TrendWord"];
        };
        ParameterProblem: {
            allowed: string;
            parameter: string;
            problem: string;
        };
        PillarBuckets: {
            conflict: components["schemas"]["HistoryBucket"][];
            cyber: components["schemas"]["HistoryBucket"][];
            macro: components["schemas"]["HistoryBucket"][];
            supply_chain: components["schemas"]["HistoryBucket"][];
        };
        PillarDrilldown: {
            as_of: string;
            delta_24h: number;
            indicators: components["schemas"]["Indicator"][];
            pillar: components["schemas"]["PillarKey"];
            score: number;
        };
        PillarExplanation: {
            confidence: components["schemas"]["ConfidenceBody"];
            contribution: number;
            coverage: number;
            coverage_effect: number | null;
            data_effect: number | null;
            delta_24h: number;
            delta_basis: string;
            indicators: components["schemas"]["IndicatorExplanation"][];
            pillar: components["schemas"]["PillarKey"];
            score: number;
            standard_error: number | null;
            status: string;
            unsmoothed: number;
            weight: number;
        };
        /** @enum {string} */
        PillarKey: "conflict" | "cyber" | "supply_chain" | "macro";
        PillarScores: {
            conflict: number;
            cyber: number;
            macro: number;
            supply_chain: number;
        };
        /** @enum {string} */
        PrecisionWord: "city" | "region" | "country";
        Problem: {
            code: string;
            detail: string;
            errors?: components["schemas"]["ParameterProblem"][];
            instance: string;
            request_id: string;
            status: number;
            title: string;
            type: string;
        };
        Quota: {
            burst: number;
            per_minute: number;
            remaining: number;
            reset_seconds: number;
        };
        ReconstructedIndicator: {
            key: string;
            live_weight: number;
            pillar: components["schemas"]["PillarKey"];
            with_data: components["schemas"]["DaySpan"][];
        };
        ReconstructedPoint: {
            coverage: number;
            date: string;
            score: number | null;
        };
        Reconstruction: {
            attributions: string[];
            from: string;
            indicators: components["schemas"]["ReconstructedIndicator"][];
            method_digest: string;
            method_version: string;
            origin: string;
            points: components["schemas"]["ReconstructedPoint"][];
            series: string;
            step: string;
            to: string;
        };
        ScoreContext: {
            forecast: string | null;
            level: components["schemas"]["Level"] | null;
            published: components["schemas"]["DayPlace"] | null;
            reconstruction: components["schemas"]["DayPlace"] | null;
            reconstruction_method: string | null;
        };
        SeriesRows: {
            entity?: string;
            feed: string;
            rows: number[][];
            series: string;
        };
        ShareRange: {
            high: number;
            low: number;
        };
        SlotRow: {
            articles: number;
            conflict: number;
            countries: unknown[][];
            cyber: number;
            known_at: number;
            stamp: number;
            supply: number;
            threat: number;
        };
        StateBody: {
            bytes: string;
            tick: string;
        };
        /** @enum {string} */
        StatusWord: "confirmed" | "reported" | "unconfirmed";
        /** @enum {string} */
        StepWord: "1h" | "15m" | "1d";
        StreamAlert: {
            after: string;
            alert: components["schemas"]["Alert"] | null;
            as_of: string;
            before: string;
            kind: string;
        };
        StreamFeed: {
            feed: string;
            status: components["schemas"]["FeedHealthWord"];
        };
        StreamFeeds: {
            feeds: components["schemas"]["StreamFeed"][];
        };
        StreamReset: {
            as_of: string | null;
        };
        StreamSnapshot: {
            as_of: string;
            band: components["schemas"]["Band"];
            delta_24h: number;
            pillars: components["schemas"]["PillarScores"];
            score: number;
            simulated: boolean;
            status: components["schemas"]["DataStatus"];
            trend: components["schemas"]["TrendWord"];
        };
        StreamTick: {
            as_of: string;
            events: number;
            events_left_out: number;
        };
        SummaryBody: {
            as_of: string;
            summary: string;
        };
        /** @enum {string} */
        TextAuthor: "template" | "model";
        /** @enum {string} */
        TrendWord: "up" | "down" | "flat";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
