import { expect, test } from "vitest";
import type { Explanation, Feed } from "../api/types";
import { troubles } from "./troubles";

const feed = (over: Partial<Feed>): Feed => ({ feed: "gdelt", status: "ok", age_seconds: 900, late_after_seconds: 2_700, stale_after_seconds: 10_800, failing_since: null, ...over }) as Feed;

test.each([
  [{ status: "ok" }, []],
  [{ status: "late", age_seconds: 3_600 }, ["late, 1 h old"]],
  [{ status: "late", age_seconds: 900, failing_since: "2026-11-14T00:00:00Z" }, ["its publisher does not answer"]],
  [{ status: "stale", age_seconds: 20_000 }, ["stale, 5 h 33 min old"]],
  [{ status: "never", age_seconds: null }, ["nothing received yet"]],
] as [Partial<Feed>, string[]][])("a feed that is %o", (over, want) => expect(troubles(null, [feed(over)]).map((t) => t.what)).toEqual(want));

test("in the past the snapshot's own readings name the feed", () => {
  const reading = (f: string, value: number | null, freshness: number, age: number | null) => ({ feed: f, value, freshness, age_seconds: age, missing: value === null ? "warming_up" : null });
  const explain = { pillars: [{ indicators: [reading("a", 1, 1, 60), reading("b", 1, 0.3, 40_000), reading("b", 1, 0.2, 50_000), reading("c", null, 0, null)] }] } as unknown as Explanation;
  expect(troubles(explain, null)).toEqual([{ feed: "b", what: "content 13 h old" }, { feed: "c", what: "too little history to judge it yet" }]);
});

test("an old reading of a feed that is within its budget is no trouble", () => {
  const explain = { pillars: [{ indicators: [{ feed: "gdelt", value: 1, freshness: 0.5, age_seconds: 2_000, missing: null }] }] } as unknown as Explanation;
  expect(troubles(explain, [feed({})])).toEqual([]);
  expect(troubles(explain, [feed({})], { degraded: true }), "unless it may be why the data are degraded").toEqual([{ feed: "gdelt", what: "content 33 min old" }]);
  expect(troubles(explain, [feed({ late_after_seconds: 1_000 })])).toEqual([{ feed: "gdelt", what: "content 33 min old" }]);
});

test("how a feed does now says nothing of the past", () => expect(troubles(null, [feed({ status: "stale", age_seconds: 20_000 })], { past: true })).toEqual([]));

test("a feed that no indicator reads is no gap in the score", () => {
  const explain = { pillars: [{ indicators: [{ feed: "gdelt", value: 1, freshness: 1, age_seconds: 60, missing: null }] }] } as unknown as Explanation;
  const late = [feed({ feed: "gdelt", status: "late", age_seconds: 3_600 }), feed({ feed: "usgs", status: "stale", age_seconds: 20_000 })];
  expect(troubles(explain, late).map((t) => t.feed)).toEqual(["gdelt"]);
});
