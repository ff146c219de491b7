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
/** Older events looked up at most. A week of war has some forty that are grave and quiet by now before the sixth that is active. */
const MOST_LOOKUPS = 120;
const MOST_REMEMBERED = 2_000;
/** A tick may cost six requests, four of which the overview needs. */
const LOOKED_AT_AGAIN = 1;

/** What the stream has told: the snapshot that changed an event, by its id; ticks that were missed; ticks that changed more. */
export interface Told {
  changedEvents: ReadonlyMap<string, string>;
  gaps: number;
  leftOut: number;
}
const NOTHING_TOLD: Told = { changedEvents: new Map(), gaps: 0, leftOut: 0 };

type Get = <T>(path: string) => Promise<T>;

/** What is known of an event from a look at it. */
interface Look {
  lastActivity: number;
  /** The snapshot whose event this was. */
  tick: number;
}

/**
 * Remembers what it has looked up. An event's last activity only ever moves forward, so that one found active stays so for a
 * day; one found quiet stays quiet until the stream tells of a change. Where the stream cannot tell of all changes, the quiet
 * ones that were looked at longest ago are looked at again, a few with each tick.
 */
export class ActiveEvents {
  #looks = new Map<string, Look>();
  #gaps = 0;
  #leftOut = 0;
  /** Where the last search began to be successful. */
  #level = 0;
  #before = 0;

  async most(get: Get, end: number, asOf: string | null, count: number, { changedEvents, gaps, leftOut }: Told = NOTHING_TOLD): Promise<ConflictEvent[]> {
    // Another time than the one after the last: nothing is known of it.
    if (asOf !== null || gaps !== this.#gaps || end < this.#before) {
      this.#looks.clear();
      this.#level = 0;
    }
    if (leftOut !== this.#leftOut) this.#forgetQuiet(end - DAY * 1000);
    [this.#gaps, this.#leftOut, this.#before] = [gaps, leftOut, end];
    let found: ConflictEvent[] = [];
    for (const [i, level] of LEVELS.entries()) {
      if (i < this.#level) continue;
      found = await this.#activeAt(get, end, asOf, count, level, changedEvents);
      if (found.length >= count) {
        this.#level = i;
        break;
      }
    }
    return found;
  }

  #forgetQuiet(dayAgo: number): void {
    const quiet = [...this.#looks].filter(([, look]) => look.lastActivity < dayAgo).sort(([, a], [, b]) => a.tick - b.tick);
    for (const [id] of quiet.slice(0, LOOKED_AT_AGAIN)) this.#looks.delete(id);
  }

  async #activeAt(get: Get, end: number, asOf: string | null, count: number, level: number, changed: ReadonlyMap<string, string>): Promise<ConflictEvent[]> {
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
      const active = await Promise.all(some.map(async (e) => began(e) || (await this.#lastActivity(get, e.id, end, dayAgo, asOf, changed)) >= dayAgo));
      found.push(...some.filter((_, i) => active[i]));
    }
    return found.slice(0, count);
  }

  async #lastActivity(get: Get, id: string, end: number, dayAgo: number, asOf: string | null, changed: ReadonlyMap<string, string>): Promise<number> {
    const known = this.#looks.get(id);
    if (known && (known.lastActivity >= dayAgo || Date.parse(changed.get(id) ?? "") <= known.tick || !changed.has(id))) return known.lastActivity;
    const lastActivity = Date.parse((await get<EventDetail>(address(`/v1/conflict/${id}`, { as_of: asOf }))).last_activity);
    if (this.#looks.size >= MOST_REMEMBERED) this.#looks.clear();
    this.#looks.set(id, { lastActivity, tick: end });
    return lastActivity;
  }
}
