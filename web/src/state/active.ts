// The most escalated events that were active in the last day.

import { address } from "../api/client";
import type { ConflictEvent, EventPage } from "../api/types";
import { DAY, wire } from "../format/time";

/** The list is asked from this escalation, then from the next one down until there are enough. */
const LEVELS = [0.5, 0.25, 0.1, 0];
const PAGE = 200;

type Get = <T>(path: string) => Promise<T>;

/** Since when an event must have been active to be shown at the moment `end`, in milliseconds. */
export const activeSince = (end: number): string => wire(end - DAY * 1000);

/** Remembers from which escalation there were enough the last time, so that the next search begins just above it. */
export class ActiveEvents {
  #level = 0;

  async most(get: Get, end: number, asOf: string | null, count: number): Promise<ConflictEvent[]> {
    let found: ConflictEvent[] = [];
    for (let i = Math.max(0, this.#level - 1); i < LEVELS.length; i++) {
      found = await all(get, { active_since: activeSince(end), min_escalation: LEVELS[i] || null, as_of: asOf });
      this.#level = i;
      if (found.length >= count) break;
    }
    return found.sort((a, b) => b.escalation - a.escalation || (a.id < b.id ? -1 : 1)).slice(0, count);
  }
}

async function all(get: Get, asked: Record<string, string | number | null>): Promise<ConflictEvent[]> {
  const events: ConflictEvent[] = [];
  let cursor: string | null = null;
  do {
    const page: EventPage = await get<EventPage>(address("/v1/conflict", { limit: PAGE, ...asked, cursor }));
    events.push(...page.events);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return events;
}
