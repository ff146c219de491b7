// The address bar is the page's state: what is looked at, how it is filtered, and as of when. Never the key.

import { isCountryCode } from "../format/countries";
import { isWireTime } from "../format/time";
import { ALERT_RULES, CATEGORIES, LAYERS, STATUSES, type LayerKey } from "../format/words";
import { PILLARS, type PillarKey } from "../api/types";

export const VIEWS = ["overview", "pillar", "countries", "events", "alerts", "briefings", "feeds", "method", "validation"] as const;
export type View = (typeof VIEWS)[number];
/** Views that people write down and send have a path of their own; the server answers these with the page too. */
const PATHS: Partial<Record<View, string>> = { method: "/method", validation: "/validation" };
const viewAt = (path: string): View | undefined => VIEWS.find((view) => PATHS[view] === path);

/** Whether a path of this server is the page itself. */
export const isPage = (path: string): boolean => path === "/" || viewAt(path) !== undefined;
export const RANGES = ["24h", "7d", "30d", "1y", "all"] as const;
export type Range = (typeof RANGES)[number];
export const WINDOWS = ["24h", "7d", "30d"] as const;
export type Window = (typeof WINDOWS)[number];

export interface Route {
  view: View;
  pillar: PillarKey;
  event: string | null;
  briefing: string | null;
  alert: string | null;
  /** The rule that alerts are of; null: any. */
  rule: string | null;
  /** Also alerts that are over. */
  ended: boolean;
  /** Null: live. */
  asOf: string | null;
  /** Another moment that the overview is compared with. */
  vs: string | null;
  range: Range;
  window: Window;
  category: string[];
  country: string[];
  status: string[];
  actor: string;
  minEscalation: number;
  /** What the map shows in addition to the events. */
  layers: LayerKey[];
  tag: string[];
  embed: boolean;
  /** One screen for a wall. */
  wall: boolean;
}

export const HOME: Route = {
  view: "overview",
  pillar: "conflict",
  event: null,
  briefing: null,
  alert: null,
  rule: null,
  ended: false,
  asOf: null,
  vs: null,
  range: "7d",
  window: "7d",
  category: [],
  country: [],
  status: [],
  actor: "",
  minEscalation: 0,
  layers: [],
  tag: [],
  embed: false,
  wall: false,
};

function oneOf<T extends string>(known: readonly T[], text: string | null, otherwise: T): T {
  return known.find((k) => k === text) ?? otherwise;
}

/** Anything that is not understood becomes its default: an address may come from anywhere. */
export function readRoute(search: string, path = "/"): Route {
  const q = new URLSearchParams(search);
  const some = (name: string, known: readonly string[]) => [...new Set(q.getAll(name))].filter((v) => known.includes(v));
  const id = (name: string, prefix: string) => {
    const value = q.get(name) ?? "";
    return value.startsWith(prefix) && /^[A-Za-z0-9_]{5,40}$/.test(value) ? value : null;
  };
  const time = (name: string) => {
    const value = q.get(name) ?? "";
    return isWireTime(value) ? value : null;
  };
  const min = Number(q.get("min_escalation") ?? "0");
  return {
    view: viewAt(path) ?? oneOf(VIEWS, q.get("view"), "overview"),
    pillar: oneOf(PILLARS, q.get("pillar"), "conflict"),
    event: id("event", "evt_"),
    briefing: id("briefing", "brf_"),
    alert: id("alert", "alr_"),
    rule: Object.keys(ALERT_RULES).find((rule) => rule === q.get("rule")) ?? null,
    ended: q.get("state") === "all",
    // To the second: a snapshot is published some seconds after its tick, and an earlier moment would show the one before it.
    asOf: time("as_of"),
    vs: time("vs"),
    range: oneOf(RANGES, q.get("range"), "7d"),
    window: oneOf(WINDOWS, q.get("window"), "7d"),
    category: some("category", CATEGORIES),
    country: [...new Set(q.getAll("country"))].filter(isCountryCode),
    status: some("status", STATUSES),
    actor: (q.get("actor") ?? "").slice(0, 80),
    minEscalation: Number.isFinite(min) && min > 0 && min <= 1 ? Math.round(min * 100) / 100 : 0,
    layers: LAYERS.filter((layer) => (q.get("layers") ?? "").split(",").includes(layer)),
    tag: [...new Set(q.getAll("tag"))].filter((t) => /^[a-z_-]+(:[A-Za-z0-9_-]+)?$/.test(t)).slice(0, 8),
    embed: q.get("embed") === "gauge",
    wall: q.has("wall"),
  };
}

/** The shortest address for a route: only what belongs to its view and differs from the default. */
export function writeRoute(r: Route): string {
  const q = new URLSearchParams();
  if (r.embed) q.set("embed", "gauge");
  if (r.wall) q.set("wall", "");
  const path = PATHS[r.view] ?? "/";
  if (r.view !== "overview" && path === "/") q.set("view", r.view);
  if (r.view === "pillar") q.set("pillar", r.pillar);
  if ((r.view === "overview" || r.view === "pillar") && r.range !== HOME.range) q.set("range", r.range);
  // One country in full; none is the list of all.
  if (r.view === "countries" && r.country[0]) q.set("country", r.country[0]);
  if (r.view === "events") {
    if (r.window !== HOME.window) q.set("window", r.window);
    for (const v of r.category) q.append("category", v);
    for (const v of r.country) q.append("country", v);
    for (const v of r.status) q.append("status", v);
    if (r.actor) q.set("actor", r.actor);
    if (r.minEscalation > 0) q.set("min_escalation", String(r.minEscalation));
    if (r.layers.length > 0) q.set("layers", r.layers.join(","));
    if (r.event) q.set("event", r.event);
  }
  if (r.view === "briefings") {
    for (const v of r.tag) q.append("tag", v);
    if (r.briefing) q.set("briefing", r.briefing);
  }
  if (r.view === "alerts") {
    if (r.ended) q.set("state", "all");
    if (r.rule) q.set("rule", r.rule);
    if (r.alert) q.set("alert", r.alert);
  }
  if (r.asOf) q.set("as_of", r.asOf);
  if (r.view === "overview" && r.vs) q.set("vs", r.vs);
  const text = q.toString().replaceAll("%3A", ":").replaceAll("%2C", ",").replace(/^wall=/, "wall");
  return text === "" ? path : `${path}?${text}`;
}
