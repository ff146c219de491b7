import { expect, test, vi } from "vitest";
import { inTurn } from "./turns";

test("parts come one in a task, in the order in which they asked, without those that went away", () => {
  vi.useFakeTimers();
  const built: string[] = [];
  const ask = (part: string) => inTurn(() => built.push(part));
  ask("why");
  const leave = ask("pillars");
  ask("world");
  leave();
  const after: string[][] = [];
  for (let task = 0; task < 3; task++) {
    after.push([...built]);
    vi.advanceTimersToNextTimer();
    if (task === 1) ask("history");
  }
  expect([...after, built]).toEqual([[], ["why"], ["why", "world"], ["why", "world", "history"]]);
  vi.useRealTimers();
});
