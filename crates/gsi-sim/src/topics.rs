//! What background articles are about: share of articles, the codes they tilt towards, and the words of their addresses.
//!
//! A hand audit of real rows found that most of those with conflict codes are crime, courts, politics, history, sport and
//! opinion; the tilts reproduce that, so filtering and corroboration have real work to do.

use crate::chance::{Chance, Weighted};
use crate::tables;
use std::sync::LazyLock;

#[derive(Debug)]
pub struct Topic {
    pub name: &'static str,
    /// Share of background articles.
    pub share: f64,
    /// Mean tone of its articles; by class of event the rows then average −1 to −5, as measured.
    pub tone: f64,
    pub sections: &'static [&'static str],
    subjects: &'static [&'static str],
    verbs: &'static [&'static str],
    objects: &'static [&'static str],
    /// Multiplies the measured share of each root code; roots not named keep 1.
    tilt: &'static [(&'static str, f64)],
    /// Multiplies the weight of the United States among the countries.
    us: f64,
    /// Part of the draws that use the countries of material conflict rather than of all rows.
    conflict_countries: f64,
}

pub const TOPICS: [Topic; 16] = [
    Topic {
        name: "politics",
        tone: -1.4,
        share: 0.24,
        sections: &["politics", "news", "national"],
        subjects: &[
            "council",
            "senator",
            "mayor",
            "minister",
            "lawmakers",
            "governor",
            "parliament",
            "opposition",
        ],
        verbs: &["votes-on", "delays", "backs", "rejects", "unveils", "debates", "defends", "warns-over"],
        objects: &[
            "budget",
            "school-funding",
            "tax-plan",
            "housing-bill",
            "election-rules",
            "road-project",
            "reform",
        ],
        tilt: &[("10", 1.4), ("11", 1.3), ("12", 1.6), ("13", 1.1), ("17", 0.6), ("18", 0.4), ("19", 0.55)],
        us: 1.0,
        conflict_countries: 0.0,
    },
    Topic {
        name: "diplomacy",
        tone: -0.3,
        share: 0.12,
        sections: &["world", "international", "news"],
        subjects: &[
            "foreign-minister",
            "envoy",
            "summit",
            "president",
            "delegation",
            "leaders",
            "ambassador",
        ],
        verbs: &["meets", "calls-for", "signs", "discusses", "hails", "hosts", "urges"],
        objects: &[
            "trade-deal",
            "peace-talks",
            "cooperation",
            "visa-agreement",
            "climate-pact",
            "ties",
            "dialogue",
        ],
        tilt: &[("03", 1.5), ("04", 1.5), ("05", 1.5), ("13", 1.2), ("17", 0.4), ("18", 0.3), ("19", 0.6)],
        us: 0.45,
        conflict_countries: 0.3,
    },
    Topic {
        name: "crime",
        tone: -5.6,
        share: 0.14,
        sections: &["crime", "news/crime", "local", "courts"],
        subjects: &["man", "police", "suspect", "teenager", "woman", "detectives", "court", "driver"],
        verbs: &[
            "charged-with",
            "arrested-after",
            "sentenced-for",
            "shot-in",
            "investigate",
            "accused-of",
            "jailed-over",
        ],
        objects: &[
            "robbery",
            "murder-trial",
            "stabbing",
            "drug-bust",
            "assault",
            "fraud",
            "burglary",
            "shooting",
        ],
        tilt: &[
            ("17", 3.2),
            ("18", 3.2),
            ("19", 1.7),
            ("09", 2.5),
            ("04", 0.7),
            ("03", 0.6),
            ("05", 0.5),
            ("08", 1.2),
        ],
        us: 2.3,
        conflict_countries: 0.3,
    },
    Topic {
        name: "business",
        tone: 0.6,
        share: 0.14,
        sections: &["business", "money", "markets", "economy"],
        subjects: &["shares", "company", "bank", "retailer", "startup", "airline", "investors", "carmaker"],
        verbs: &["reports", "expands", "cuts", "acquires", "launches", "raises", "warns-of"],
        objects: &[
            "quarterly-profit",
            "jobs",
            "new-plant",
            "dividend",
            "outlook",
            "price-war",
            "battery-venture",
        ],
        tilt: &[("06", 2.0), ("07", 1.3), ("17", 0.4), ("18", 0.3), ("19", 0.45), ("14", 0.5)],
        us: 1.0,
        conflict_countries: 0.0,
    },
    Topic {
        name: "sport",
        tone: 0.4,
        share: 0.07,
        sections: &["sport", "sports", "football", "cricket"],
        subjects: &["striker", "coach", "captain", "rovers", "champions", "rookie", "goalkeeper"],
        verbs: &["battles", "beats", "stuns", "fights-back-against", "faces", "signs-for", "crushes"],
        objects: &[
            "rivals",
            "title-defence",
            "semi-final",
            "derby",
            "season-opener",
            "injury-blow",
            "world-cup-place",
        ],
        tilt: &[("19", 1.5), ("17", 0.5), ("18", 0.5), ("14", 0.3), ("05", 1.3)],
        us: 0.8,
        conflict_countries: 0.0,
    },
    Topic {
        name: "entertainment",
        tone: 0.9,
        share: 0.05,
        sections: &["entertainment", "film-tv", "music", "lifestyle"],
        subjects: &["singer", "actor", "film", "festival", "series", "museum", "novelist"],
        verbs: &["celebrates", "reveals", "premieres", "returns-with", "mourns", "opens"],
        objects: &[
            "war-drama",
            "new-album",
            "red-carpet",
            "box-office",
            "biopic",
            "exhibition",
            "video-game",
        ],
        tilt: &[("17", 0.7), ("18", 0.7), ("19", 0.8)],
        us: 1.2,
        conflict_countries: 0.0,
    },
    Topic {
        name: "opinion",
        tone: -2.6,
        share: 0.05,
        sections: &["opinion", "editorial", "comment", "letters"],
        subjects: &["why", "letter", "editorial", "how", "column", "analysis"],
        verbs: &["the-west-must", "we-should", "leaders-cannot", "voters-will", "history-will"],
        objects: &["rethink-war", "defend-democracy", "end-the-fight", "face-the-crisis", "hold-the-line"],
        tilt: &[("11", 1.8), ("12", 1.5), ("19", 1.1), ("20", 2.0), ("13", 1.2)],
        us: 1.0,
        conflict_countries: 0.3,
    },
    Topic {
        name: "health",
        tone: -0.9,
        share: 0.05,
        sections: &["health", "news", "community"],
        subjects: &["hospital", "doctors", "clinic", "nurses", "study", "health-officials"],
        verbs: &["opens", "warns-of", "treats", "studies", "expands", "fights"],
        objects: &["new-ward", "flu-season", "measles", "cancer-trial", "vaccine-drive", "mental-health"],
        tilt: &[("07", 1.8), ("17", 0.5), ("18", 0.5), ("19", 0.55)],
        us: 1.0,
        conflict_countries: 0.0,
    },
    Topic {
        name: "accident",
        tone: -4.6,
        share: 0.045,
        sections: &["news", "local", "weather"],
        subjects: &["crash", "storm", "fire", "flood", "train", "wildfire", "bus"],
        verbs: &["leaves", "forces", "destroys", "injures", "closes", "hits"],
        objects: &["families-homeless", "highway", "warehouse", "dozens", "coastal-towns", "apartment-block"],
        tilt: &[("07", 1.6), ("08", 1.3), ("17", 0.6), ("19", 0.9), ("18", 0.9)],
        us: 1.0,
        conflict_countries: 0.2,
    },
    Topic {
        name: "history",
        tone: -2.4,
        share: 0.03,
        sections: &["history", "features", "community"],
        subjects: &["veterans", "anniversary", "memorial", "historian", "museum", "century-old"],
        verbs: &["remembers", "marks", "honours", "recalls", "revisits"],
        objects: &[
            "wartime-battle",
            "fallen-soldiers",
            "siege",
            "liberation-day",
            "massacre-victims",
            "d-day",
        ],
        tilt: &[("19", 2.6), ("20", 5.0), ("18", 1.5), ("17", 1.1)],
        us: 0.9,
        conflict_countries: 0.3,
    },
    Topic {
        name: "science",
        tone: 1.1,
        share: 0.032,
        sections: &["science", "technology", "tech"],
        subjects: &["researchers", "scientists", "engineers", "satellite", "university", "telescope"],
        verbs: &["discover", "launch", "map", "test", "unveil", "explain"],
        objects: &[
            "deep-sea-species",
            "new-rocket",
            "ai-chip",
            "ancient-river",
            "quantum-device",
            "solar-cells",
        ],
        tilt: &[("17", 0.5), ("18", 0.3), ("19", 0.45)],
        us: 1.1,
        conflict_countries: 0.0,
    },
    Topic {
        name: "cyber",
        tone: -3.4,
        // Of real articles 0.19 % have an address that speaks of cyber attacks.
        share: 0.0019,
        sections: &["technology", "security", "news", "business"],
        subjects: &[
            "ransomware",
            "hackers",
            "cyberattack",
            "data-breach",
            "malware",
            "phishing-gang",
            "cyber-attack",
        ],
        verbs: &["hits", "cripples", "exposes-records-at", "shuts-down", "targets", "disrupts"],
        objects: &[
            "hospital-network",
            "city-systems",
            "airline",
            "water-utility",
            "telecom-operator",
            "payment-system",
        ],
        tilt: &[("17", 1.4), ("18", 1.4), ("19", 1.1), ("11", 1.3)],
        us: 1.0,
        conflict_countries: 0.0,
    },
    Topic {
        name: "supply",
        tone: -2.2,
        // Of real articles 0.12 % have an address that speaks of disrupted supply.
        share: 0.0012,
        sections: &["business", "economy", "shipping", "world"],
        subjects: &[
            "port-strike",
            "shipping-lines",
            "supply-chain",
            "fuel-shortage",
            "export-ban",
            "container-ships",
        ],
        verbs: &["disrupts", "reroute-around", "delays", "threatens", "chokes", "worsens"],
        objects: &[
            "deliveries",
            "grain-exports",
            "chip-supplies",
            "cape-route",
            "canal-traffic",
            "medicine-shortage",
        ],
        tilt: &[("06", 2.0), ("10", 1.6), ("14", 1.5), ("16", 2.0), ("19", 0.7)],
        us: 0.6,
        conflict_countries: 0.0,
    },
    Topic {
        name: "protest",
        tone: -4.4,
        share: 0.016,
        sections: &["news", "world", "politics"],
        subjects: &["protesters", "thousands", "students", "unions", "farmers", "demonstrators"],
        verbs: &["march-against", "rally-for", "clash-with-police-over", "strike-over", "block-roads-in"],
        objects: &[
            "pension-reform",
            "fuel-prices",
            "election-result",
            "police-violence",
            "austerity",
            "land-law",
        ],
        tilt: &[("14", 24.0), ("17", 2.0), ("11", 1.6)],
        us: 0.6,
        conflict_countries: 0.4,
    },
    Topic {
        name: "posture",
        tone: -3.0,
        share: 0.011,
        sections: &["world", "defence", "news"],
        subjects: &["army", "navy", "troops", "air-force", "warships", "reservists"],
        verbs: &["begin-drills-near", "deployed-to", "placed-on-alert-at", "mobilised-along", "reinforce"],
        objects: &["border", "disputed-island", "eastern-flank", "strait", "base"],
        tilt: &[("15", 32.0), ("13", 3.0), ("19", 1.6)],
        us: 0.4,
        conflict_countries: 0.8,
    },
    Topic {
        name: "threat",
        tone: -4.0,
        share: 0.018,
        sections: &["world", "politics", "news"],
        subjects: &["president", "minister", "general", "leader", "spokesman"],
        verbs: &["warns-of", "threatens", "vows", "issues-ultimatum-on", "promises"],
        objects: &["retaliation", "new-sanctions", "tariffs", "military-action", "response", "consequences"],
        tilt: &[("13", 15.0), ("11", 1.8), ("12", 1.8), ("16", 1.6), ("19", 1.2)],
        us: 0.6,
        conflict_countries: 0.7,
    },
];

