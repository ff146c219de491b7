import { expect, test } from "vitest";
import type { Explanation } from "../api/types";
import { citation, scoreCited } from "./cite";

const shown = { as_of: "2026-11-14T23:45:00Z", score: 43.9, band: "elevated", interval_90: { low: 38, high: 49.4 }, snapshot: "snp_1", method: { version: "3.0.0", digest: "68241199e36fd5be" } } as Explanation;

test("a citation names the number, the moment, the method, the snapshot and the place", () =>
  expect(citation(scoreCited(shown), shown, "https://x.example/?as_of=2026-11-14T23:45:20Z", false)).toBe(
    "Global Stability Intelligence: global stability score 43.9 (elevated; 90 % range 38.0 to 49.4), 14 Nov 2026, 23:45 UTC. Method 3.0.0 (68241199e36f), snapshot snp_1. https://x.example/?as_of=2026-11-14T23:45:20Z",
  ));
test("simulated data are never cited as real", () => expect(citation("x", shown, "y", true)).toMatch(/^Simulated data\. /));
