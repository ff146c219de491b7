// The most escalated events that were active in the last day. The list can be asked by when an event began; when it was last
// active stands in the event itself, so events that began earlier are looked up one by one, the most escalated first.

import { address } from "../api/client";
import type { ConflictEvent, EventDetail, EventPage } from "../api/types";
import { DAY } from "../format/time";

/** The list is asked from this escalation, then from the next one down until there are enough. */
const LEVELS = [0.5, 0.25, 0];
const PAGE = 200;
/** Pages of one level: a thousand events of a week are more than a level above zero ever has. */
const MOST_PAGES = 5;
/** Older events looked up at most; enough to fill a short list in any week recorded so far. */
const MOST_LOOKUPS = 36;

type Get = <T>(path: string) => Promise<T>;

export async function mostEscalated(get: Get, end: number, asOf: string | null, count: number): Promise<ConflictEvent[]> {
  let found: ConflictEvent[] = [];
  for (const level of LEVELS) {
    found = await activeAt(get, end, asOf, count, level);
    if (found.length >= count) break;
  }
  return found;
}

async function activeAt(get: Get, end: number, asOf: string | null, count: number, level: number): Promise<ConflictEvent[]> {
  const events: ConflictEvent[] = [];
  let cursor: string | null = null;
  // No event lasts longer than the week that the list covers by itself.
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer: EventPage = await get<EventPage>(address("/v1/conflict", { limit: PAGE, min_escalation: level || null, as_of: asOf, cursor }));
    events.push(...answer.events);
    cursor = answer.next_cursor;
    if (cursor === null) break;
  }
  events.sort((a, b) => b.escalation - a.escalation || (a.id < b.id ? -1 : 1));
  const dayAgo = end - DAY * 1000;
  const began = (e: ConflictEvent) => Date.parse(e.occurred_at) >= dayAgo;
  const found: ConflictEvent[] = [];
  let lookups = 0;
  for (let from = 0; from < events.length && found.length < count && lookups < MOST_LOOKUPS; from += count) {
    const some = events.slice(from, from + count);
    lookups += some.filter((e) => !began(e)).length;
    const active = await Promise.all(some.map(async (e) => began(e) || Date.parse((await get<EventDetail>(address(`/v1/conflict/${e.id}`, { as_of: asOf }))).last_activity) >= dayAgo));
    found.push(...some.filter((_, i) => active[i]));
  }
  return found.slice(0, count);
}
