// A published series on its way to a line: parsed once, cut where nothing was published, searched by time.

import type { History, HistoryPoint } from "../api/types";
import { DAY, HOUR, TICK, wire } from "../format/time";
import type { Range } from "../state/route";

export interface Point {
  at: number;
  min: number;
  max: number;
  last: number;
  /** From when the last score of the step was on show; absent where a line is not of snapshots. */
  shown?: string;
}

/** The scores of a previous method, while it runs in parallel with the current one. */
export interface OlderLine {
  version: string;
  points: Point[];
}

export const STEP_SECONDS: Record<History["step"], number> = { "15m": TICK, "1h": HOUR, "1d": DAY };

/** Each bucket is placed at its last tick, which is when its last score was published, and not beyond `end`. */
export function points(history: { points: (Pick<HistoryPoint, "at" | "min" | "max" | "last"> & Partial<HistoryPoint>)[] }, stepSeconds = TICK, end = Infinity): Point[] {
  const shift = (stepSeconds - TICK) * 1000;
  return history.points.map((p) => ({ at: Math.min(Date.parse(p.at) + shift, end), min: p.min, max: p.max, last: p.last, ...(p.published_at ? { shown: p.published_at } : {}) }));
}

/** A line is broken where more than one and a half steps lie between two points: nothing was published there. */
export function segments(all: readonly Point[], stepSeconds: number): Point[][] {
  const parts: Point[][] = [];
  let part: Point[] = [];
  for (const point of all) {
    const before = part.at(-1);
    if (before && point.at - before.at > 1500 * stepSeconds) {
      parts.push(part);
      part = [];
    }
    part.push(point);
  }
  if (part.length > 0) parts.push(part);
  return parts;
}

/** Index of the point nearest to a time; -1 for none. */
export function nearest(all: readonly Point[], at: number): number {
  if (all.length === 0) return -1;
  let [low, high] = [0, all.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle]?.at ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  const [after, before] = [all[low], all[low - 1]];
  return before && after && at - before.at <= after.at - at ? low - 1 : low;
}

/** The scale's ends: all points with air around them, never a span so small that noise looks like drama. */
export function extent(all: readonly Point[], smallest = 12): [number, number] {
  if (all.length === 0) return [0, 100];
  let low = Math.min(...all.map((p) => p.min));
  let high = Math.max(...all.map((p) => p.max));
  const missing = Math.max(0, smallest - (high - low)) / 2;
  const air = Math.max(1, (high - low) * 0.12);
  low = Math.max(0, low - missing - air);
  high = Math.min(100, high + missing + air);
  return [Math.floor(low), Math.ceil(high)];
}

/** Days the service can give in one answer, by its own limit on ticks read. */
const LONGEST_DAYS = 400;
export const RANGE_DAYS: Record<Range, number> = { "24h": 1, "7d": 7, "30d": 30, "1y": 365, all: LONGEST_DAYS };

export interface RangeQuery {
  from: string;
  /** Null: up to the newest. */
  to: string | null;
  step: History["step"];
}

/**
 * The question for a range that ends at `end` (milliseconds), and the step that suits it. Live, where `end` moves on, it stays
 * the same question for an hour; not all of them become another one at the full hour, because then much is asked.
 */
export function rangeQuery(range: Range, end: number, live = false): RangeQuery {
  const days = RANGE_DAYS[range];
  const step = range === "24h" ? "15m" : range === "7d" || range === "30d" ? "1h" : "1d";
  const width = (live ? HOUR : STEP_SECONDS[step]) * 1000;
  const begun = Math.floor((end - (live && range !== "24h" ? TICK * 1000 : 0)) / width) * width;
  return { from: wire(begun - days * DAY * 1000), to: live ? null : wire(end + 1000), step };
}

/** A score as it was published. */
export interface Published {
  as_of: string;
  published_at: string | null;
  score: number;
}

/** The buckets with the scores that came after them, oldest first: each belongs to the last bucket or begins the next one. */
export function upToDate(history: Pick<History, "points" | "step">, since: readonly Published[]): HistoryPoint[] {
  const width = STEP_SECONDS[history.step] * 1000;
  return since.reduce<HistoryPoint[]>((known, one) => {
    const at = wire(Math.floor(Date.parse(one.as_of) / width) * width);
    const last = known.at(-1);
    const shown = { last: one.score, published_at: one.published_at ?? one.as_of };
    if (last && (last.at > at || last.published_at > shown.published_at)) return known;
    if (last?.at !== at) return [...known, { at, min: one.score, max: one.score, late: false, ...shown }];
    return [...known.slice(0, -1), { ...last, ...shown, min: Math.min(last.min, one.score), max: Math.max(last.max, one.score) }];
  }, history.points);
}
