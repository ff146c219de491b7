import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test, vi } from "vitest";
import { apportion, change, coordinates, count, escalation, percentile, reading, score } from "./number";
import { ago, clock, date, duration, isWireTime, localTime, longDate, moment, shownFrom, wire } from "./time";
import { bandOf, briefingOrder, countryName, escalationWord, humanise, safeLink, tagName, trendNote } from "./words";
import { countryOptions, isCountryCode } from "./countries";
import { ordinal } from "./ordinal";

const MIDNIGHT_BEFORE = Date.parse("2026-11-14T23:45:00Z");

describe("numbers", () => {
  test.each([
    [41.34, "41.3"],
    [0, "0.0"],
    [-0.04, "0.0"],
    [-3.25, "−3.3"],
    [100, "100.0"],
  ])("score %d", (value, want) => expect(score(value)).toBe(want));

  test.each([
    [1.25, 1, "+1.3"],
    [-1.2, 1, "−1.2"],
    [0, 1, "±0.0"],
    [0.04, 1, "±0.0"],
    [-0.004, 2, "±0.00"],
    [0.04, 2, "+0.04"],
  ])("change %d with %d places", (value, places, want) => expect(change(value, places)).toBe(want));

  test.each([
    [7, "7"],
    [0.1234, "0.1234"],
    [1234, "1234"],
    [12340, "12\u202f340"],
    [-1.5, "−1.5"],
    [1234567.5, "1\u202f234\u202f567.5"],
  ])("reading %d", (value, want) => expect(reading(value)).toBe(want));

  test.each([
    [40.4, "40"],
    [98.64, "98.6"],
    [99.97, "99.97"],
    [100, "100.00"],
  ])("percentile %d", (value, want) => expect(percentile(value)).toBe(want));

  test.each([
    [0.285, "0.285"],
    [0.7, "0.700"],
    [1, "1.000"],
  ])("escalation %d", (value, want) => expect(escalation(value)).toBe(want));

  test("counts are grouped", () => expect([count(999), count(1000), count(184220)]).toEqual(["999", "1\u202f000", "184\u202f220"]));
  test("coordinates name their hemispheres", () => expect(coordinates(-18.14, -176.65)).toBe("18.14° S, 176.65° W"));
});

describe("apportion: shown parts add to the shown total", () => {
  const tenths = (values: number[]) => values.reduce((a, b) => a + Math.round(b * 10), 0) / 10;
  test.each([
    [55.2, [14.212, 13.655, 27.333]],
    [0.1, [0.04, 0.03, 0.03]],
    [-1.4, [-2.05, 0.35, 0.3]],
    [0, [0.04, -0.04]],
    [10, [3.3333, 3.3333, 3.3334]],
  ])("%d", (total, parts) => {
    const shown = apportion(total, parts, 1);
    expect(tenths(shown)).toBe(total);
    shown.forEach((s, i) => expect(Math.abs(s - (parts[i] ?? 0))).toBeLessThan(0.1 + 1e-9));
  });
  test("nothing to split", () => expect(apportion(3, [], 1)).toEqual([]));
});

describe("time", () => {
  test("is UTC and says so", () => {
    expect(moment(MIDNIGHT_BEFORE)).toBe("14 Nov 2026, 23:45 UTC");
    expect(clock(MIDNIGHT_BEFORE)).toBe("23:45");
    expect(date(MIDNIGHT_BEFORE + 900_000)).toBe("15 Nov 2026");
    expect(longDate(MIDNIGHT_BEFORE)).toBe("Saturday, 14 Nov 2026");
    expect(wire(MIDNIGHT_BEFORE + 999)).toBe("2026-11-14T23:45:00Z");
  });
  test.each([
    [0, "0 s"],
    [59, "59 s"],
    [60, "1 min"],
    [3599, "59 min"],
    [3600, "1 h"],
    [5400, "1 h 30 min"],
    [40_000, "11 h"],
    [2 * 86_400, "2 d"],
    [2 * 86_400 + 5 * 3_600, "2 d 5 h"],
    [12 * 86_400 + 5 * 3_600, "12 d"],
    [-5, "0 s"],
  ])("duration %d", (seconds, want) => expect(duration(seconds)).toBe(want));
  test.each([
    [null, "2026-11-14T23:45:00Z"],
    ["2026-11-14T23:45:20Z", "2026-11-14T23:45:20Z"],
    ["2026-11-14T23:45:00Z", "2026-11-14T23:45:00Z"],
  ])("a snapshot published at %s", (published_at, want) => expect(shownFrom({ as_of: "2026-11-14T23:45:00Z", published_at })).toBe(want));
  test("ago", () => expect([ago(10), ago(900)]).toEqual(["just now", "15 min ago"]));
  test.each([
    ["2026-11-14T23:45:00Z", true],
    ["2026-11-14T23:45Z", false],
    ["2026-13-14T23:45:00Z", false],
    ["2026-11-14T23:45:00+01:00", false],
    ["", false],
  ])("wire time %s", (text, want) => expect(isWireTime(text)).toBe(want));
});

