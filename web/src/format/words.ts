// The vocabulary of the service in plain words. Unknown values are shown unchanged, because new ones may be added.

import type { EscalationPart, PillarKey, Trend } from "../api/types";

export const PILLAR_NAMES: Record<PillarKey, string> = {
  conflict: "Conflict",
  cyber: "Cyber",
  supply_chain: "Supply chain",
  macro: "Macro",
};

export const PILLAR_ABOUT: Record<PillarKey, string> = {
  conflict: "Wars, threats and unrest",
  cyber: "Attack activity, not shown to separate crises",
  supply_chain: "Energy, shipping and shortages",
  macro: "Stress in financial markets",
};

export const BANDS = ["calm", "guarded", "elevated", "high", "severe"] as const;
export type Band = (typeof BANDS)[number];
/** Where each band above calm begins, unless the method says otherwise. */
export const BAND_EDGES: readonly number[] = [33, 44, 50, 57];
export const BAND_HYSTERESIS = 1.5;

export const BAND_ABOUT: Record<Band, string> = {
  calm: "Quieter than usual",
  guarded: "Within the usual range",
  elevated: "Above the usual range",
  high: "Well above the usual range",
  severe: "Far above the usual range",
};

export function bandOf(score: number, edges: readonly number[] = BAND_EDGES): Band {
  return BANDS[edges.filter((edge) => score >= edge).length] ?? "severe";
}

export const CATEGORIES = ["kinetic", "posture", "threat", "coercion", "unrest"] as const;

const CATEGORY_ABOUT: Record<string, string> = {
  kinetic: "Fighting, strikes, attacks",
  posture: "Mobilisation, show of force",
  threat: "Threats and ultimatums",
  coercion: "Arrests, sanctions, seizures",
  unrest: "Protest and riot",
};

export function categoryAbout(category: string): string {
  return CATEGORY_ABOUT[category] ?? "";
}

/** What the map can show in addition to the events, by the service's keys. */
export const LAYERS = ["outages", "chokepoints", "quakes", "disasters"] as const;
export type LayerKey = (typeof LAYERS)[number];
export const LAYER_NAMES: Record<LayerKey, string> = {
  outages: "Internet outages",
  chokepoints: "Chokepoints",
  quakes: "Earthquakes",
  disasters: "Disaster alerts",
};

export const STATUSES = ["confirmed", "reported", "unconfirmed"] as const;

export const TREND_WORDS: Record<Trend, string> = {
  up: "Rising: less stable",
  down: "Falling: more stable",
  flat: "Steady",
};

/** The trend and the change over a day answer different questions; where they seem to disagree, which ones is said. */
export function trendNote(trend: Trend, delta: number, basis: string): string {
  const against = (trend === "up" && delta < 0) || (trend === "down" && delta > 0);
  if (!against || basis !== "ok") return "";
  return `The trend compares the last half day with the last three days, which outweighs ${delta < 0 ? "the fall" : "the rise"} since this time yesterday.`;
}

export const TREND_SIGNS: Record<Trend, string> = { up: "↗", down: "↘", flat: "→" };

/** 0 to 1 in words. */
export function escalationWord(escalation: number): string {
  if (escalation >= 0.65) return "severe";
  if (escalation >= 0.45) return "high";
  return escalation >= 0.25 ? "moderate" : "low";
}

export const ESCALATION_PARTS: readonly EscalationPart[] = ["intensity", "tempo", "corroboration", "gravity", "departure"];

export const ESCALATION_ABOUT: Record<EscalationPart, string> = {
  intensity: "How violent the reported act is",
  tempo: "How fast events follow in this theatre against its last four weeks",
  corroboration: "How many independent outlets report it",
  gravity: "Who faces whom: states, and nuclear-armed states, weigh more",
  departure: "How unusual this is for the place itself over a year",
};