/// The codes that an article about fighting carries besides the incident itself.
const WAR_TILT: &[(&str, f64)] =
    &[("19", 3.0), ("18", 2.0), ("13", 2.0), ("15", 2.0), ("20", 2.0), ("17", 1.2), ("06", 0.5), ("05", 0.6)];

pub fn names() -> Vec<&'static str> {
    TOPICS.iter().map(|t| t.name).collect()
}

struct TopicDraws {
    codes: Vec<Weighted>,
    countries: Vec<Weighted>,
    conflict: Vec<Weighted>,
    war_codes: Weighted,
}

fn tilted(tilt: &[(&str, f64)]) -> Weighted {
    Weighted::new(
        tables::codes()
            .iter()
            .map(|c| c.share * tilt.iter().find(|(root, _)| *root == c.root()).map_or(1.0, |(_, t)| *t)),
    )
}

static DRAWS: LazyLock<TopicDraws> = LazyLock::new(|| {
    let countries = |topic: &Topic, share: fn(&tables::GazetteerCountry) -> f64| {
        Weighted::new(
            tables::countries().iter().map(|c| share(c) * if c.fips == "US" { topic.us } else { 1.0 }),
        )
    };
    TopicDraws {
        codes: TOPICS.iter().map(|t| tilted(t.tilt)).collect(),
        countries: TOPICS.iter().map(|t| countries(t, |c| c.share)).collect(),
        conflict: TOPICS.iter().map(|t| countries(t, |c| c.conflict_share)).collect(),
        war_codes: tilted(WAR_TILT),
    }
});

pub fn draw_code(topic: usize, chance: &mut Chance) -> usize {
    DRAWS.codes[topic].draw(chance)
}

pub fn draw_war_code(chance: &mut Chance) -> usize {
    DRAWS.war_codes.draw(chance)
}

pub fn draw_country(topic: usize, chance: &mut Chance) -> &'static tables::GazetteerCountry {
    let conflict = chance.hit(TOPICS[topic].conflict_countries);
    let weights = if conflict { &DRAWS.conflict[topic] } else { &DRAWS.countries[topic] };
    &tables::countries()[weights.draw(chance)]
}

/// `subject-verb-object`, with the place named in half of them.
pub fn write_slug(out: &mut String, topic: usize, place: &str, chance: &mut Chance) {
    let t = &TOPICS[topic];
    if chance.hit(0.5) {
        out.push_str(place);
        out.push('-');
    }
    for (i, bank) in [t.subjects, t.verbs, t.objects].into_iter().enumerate() {
        if i > 0 {
            out.push('-');
        }
        out.push_str(bank[chance.below(bank.len())]);
    }
}
