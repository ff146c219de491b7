import { describe, expect, test } from "vitest";
import type { Explanation } from "../api/types";
import { drivers, sentence } from "./drivers";

/** Inputs by name: effect of the reading, effect of coverage. */
function explained(delta: number, inputs: Record<string, [number, number]>, more: Partial<Explanation> = {}): Explanation {
  const indicators = Object.entries(inputs).map(([key, [data_effect, coverage_effect]]) => ({ key, data_effect, coverage_effect }));
  return { delta_24h: delta, delta_basis: "ok", delta_significant: true, pillars: [{ pillar: "conflict", indicators: indicators.slice(0, 2) }, { pillar: "macro", indicators: indicators.slice(2) }], ...more } as unknown as Explanation;
}
const SEVEN = { a: [0.9, 0], b: [-0.4, 0.001], c: [0.7, 0.02], d: [0.31, 0], e: [0.001, 0.2], f: [0.12, 0], g: [0.048, 0] } as Record<string, [number, number]>;

describe("what moved the score", () => {
  test("the largest come first, across pillars, and all bars add up to the change", () => {
    const found = drivers(explained(1.9, SEVEN), 5)!;
    expect(found.top.map((d) => d.indicator.key)).toEqual(["a", "c", "b", "d", "e"]);
    expect(found.top.map((d) => d.pillar)).toEqual(["conflict", "macro", "conflict", "macro", "macro"]);
    const hundredths = [...found.top.map((d) => d.shown), found.rest.shown].reduce((sum, s) => sum + Math.round(s * 100), 0);
    expect(hundredths).toBe(190);
    expect(found.rest.inputs).toBe(2);
    expect(found.top.map((d) => d.byCoverage)).toEqual([false, false, false, false, true]);
  });
  test("without a score a day before there is nothing to explain", () => expect(drivers(explained(0, SEVEN, { delta_basis: "no_baseline" }), 5)).toBeNull());
  test.each([
    [1.9, SEVEN, true, "Up 1.9 points in 24 hours: led by A, held back by B."],
    [1.9, SEVEN, false, "Up 1.9 points in 24 hours, which is within the usual daily movement: led by A, held back by B."],
    [-0.4, { a: [-0.5, 0], b: [0.1, 0] }, true, "Down 0.4 points in 24 hours: led by A."],
    [0, { a: [0.3, 0], b: [-0.3, 0] }, false, "Unchanged over 24 hours: the largest push came from A, held back by B."],
    [0, { a: [0, 0], b: [0, 0] }, false, "Unchanged over 24 hours."],
  ] as [number, Record<string, [number, number]>, boolean, string][])("%d is explained", (delta, inputs, significant, want) => {
    const explain = explained(delta, inputs, { delta_significant: significant });
    expect(sentence(explain, drivers(explain, 5)!, (key) => key.toUpperCase())).toBe(want);
  });
});
