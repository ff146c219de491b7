import { expect, test } from "vitest";
import { ActiveEvents } from "./active";

const END = Date.parse("2026-11-14T12:00:00Z");
const hours = (n: number) => new Date(END - n * 3_600_000).toISOString().replace(".000Z", "Z");

/** Events by id: escalation, hours since they began, hours since they were last active. */
function world(events: Record<string, [number, number, number]>) {
  const asked: string[] = [];
  const get = async <T>(path: string): Promise<T> => {
    asked.push(path);
    const url = new URL(path, "http://x");
    const one = /^\/v1\/conflict\/(.+)$/.exec(url.pathname)?.[1];
    if (one) return { id: one, last_activity: hours(events[one]?.[2] ?? 0) } as T;
    const min = Number(url.searchParams.get("min_escalation") ?? 0);
    const found = Object.entries(events).filter(([, [e]]) => e >= min).map(([id, [escalation, began]]) => ({ id, escalation, occurred_at: hours(began) }));
    return { events: found, next_cursor: null } as T;
  };
  return { get, asked };
}

test("an event that began days ago and goes on leads, as it does in the summary", async () => {
  const { get } = world({ new: [0.65, 3, 1], old: [0.77, 70, 2], over: [0.9, 70, 30] });
  expect((await new ActiveEvents().most(get, END, null, 2)).map((e) => e.id)).toEqual(["old", "new"]);
});

test("what began within the day needs no look at the event itself", async () => {
  const { get, asked } = world({ a: [0.8, 1, 0], b: [0.7, 2, 0] });
  await new ActiveEvents().most(get, END, "2026-11-14T12:00:00Z", 2);
  expect(asked).toEqual(["/v1/conflict?limit=200&min_escalation=0.5&as_of=2026-11-14T12%3A00%3A00Z"]);
});

test("a quiet world is asked from further down", async () => {
  const { get } = world({ a: [0.3, 1, 0], b: [0.1, 2, 0] });
  expect((await new ActiveEvents().most(get, END, null, 6)).map((e) => e.id)).toEqual(["a", "b"]);
});

test("what was looked up is not looked up again until the stream tells of a change", async () => {
  const { get, asked } = world({ old: [0.77, 70, 2], quiet: [0.9, 70, 30], other: [0.6, 70, 40] });
  const active = new ActiveEvents();
  const lookups = async (tick: number, changed = {}, gaps = 0, leftOut = 0) => {
    const from = asked.length;
    await active.most(get, END + tick * 900_000, null, 3, { changedEvents: new Map(Object.entries(changed)), gaps, leftOut });
    return asked.slice(from).filter((p) => /conflict\/./.test(p)).map((p) => p.split("/").at(-1));
  };
  expect((await lookups(0)).sort()).toEqual(["old", "other", "quiet"]);
  expect(await lookups(1)).toEqual([]);
  expect(await lookups(2, { quiet: hours(-0.5), old: hours(-0.5) })).toEqual(["quiet"]);
  expect(await lookups(3, { quiet: hours(-0.5) })).toEqual([]);
  // More changed than was told: the quiet one whose look is oldest is looked at again.
  expect(await lookups(4, {}, 0, 1)).toEqual(["other"]);
  // Missed ticks: nothing of it can be relied on.
  expect((await lookups(5, {}, 1)).length).toBe(3);
});
