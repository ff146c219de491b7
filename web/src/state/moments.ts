// The moments that a reader may want to compare with: a day and a week before, and the worst of the last month.

import { address } from "../api/client";
import type { History, HistoryPoint } from "../api/types";
import { DAY, HOUR, TICK, wire } from "../format/time";

/** "The last month" is this many days before the moment on show. */
export const MONTH_DAYS = 30;

type Get = <T>(path: string) => Promise<T>;

/** A moment at which the snapshot `seconds` before `tick` was on show: the last second before its successor's tick. */
export function before(tick: number, seconds: number): string {
  return wire(tick - seconds * 1000 + (TICK - 1) * 1000);
}

const highest = (points: readonly HistoryPoint[]) => points.reduce<HistoryPoint | null>((worst, p) => (worst === null || p.max > worst.max ? p : worst), null);

/** When the highest score of the month before `end` was on show; null where nothing was published. */
export async function worstOfMonth(get: Get, end: number): Promise<string | null> {
  const path = "/v1/global-stability/history";
  const hour = highest((await get<History>(address(path, { step: "1h", from: wire(end - MONTH_DAYS * DAY * 1000), to: wire(end) }))).points);
  if (!hour) return null;
  const ticks = await get<History>(address(path, { step: "15m", from: hour.at, to: wire(Date.parse(hour.at) + HOUR * 1000) }));
  const tick = highest(ticks.points.filter((p) => Date.parse(p.at) < end));
  return tick ? (tick.published_at > tick.at ? tick.published_at : tick.at) : null;
}
