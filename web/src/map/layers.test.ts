import { describe, expect, test } from "vitest";
import type { Layer, LayerMark } from "../api/types";
import { atlas } from "./atlas";
import { dayOf, layerNote, layerShape, markName, markRadius, markValue, placeMarks } from "./layers";

const mark = (change: Partial<LayerMark>): LayerMark => ({ id: "m", name: "Mark", country: null, lat: null, lon: null, value: 1, severity: "strong", level: 2, day: "2026-11-13", ...change });
const layer = (key: string, unit: string, marks: LayerMark[] = [], change: Partial<Layer> = {}): Layer => ({ key: key as Layer["key"], title: key, about: "", unit, feed: "f", publisher: "An agency", attribution: "", licence: "", licence_note: "", status: "ok", newest_day: "2026-11-13", marks, ...change });

describe("layers", () => {
  test("points go to their place, countries to their outline, and what the atlas does not draw only into the table", () => {
    const world = atlas(900);
    const quakes = layer("quakes", "magnitude", [mark({ id: "q", lat: 38.3, lon: 142.4 })]);
    const outages = layer("outages", "percent of the day", [mark({ id: "UA", country: "UA" }), mark({ id: "TV", country: "TV" })]);
    const placed = placeMarks(world, [quakes, outages]);
    expect(placed.map((p) => [p.key, p.outline !== null])).toEqual([["quakes/q", false], ["outages/UA", true]]);
    const [x, y] = world.place(31, 49);
    const ukraine = placed[1]!;
    expect(Math.hypot(ukraine.x - x, ukraine.y - y), "in the middle of the country").toBeLessThan(15);
  });
  test.each([
    ["quakes", "magnitude", { value: 6.1 }, "magnitude 6.1, strong"],
    ["chokepoints", "percent of normal", { value: 43, severity: "reduced" }, "43 percent of normal, reduced"],
    ["outages", "percent of the day", { value: null, severity: "for hours" }, "for hours"],
  ])("%s have their unit", (key, unit, change, want) => expect(markValue(layer(key, unit), mark(change))).toBe(want));
  test("a happening is named by its country, a strait by itself", () => {
    expect(markName(layer("quakes", "magnitude"), mark({ name: "Earthquake", lat: 35.05, lon: 138 }))).toBe("Earthquake, Japan");
    expect(markName(layer("disasters", "alert level"), mark({ name: "Cyclone", lat: 0, lon: -30 }))).toBe("Cyclone, at sea or small territory");
    expect(markName(layer("chokepoints", "percent"), mark({ name: "Suez Canal", lat: 30.6, lon: 32.4 }))).toBe("Suez Canal");
  });
  test("what is not known is said", () => {
    expect(layerNote(layer("quakes", "", [], { status: "no_data", newest_day: null }))).toContain("Nothing is known: no data of An agency");
    expect(layerNote(layer("quakes", "", [mark({})], { status: "stale" }))).toContain(dayOf("2026-11-13"));
    expect(layerNote(layer("quakes", "", []))).toContain("None, as far as is known");
    expect(layerNote(layer("quakes", "", [mark({})]))).toBeNull();
  });
  test("each layer has a separate shape, larger the graver", () => {
    const shapes = ["chokepoints", "quakes", "disasters"].map((key) => layerShape(key, 5));
    expect(new Set(shapes).size).toBe(3);
    expect(shapes.join("")).not.toContain("NaN");
    expect([0, 1, 2, 3].map(markRadius)).toEqual([0, 1, 2, 3].map(markRadius).toSorted((a, b) => a - b));
  });
});
