//! The table of operations: what each is called, takes and answers.

use gsi_model::Scope;

pub enum Form {
    Json(&'static str),
    GeoJson(&'static str),
    /// The method document is data that is reviewed elsewhere.
    AnyObject,
}

pub struct Operation {
    pub path: &'static str,
    pub id: &'static str,
    pub tag: &'static str,
    pub summary: &'static str,
    pub description: &'static str,
    pub answer: &'static str,
    pub scope: Option<Scope>,
    pub parameters: &'static [&'static str],
    pub forms: &'static [Form],
    /// Carries GSI-Data-Status.
    pub has_status: bool,
    pub is_list: bool,
    /// Can answer 404.
    pub may_be_missing: bool,
}

const SCORES: Option<Scope> = Some(Scope::Scores);

/// A single resource of the scores; the others differ from it in what they say.
const SINGLE: Operation = Operation {
    path: "",
    id: "",
    tag: "scores",
    summary: "",
    description: "",
    answer: "",
    scope: SCORES,
    parameters: &["as_of"],
    forms: &[],
    has_status: true,
    is_list: false,
    may_be_missing: true,
};

const LIST: Operation = Operation { has_status: false, is_list: true, ..SINGLE };
const ITEM: Operation = Operation { has_status: false, ..SINGLE };
const ABOUT: Operation =
    Operation { tag: "service", parameters: &[], has_status: false, may_be_missing: false, ..SINGLE };

pub const OPERATIONS: &[Operation] = &[
    Operation {
        path: "/v1/global-stability",
        id: "getGlobalStability",
        summary: "Composite score and pillar scores",
        description: "The composite global stability score, 0 to 100, lower is more stable, and its four pillars.",
        answer: "The overview.",
        forms: &[Form::Json("Overview")],
        ..SINGLE
    },
    Operation {
        path: "/v1/global-stability/pillar/{pillar}",
        id: "getPillar",
        summary: "One pillar",
        description: "A pillar's score, its change over 24 hours and the indicators behind it.",
        answer: "The drilldown.",
        parameters: &["pillar", "as_of"],
        forms: &[Form::Json("PillarDrilldown")],
        ..SINGLE
    },
    Operation {
        path: "/v1/global-stability/history",
        id: "getGlobalStabilityHistory",
        summary: "The composite over time",
        description: "Published composite scores in buckets. At most 2000 buckets and 40000 ticks.",
        answer: "The buckets.",
        parameters: &["from", "to", "step"],
        forms: &[Form::Json("History")],
        may_be_missing: false,
        ..SINGLE
    },
    Operation {
        path: "/v1/global-stability/pillar/{pillar}/history",
        id: "getPillarHistory",
        summary: "A pillar over time",
        description: "Published scores of one pillar in buckets. At most 2000 buckets and 40000 ticks.",
        answer: "The buckets.",
        parameters: &["pillar", "from", "to", "step"],
        forms: &[Form::Json("History")],
        ..SINGLE
    },
    Operation {
        path: "/v1/global-stability/explain",
        id: "explainGlobalStability",
        summary: "How the score comes about",
        description: "The whole tree from composite to indicators. Contributions add to the score and effects to the change, exactly.",
        answer: "The explanation.",
        forms: &[Form::Json("Explanation")],
        ..SINGLE
    },
    Operation {
        path: "/v1/conflict",
        id: "listConflictEvents",
        tag: "events",
        summary: "Conflict events",
        description: "Newest first. Without since: the last seven days. Filters combine; values of one repeated filter mean any of them.",
        answer: "A page of events.",
        scope: Some(Scope::Events),
        parameters: &[
            "limit",
            "cursor",
            "since",
            "until",
            "category",
            "country",
            "actor",
            "min_escalation",
            "bbox",
            "status",
            "as_of",
            "format",
        ],
        forms: &[Form::Json("EventPage"), Form::GeoJson("EventFeatures")],
        ..LIST
    },
    Operation {
        path: "/v1/conflict/{id}",
        id: "getConflictEvent",
        tag: "events",
        summary: "One conflict event",
        description: "An event by its id, or by the id of one that was merged into it.",
        answer: "The event with its sources and revisions.",
        scope: Some(Scope::Events),
        parameters: &["event_id", "as_of"],
        forms: &[Form::Json("EventDetail")],
        ..ITEM
    },
    Operation {
        path: "/v1/briefings",
        id: "listBriefings",
        tag: "briefings",
        summary: "Daily briefings",
        description: "Newest first.",
        answer: "A page of briefings.",
        scope: Some(Scope::Briefings),
        parameters: &["limit", "cursor", "since", "until", "tag", "as_of"],
        forms: &[Form::Json("BriefingPage")],
        ..LIST
    },
    Operation {
        path: "/v1/briefings/{id}",
        id: "getBriefing",
        tag: "briefings",
        summary: "One briefing",
        description: "A briefing with the facts it states and their sources, the one it corrects and the one that corrects it.",
        answer: "The briefing.",
        scope: Some(Scope::Briefings),
        parameters: &["briefing_id", "as_of"],
        forms: &[Form::Json("BriefingDetail")],
        ..ITEM
    },
    Operation {
        path: "/v1/summaries",
        id: "getSummary",
        summary: "Rolling summary",
        description: "Natural-language text across all pillars, refreshed every 15 minutes.",
        answer: "The summary.",
        forms: &[Form::Json("SummaryBody")],
        ..SINGLE
    },
    Operation {
        path: "/v1/feeds",
        id: "listFeeds",
        summary: "Feeds and their health",
        description: "Every feed: origin, licence, freshness, rows accepted and rejected.",
        answer: "The feeds.",
        forms: &[Form::Json("Feeds")],
        ..ABOUT
    },
    Operation {
        path: "/v1/method",
        id: "getMethod",
        summary: "The method",
        description: "Catalogue, weights, units and parameters of the method in force, with its version and digest.",
        answer: "The method document.",
        parameters: &["as_of"],
        forms: &[Form::AnyObject],
        may_be_missing: true,
        ..ABOUT
    },
    Operation {
        path: "/v1/snapshots/{id}/inputs",
        id: "getSnapshotInputs",
        summary: "The inputs of a snapshot",
        description: "Everything the snapshot was computed from: method, the engine's memory some ticks earlier, and \
                      every row known at each tick since. `gsi recompute` gets the same bytes from it. Large; one \
                      such answer is put together at a time.",
        answer: "The inputs.",
        parameters: &["snapshot_id"],
        forms: &[Form::AnyObject],
        has_status: true,
        may_be_missing: true,
        ..ABOUT
    },
    Operation {
        path: "/v1/keys/self",
        id: "getOwnKey",
        summary: "The caller's key",
        description: "Scopes, expiry and quota of the key the request was made with. Any valid key may ask.",
        answer: "The key, without its secret.",
        scope: None,
        forms: &[Form::Json("KeySelf")],
        ..ABOUT
    },
];
