import { describe, expect, test } from "vitest";
import type { Country, Explanation } from "../api/types";
import { between, countryMoves, methodNote } from "./compare";

type Input = [key: string, contribution: number, value?: number | null];
let tick = 0;
const explained = (score: number, inputs: Input[], more: Partial<Explanation> = {}) =>
  ({
    score,
    as_of: `tick ${(tick += 1)}`,
    method: { version: "1", digest: "a" },
    beside: [],
    pillars: [{ pillar: "macro", indicators: inputs.map(([key, contribution, value = 1]) => ({ key, contribution, value })) }],
    ...more,
  }) as unknown as Explanation;
const country = (code: string, score: number) => ({ country: code, name: code, score }) as Country;

describe("two moments", () => {
  test("the bars lead from one score to the other", () => {
    const w = between(explained(40, [["a", 30.004], ["b", 9.996]]), explained(43.1, [["a", 29.5], ["b", 13.6]]));
    expect(w.start).toBe(40);
    expect(w.total).toBe(43.1);
    expect(w.bars.map((b) => b.key)).toEqual(["b", "a"]);
    expect(Math.round(100 * (w.start + w.bars.reduce((sum, b) => sum + b.shown, 0)))).toBe(4310);
    expect(w.bars.at(-1)?.to).toBe(43.1);
  });
  test("many small inputs become one bar at the end, and the sum stays", () => {
    const inputs = (by: number): Input[] => Array.from({ length: 30 }, (_, i) => [`i${i}`, 1 + by * (i + 1) * 0.01]);
    const [then, later] = [explained(30, inputs(0)), explained(34.7, inputs(1))];
    const w = between(then, later);
    expect(w.bars.length).toBe(13);
    expect(w.bars.at(-1)?.label).toBe("18 smaller inputs");
    expect(w.bars.at(-1)?.to).toBe(34.7);
  });
  test("an input that only one of them had is named as such", () => {
    const w = between(explained(10, [["gone", 10], ["quiet", 0, null]]), explained(12, [["new", 8], ["quiet", 4]]));
    expect(Object.fromEntries(w.bars.map((b) => [b.key, b.note]))).toEqual({
      gone: "Macro, not an input at the later moment",
      new: "Macro, not an input at the earlier moment",
      quiet: "Macro, no reading at the earlier moment",
    });
  });
  test("different methods are said, with what the old one says now", () => {
    const old = explained(40, []);
    expect(methodNote(old, explained(41, []))).toBeNull();
    const later = explained(45, [], { method: { version: "2", digest: "b" }, beside: [{ version: "1", digest: "a", score: 42.5, since: "", until: "" }] });
    expect(methodNote(old, later)).toMatch(/different methods \(version 1, then version 2\).*would be 42\.5\.$/);
  });
  test("countries by how far they moved, those without a score at one moment last", () => {
    const moves = countryMoves([country("A", 10), country("B", 50), country("C", 20)], [country("A", 10.3), country("B", 44.9), country("D", 33)]);
    expect(moves.map((m) => [m.country, m.change])).toEqual([["B", -5.1], ["A", 0.3], ["C", null], ["D", null]]);
  });
});
