import { expect, test } from "vitest";
import { look, type Seen } from "./newcomers";

const row = (id: string, at: string) => ({ id, occurred_at: at });
const [T1, T2] = ["2026-11-14T12:00:00Z", "2026-11-14T12:15:00Z"];
const first = look(null, "all", T1, [row("c", "3"), row("b", "2")], false);
const fresh = (seen: Seen) => [...seen.fresh];

test("the first look at a question has nothing new", () => expect(fresh(first)).toEqual([]));
test("another question has nothing new", () => expect(fresh(look(first, "kinetic only", T2, [row("d", "4")], true))).toEqual([]));
test("the same snapshot asked again has nothing new", () => expect(fresh(look(first, "all", T1, [row("d", "4"), row("c", "3")], false))).toEqual([]));
test("what a live tick brings is new", () => expect(fresh(look(first, "all", T2, [row("d", "4"), row("c", "3")], false))).toEqual(["d"]));
test("an older row that moves up is not new", () => expect(fresh(look(first, "all", T2, [row("c", "3"), row("a", "1")], false))).toEqual([]));
test("in a list that was shown whole, an older row that a tick brings is new", () => {
  const whole = look(null, "all", T1, [row("c", "3")], true);
  expect(fresh(look(whole, "all", T2, [row("c", "3"), row("a", "1")], true))).toEqual(["a"]);
});
test("going back in time marks nothing", () => expect(fresh(look({ ...first, tick: T2 }, "all", T1, [row("d", "4")], false))).toEqual([]));
