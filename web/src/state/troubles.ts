// Which feeds are to blame when data are thin or old, in words.

import type { Explanation, Feed } from "../api/types";
import { duration } from "../format/time";
import { missingReason } from "../format/words";

export interface Trouble {
  feed: string;
  what: string;
}

/** Readings below this freshness are old enough to be named. */
const WORN = 0.9;

/**
 * The feeds' own standing, which is that of the present, and what the snapshot says of its inputs: a feed that is on time
 * again may still have been missed by the snapshot on show. When the data are degraded, every worn reading is named, because
 * it may be the reason.
 */
export function troubles(explain: Explanation | null, feeds: readonly Feed[] | null, { past = false, degraded = false } = {}): Trouble[] {
  // A feed that no indicator reads is no gap in the score; the service's own words leave it out as well.
  const read = explain && new Set(explain.pillars.flatMap((p) => p.indicators.map((i) => i.feed)));
  const late = (feeds ?? []).filter((f) => f.status !== "ok" && (read?.has(f.feed) ?? true));
  const now = past ? [] : late.map((f) => ({ feed: f.feed, what: standing(f) }));
  return [...now, ...inputs(explain, degraded ? [] : (feeds ?? [])).filter((t) => !now.some((n) => n.feed === t.feed))];
}

/** A reading may lose weight before its feed is late. Within the budget of `feeds` that is not worth a word. */
function inputs(explain: Explanation | null, feeds: readonly Feed[]): Trouble[] {
  const budgets = new Map(feeds.map((f) => [f.feed, f.late_after_seconds]));
  const worst = new Map<string, { age: number; missing: string | null }>();
  for (const i of explain?.pillars.flatMap((p) => p.indicators) ?? []) {
    if (i.value !== null && (i.freshness >= WORN || (i.age_seconds ?? 0) <= (budgets.get(i.feed) ?? 0))) continue;
    const before = worst.get(i.feed);
    worst.set(i.feed, { age: Math.max(before?.age ?? 0, i.age_seconds ?? 0), missing: (i.value === null ? i.missing : null) ?? before?.missing ?? null });
  }
  return [...worst].map(([feed, w]) => ({ feed, what: w.age > 0 ? `content ${duration(w.age)} old` : missingReason(w.missing ?? "no_data") }));
}

function standing(feed: Feed): string {
  if (feed.status === "never") return "nothing received yet";
  const age = feed.age_seconds === null ? "" : `${duration(feed.age_seconds)} old`;
  if (feed.status === "stale") return `stale, ${age}`;
  return feed.failing_since && (feed.age_seconds ?? 0) <= feed.late_after_seconds ? "its publisher does not answer" : `late, ${age}`;
}
