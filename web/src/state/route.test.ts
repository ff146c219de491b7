import { describe, expect, test } from "vitest";
import { HOME, readRoute, writeRoute } from "./route";

describe("the address bar", () => {
  test.each([
    "/",
    "/?view=pillar&pillar=macro",
    "/?view=pillar&pillar=cyber&range=30d&as_of=2026-11-14T23:45:00Z",
    "/?view=events&window=24h&category=kinetic&category=threat&country=UA&status=confirmed&actor=rebels&min_escalation=0.5&event=evt_0123456789ABCDEFGHJKMNPQRS",
    "/?view=events&layers=outages,quakes",
    "/?view=events&layers=chokepoints&event=evt_0123456789ABCDEFGHJKMNPQRS&as_of=2026-11-14T23:45:00Z",
    "/?view=briefings&tag=country:UA&briefing=brf_0123456789ABCDEFGHJKMNPQRS",
    "/?view=alerts",
    "/?view=alerts&state=all&rule=event&alert=alr_0123456789ABCDEFGHJKMNPQRS&as_of=2026-11-14T23:45:00Z",
    "/?embed=gauge",
    "/?wall",
    "/?wall&as_of=2026-11-14T23:45:00Z",
    "/?view=countries",
    "/?view=countries&country=UA&as_of=2026-11-14T23:45:20Z",
    "/?as_of=2026-11-14T23:45:00Z",
    "/?as_of=2026-11-14T23:45:00Z&vs=2026-11-07T23:45:00Z",
    "/?vs=2026-11-07T23:45:00Z",
    "/method",
    "/validation",
    "/method?as_of=2026-11-14T23:45:00Z",
  ])("reads what it writes: %s", (address) => {
    const { search, pathname } = new URL(address, "http://x");
    expect(writeRoute(readRoute(search, pathname))).toBe(address);
  });

  test.each([
    ["?view=nonsense", {}],
    ["?range=9y&window=x", {}],
    ["?view=events&category=kinetic&category=kinetic&category=<b>", { view: "events", category: ["kinetic"] }],
    ["?as_of=yesterday", {}],
    ["?vs=yesterday", {}],
    ["?as_of=2026-11-14T23:52:10Z", { asOf: "2026-11-14T23:52:10Z" }],
    ["?min_escalation=7", {}],
    ["?min_escalation=NaN", {}],
    ["?event=brf_x&briefing=evt_x", {}],
    ["?event=evt_../../secret", {}],
    ["?country=ua&country=XX", {}],
    ["?view=events&layers=quakes,tides,outages,quakes", { view: "events", layers: ["outages", "quakes"] }],
    ["?layers=", {}],
    ["?tag=javascript:alert(1)&tag=global", { tag: ["global"] }],
    ["?key=gsi_secret", {}],
    ["?view=validation", { view: "validation" }],
  ])("takes only what it understands: %s", (search, want) => expect(readRoute(search)).toEqual({ ...HOME, ...want }));

  test("filters of one view do not follow into another", () =>
    expect(writeRoute({ ...HOME, view: "feeds", category: ["kinetic"], event: "evt_00000", tag: ["global"], asOf: "2026-11-14T23:45:00Z" })).toBe("/?view=feeds&as_of=2026-11-14T23:45:00Z"));
});
