import { expect, test } from "vitest";
import { ActiveEvents } from "./active";

const END = Date.parse("2026-11-14T12:00:00Z");
const PAGE = 2;

/** Events by id with their escalation, in pages of two. */
function world(events: Record<string, number>) {
  const asked: string[] = [];
  const get = async <T>(path: string): Promise<T> => {
    asked.push(path);
    const query = new URL(path, "http://x").searchParams;
    const from = Number(query.get("cursor") ?? 0);
    const found = Object.entries(events).filter(([, e]) => e >= Number(query.get("min_escalation") ?? 0)).map(([id, escalation]) => ({ id, escalation }));
    return { events: found.slice(from, from + PAGE), next_cursor: from + PAGE < found.length ? String(from + PAGE) : null } as T;
  };
  return { get, asked };
}
const ids = (events: { id: string }[]) => events.map((e) => e.id);

test("those active in the last day are asked for at once, by when they were last active", async () => {
  const { get, asked } = world({ a: 0.65, b: 0.77 });
  expect(ids(await new ActiveEvents().most(get, END, "2026-11-14T12:00:00Z", 2))).toEqual(["b", "a"]);
  expect(asked).toEqual(["/v1/conflict?limit=200&active_since=2026-11-13T12%3A00%3A00Z&min_escalation=0.5&as_of=2026-11-14T12%3A00%3A00Z"]);
});

test("every page is read, and ties are ordered by their ids", async () => {
  const { get } = world({ e: 0.6, d: 0.6, c: 0.9, b: 0.55, a: 0.7 });
  expect(ids(await new ActiveEvents().most(get, END, null, 4))).toEqual(["c", "a", "d", "e"]);
});

test("a quiet world is asked from further down, and the next time from just above", async () => {
  const { get, asked } = world({ a: 0.3, b: 0.12 });
  const active = new ActiveEvents();
  expect(ids(await active.most(get, END, null, 2))).toEqual(["a", "b"]);
  expect(asked.length).toBe(3);
  await active.most(get, END, null, 2);
  expect(asked.slice(3).map((path) => new URL(path, "http://x").searchParams.get("min_escalation"))).toEqual(["0.25", "0.1"]);
});

test("where there are fewer than asked for, all are shown", async () => {
  const { get } = world({ a: 0.05 });
  expect(ids(await new ActiveEvents().most(get, END, null, 6))).toEqual(["a"]);
});