const ABBREVIATIONS: Record<string, string> = {
  kev: "KEV", ofr: "OFR", fx: "FX", gscpi: "GSCPI", vix: "VIX", "30d": "(30 d)",
};

/** event_velocity becomes Event velocity. */
export function humanise(key: string): string {
  const words = key.split(/[_-]/).map((w) => ABBREVIATIONS[w] ?? w);
  const text = words.join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** country:UA becomes Ukraine; theater:red-sea becomes Red Sea theatre. */
export function tagName(tag: string): string {
  const colon = tag.indexOf(":");
  if (colon < 0) return tag in PILLAR_NAMES ? PILLAR_NAMES[tag as PillarKey] : humanise(tag);
  const [kind, value] = [tag.slice(0, colon), tag.slice(colon + 1)];
  if (kind === "country") return countryName(value);
  if (kind !== "theater") return humanise(value);
  const words = value.split(/[_-]/).map((w) => (/^(and|of|the)$/.test(w) ? w : w.charAt(0).toUpperCase() + w.slice(1)));
  return `${words.join(" ")} theatre`;
}

/** What alerts watch, by the rule's key. */
export const ALERT_RULES: Readonly<Record<string, string>> = { score: "High score", band: "Band", event: "Grave event", feed: "Stale feed", briefing: "Briefing" };

/** What an alert speaks of: `feed:gdelt` is a feed by its key. */
export function alertSubject(subject: string): string {
  if (subject === "global") return "The world";
  return subject.startsWith("feed:") ? `Feed ${subject.slice("feed:".length)}` : tagName(subject);
}

/** Of briefings published together, the widest subject first. */
export function briefingOrder(a: { published_at: string; tags: string[] }, b: { published_at: string; tags: string[] }): number {
  const width = (tags: string[]) => (tags.includes("global") ? 0 : tags.some((t) => t.startsWith("theater:")) ? 2 : 1);
  return a.published_at === b.published_at ? width(a.tags) - width(b.tags) : a.published_at < b.published_at ? 1 : -1;
}

/** Where the service's name for a country (method/countries.tsv) is another than the browser's. */
const SERVICE_NAMES: Record<string, string> = {
  AG: "Antigua and Barbuda", BA: "Bosnia and Herzegovina", BL: "Saint Barthelemy", BV: "Bouvet Island", CC: "Cocos Islands",
  CD: "Democratic Republic of the Congo", CG: "Republic of the Congo", CI: "Ivory Coast", CV: "Cabo Verde", CW: "Curacao", HK: "Hong Kong",
  KN: "Saint Kitts and Nevis", LC: "Saint Lucia", MF: "Saint Martin", MM: "Myanmar", MO: "Macao", NL: "The Netherlands",
  PM: "Saint Pierre and Miquelon", RE: "Reunion", SH: "Saint Helena", ST: "Sao Tome and Principe", TC: "Turks and Caicos Islands",
  TL: "Timor Leste", TR: "Turkey", TT: "Trinidad and Tobago", VA: "Vatican", VC: "Saint Vincent and the Grenadines", WF: "Wallis and Futuna",
};

let regions: Intl.DisplayNames | null = null;

export function countryName(code: string): string {
  try {
    regions ??= new Intl.DisplayNames(["en"], { type: "region" });
    return SERVICE_NAMES[code.toUpperCase()] ?? regions.of(code.toUpperCase()) ?? code;
  } catch {
    return code;
  }
}

const REASONS: Record<string, string> = {
  no_data: "no data yet",
  warming_up: "too little history to judge it yet",
  stale: "too old to count",
  feed_off: "feed is switched off",
};

export function missingReason(reason: string): string {
  return REASONS[reason] ?? reason.replaceAll("_", " ");
}

/** Only web addresses become links; anything else stays text. */
export function safeLink(url: string): string | null {
  try {
    const parsed = new URL(url);
    return parsed.protocol === "https:" || parsed.protocol === "http:" ? parsed.href : null;
  } catch {
    return null;
  }
}
