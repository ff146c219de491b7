import { describe, expect, test } from "vitest";
import type { ConflictEvent } from "../api/types";
import { atlas, countryAt } from "./atlas";
import { isCountryCode } from "../format/countries";
import { SHADES, shadeOf } from "./shade";
import { arc, cluster, clusterRadius, radius, slices } from "./cluster";

const event = (id: string, category = "kinetic", escalation = 0.5): ConflictEvent => ({ id, category, escalation, lat: 0, lon: 0, actors: [], occurred_at: "" });

describe("clusters", () => {
  test("no event is lost, and the worst leads", () => {
    const placed = Array.from({ length: 2_000 }, (_, i) => ({ event: event(String(i), "threat", (i % 10) / 10), x: (i * 37) % 900, y: (i * 91) % 440, country: null }));
    for (const zoom of [1, 3, 12]) {
      const marks = cluster(placed, zoom, 26);
      expect(marks.reduce((n, m) => n + m.members.length, 0)).toBe(2_000);
      expect(marks.filter((m) => m.worst.escalation !== Math.max(...m.members.map((e) => e.escalation)))).toEqual([]);
    }
  });
  test("zooming in takes clusters apart", () => {
    const placed = [{ event: event("a"), x: 100, y: 100, country: "Chad" }, { event: event("b"), x: 108, y: 100, country: "Chad" }];
    expect(cluster(placed, 1, 26).length).toBe(1);
    expect(cluster(placed, 8, 26).length).toBe(2);
  });
  test("marks do not cover each other", () => {
    const placed = [{ event: event("a"), x: 25, y: 10, country: null }, { event: event("b"), x: 27, y: 10, country: null }];
    expect(cluster(placed, 1, 26).length).toBe(1);
    const many = cluster(Array.from({ length: 400 }, (_, i) => ({ event: event(String(i)), x: (i * i * 7) % 880, y: (i * 53) % 430, country: null })), 1, 26);
    const r = (m: (typeof many)[number]) => (m.members.length > 1 ? clusterRadius(m.members.length) : radius(0.5) * 0.8);
    const covering = many.flatMap((a, i) => many.slice(i + 1).filter((b) => Math.hypot(a.x - b.x, a.y - b.y) < r(a) + r(b) - 1e-9));
    expect(covering).toEqual([]);
  });
  test("a mark never represents two countries", () => {
    const place = (id: string, x: number, country: string | null) => ({ event: event(id), x, y: 100, country });
    const marks = cluster([place("a", 100, "Israel"), place("b", 101, "Lebanon"), place("c", 102, "Israel"), place("d", 103, null)], 1, 26);
    expect(marks.map((m) => [m.country, m.members.length])).toEqual([["Israel", 2], ["Lebanon", 1], [null, 1]]);
    const [one, two] = [marks[0]!, marks[1]!];
    expect(Math.hypot(one.x - two.x, one.y - two.y), "and does not lie on its neighbour").toBeGreaterThan(10);
  });
  test("the ring is whole and in order", () => {
    const ring = slices([event("a", "unrest"), event("b"), event("c"), event("d", "new_kind")], ["kinetic", "unrest"]);
    expect(ring.map((s) => s.category)).toEqual(["kinetic", "unrest", "new_kind"]);
    expect(ring.at(-1)?.to).toBeCloseTo(2 * Math.PI, 9);
    expect(arc(10, 0, 2 * Math.PI)).not.toContain("NaN");
  });
});

describe("shades", () => {
  test.each([[0, 1], [14.9, 1], [15, 2], [45, 4], [59.9, 4], [60, 5], [100, 5]])("a score of %d has shade %d", (score, want) => expect(shadeOf(score)).toBe(want));
  test("are named by their edges", () => expect(SHADES.map((s) => s.label)).toEqual(["below 15", "15 to 30", "30 to 45", "45 to 60", "60 and more"]));
});

describe("the atlas", () => {
  const world = atlas(900);
  test("knows countries by the service's codes", () => {
    const outlines = world.countries();
    expect(outlines.length).toBe(177);
    expect(outlines.filter((o) => o.code === null).map((o) => o.name)).toEqual(["N. Cyprus", "Somaliland"]);
    const code = (name: string) => outlines.find((o) => o.name === name)?.code;
    expect([code("Ukraine"), code("Kosovo"), code("United States"), code("South Sudan")]).toEqual(["UA", "XK", "US", "SS"]);
    expect(new Set(outlines.map((o) => o.code)).size, "no code twice").toBe(176);
    for (const { code } of outlines) if (code && code !== "TF") expect(isCountryCode(code), code).toBe(true);
  });
  test("has a sensible shape", () => {
    expect(world.height).toBeGreaterThan(400);
    expect(world.height).toBeLessThan(480);
  });
  test("no shape smears across the antimeridian", () => {
    // A long horizontal stroke through the middle of the map would be such a smear.
    for (const ring of world.land.split("M").slice(1)) {
      const xy = ring.replace(/Z$/, "").split("L").map((p) => p.split(",").map(Number));
      xy.slice(1).forEach(([x = 0, y = 0], i) => {
        const [px = 0, py = 0] = xy[i] ?? [];
        const polar = y > world.height * 0.9;
        if (!polar) expect(Math.hypot(x - px, y - py)).toBeLessThan(120);
      });
    }
  });
  test.each([
    [2.35, 48.85, "France"],
    [35.05, 48.46, "Ukraine"],
    [178, -17.8, "Fiji"],
    [-178, 66.5, "Russia"],
    [-30, 0, null],
    [23.6, -3, "Democratic Republic of the Congo"],
  ])("%d %d is in %s", (lon, lat, want) => expect(countryAt(lon, lat)).toBe(want));
});
