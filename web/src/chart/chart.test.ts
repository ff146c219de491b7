import { describe, expect, test } from "vitest";
import { extent, nearest, points, rangeQuery, segments, upToDate, type Point } from "./series";
import { timeTicks } from "./ticks";
import { waterfall } from "./waterfall";

const HOUR = 3_600_000;
const at = (hours: number, value = 40): Point => ({ at: hours * HOUR, min: value, max: value, last: value });

describe("series", () => {
  test("a gap breaks the line", () => {
    const parts = segments([at(0), at(1), at(4), at(5), at(9)], 3_600);
    expect(parts.map((p) => p.length)).toEqual([2, 2, 1]);
  });
  test("a bucket is placed at its last tick, and not beyond the end", () => {
    const raw = { points: [{ at: "2026-11-14T00:00:00Z", min: 1, max: 2, last: 2 }, { at: "2026-11-14T01:00:00Z", min: 1, max: 2, last: 2 }] };
    const end = Date.parse("2026-11-14T01:15:00Z");
    expect(points(raw, 3_600, end).map((p) => new Date(p.at).toISOString().slice(11, 16))).toEqual(["00:45", "01:15"]);
  });
  test.each([
    [-5, 0],
    [0.4, 0],
    [0.6, 1],
    [99, 2],
  ])("the point nearest to %d h is %d", (hours, want) => expect(nearest([at(0), at(1), at(2)], hours * HOUR)).toBe(want));
  test("of nothing nothing is nearest", () => expect(nearest([], 0)).toBe(-1));
  test("a quiet series is not blown up", () => {
    const [low, high] = extent([at(0, 40), at(1, 40.2)]);
    expect(high - low).toBeGreaterThanOrEqual(12);
    expect(extent([at(0, 1), at(1, 99)])).toEqual([0, 100]);
  });
  test("within a step the live question stays the same, and the newest score joins its bucket", () => {
    const at = (time: string) => Date.parse(`2026-11-14T${time}:00Z`);
    expect(rangeQuery("7d", at("23:15"), true)).toEqual(rangeQuery("7d", at("23:45"), true));
    expect(rangeQuery("7d", at("23:45"), true)).not.toEqual(rangeQuery("7d", at("22:45"), true));
    const bucket = { at: "2026-11-14T23:00:00Z", min: 40, max: 41, last: 41, late: false, published_at: "2026-11-14T23:00:20Z" };
    const joined = (...scores: [as_of: string, score: number][]) =>
      upToDate({ step: "1h", points: [bucket] }, scores.map(([as_of, score]) => ({ as_of, score, published_at: null }))).map((p) => [p.at.slice(11, 13), p.min, p.max, p.last]);
    expect(joined(["2026-11-14T23:15:00Z", 39])).toEqual([["23", 39, 41, 39]]);
    expect(joined(["2026-11-14T23:15:00Z", 39], ["2026-11-14T23:30:00Z", 45], ["2026-11-14T23:45:00Z", 42])).toEqual([["23", 39, 45, 42]]);
    expect(joined(["2026-11-14T23:45:00Z", 42], ["2026-11-15T00:00:00Z", 39])).toEqual([["23", 40, 42, 42], ["00", 39, 39, 39]]);
    // What the answer knew already changes nothing.
    expect(joined(["2026-11-14T22:45:00Z", 39], ["2026-11-14T23:00:00Z", 12])).toEqual([["23", 40, 41, 41]]);
  });
  test("each range has a step that the service can answer", () => {
    const end = Date.parse("2026-11-14T23:45:00Z");
    const seconds = { "15m": 900, "1h": 3600, "1d": 86400 };
    for (const range of ["24h", "7d", "30d", "1y", "all"] as const) {
      const q = rangeQuery(range, end);
      const span = (Date.parse(q.to ?? "") - Date.parse(q.from)) / 1000;
      expect(span / seconds[q.step]).toBeLessThanOrEqual(2_000);
      expect(span / 900).toBeLessThanOrEqual(40_000);
    }
  });
});

describe("time axis", () => {
  const start = Date.parse("2026-11-08T00:00:00Z");
  test.each([
    [1, 700],
    [7, 300],
    [30, 1200],
    [365, 800],
  ])("labels of %d days in %d px do not crowd", (days, width) => {
    const ticks = timeTicks(start, start + days * 24 * HOUR, width);
    expect(ticks.length).toBeGreaterThanOrEqual(2);
    expect(ticks.length).toBeLessThanOrEqual(width / 40);
    expect(new Set(ticks.map((t) => t.at)).size).toBe(ticks.length);
  });
  test("midnight carries its date", () => expect(timeTicks(start, start + 24 * HOUR, 700)[0]?.label).toBe("8 Nov"));
});

describe("waterfall", () => {
  test.each([
    [0, [17.112, 13.655, 10.201, 6.8, 3.432], 51.2, 1],
    [46.8, [4.0712, 0.2921, 0.21, -0.18, 0.1067], 51.3, 2],
    [40, [-1.005, -1.005], 38, 2],
  ])("from %d the parts lead to the total, bar by bar", (start, values, total, decimals) => {
    const w = waterfall(start, values.map((value, i) => ({ key: String(i), label: "", value })), total, decimals);
    let here = start;
    for (const bar of w.bars) {
      expect(bar.from).toBeCloseTo(here, 9);
      here = bar.to;
    }
    expect(here).toBeCloseTo(total, 9);
  });
});