describe("words", () => {
  test.each([
    [0, "calm"],
    [32.9, "calm"],
    [33, "guarded"],
    [44, "elevated"],
    [50, "high"],
    [57, "severe"],
    [100, "severe"],
  ])("band of %d", (value, want) => expect(bandOf(value)).toBe(want));
  test.each([
    [0.249, "low"],
    [0.25, "moderate"],
    [0.45, "high"],
    [0.65, "severe"],
  ])("escalation %d", (value, want) => expect(escalationWord(value)).toBe(want));
  test.each([
    ["up", -0.4, "ok", /outweighs the fall since/],
    ["down", 0.3, "ok", /outweighs the rise since/],
    ["up", 0.4, "ok", /^$/],
    ["flat", -3, "ok", /^$/],
    ["up", -0.4, "no_baseline", /^$/],
  ] as const)("a trend %s with a change of %d (%s)", (trend, delta, basis, want) => expect(trendNote(trend, delta, basis)).toMatch(want));
  test("keys become words", () => {
    expect(humanise("event_velocity")).toBe("Event velocity");
    expect(humanise("kev_velocity")).toBe("KEV velocity");
    expect(tagName("supply_chain")).toBe("Supply chain");
    expect(tagName("country:UA")).toBe("Ukraine");
    expect(tagName("theater:red-sea")).toBe("Red Sea theatre");
    expect(tagName("data-gap")).toBe("Data gap");
    expect(countryName("not a code")).toBe("not a code");
  });
  test.each([
    ["https://news.example/a", "https://news.example/a"],
    ["http://news.example", "http://news.example/"],
    ["javascript:alert(1)", null],
    ["data:text/html,x", null],
    [" not an address", null],
    ["//evil.example", null],
  ])("only web addresses become links: %s", (url, want) => expect(safeLink(url)).toBe(want));
  test("of briefings published together the widest comes first", () => {
    const b = (published_at: string, ...tags: string[]) => ({ published_at, tags });
    const [theatre, pillar, world, older] = [b("2", "conflict", "theater:x"), b("2", "conflict"), b("2", "global", "conflict"), b("1", "global")];
    expect([older, theatre, pillar, world].sort(briefingOrder)).toEqual([world, pillar, theatre, older]);
  });
  test("countries have the service's names", () => {
    const rows = readFileSync(new URL("../../../method/countries.tsv", import.meta.url), "utf8").split("\n").map((l) => l.split("\t"));
    const served = rows.filter(([code = ""]) => isCountryCode(code)).map(([code, , , name]) => [code, name]);
    expect(served.length).toBeGreaterThan(200);
    expect(served.map(([code = ""]) => [code, countryName(code)])).toEqual(served);
  });
  test("countries are sorted by name and real", () => {
    const all = countryOptions();
    expect(all.length).toBeGreaterThan(200);
    expect(all[0]?.name).toBe("Afghanistan");
    expect([isCountryCode("UA"), isCountryCode("ua"), isCountryCode("ZZ"), isCountryCode("U A")]).toEqual([true, false, false, false]);
  });
});

test.each([[1, "1st"], [2, "2nd"], [3, "3rd"], [4, "4th"], [11, "11th"], [12, "12th"], [13, "13th"], [21, "21st"], [112, "112th"]])("place %d", (n, want) => expect(ordinal(n)).toBe(want));

describe("the reader's clock", () => {
  test.each([
    ["en-GB", "Europe/Berlin", "Sun 0:45 your time"],
    ["de-DE", "Europe/Berlin", "So 0:45 your time"],
    ["en-US", "America/New_York", "6:45 PM your time"],
    ["en-GB", "UTC", ""],
  ])("%s in %s", (locale, zone, want) => {
    vi.stubEnv("TZ", zone);
    expect(localTime(MIDNIGHT_BEFORE, locale).replace(/\s/g, " ")).toBe(want);
  });
  test("of a reader who travels on is the new one", () => {
    const there = ["Europe/Berlin", "Asia/Tokyo"].map((zone) => (vi.stubEnv("TZ", zone), localTime(MIDNIGHT_BEFORE, "en-GB")));
    expect(there).toEqual(["Sun 0:45 your time", "Sun 8:45 your time"]);
  });
  afterEach(() => vi.unstubAllEnvs());
});
