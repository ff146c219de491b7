// All events that match, for the map: page after page, up to a number that stays quick to fetch and to draw.

import { untrack } from "svelte";
import { address } from "../api/client";
import { Problem } from "../api/problem";
import type { ConflictEvent, EventPage } from "../api/types";
import { live } from "./live.svelte";
import { nav } from "./nav.svelte";
import { session } from "./session.svelte";

const PAGE = 200;
/** Fifty requests at most, half of a key's burst. */
const MOST = 10_000;
/** A map does not need every tick of an accelerated clock. */
const AGAIN_MS = 15_000;

export type Query = Record<string, string | number | string[] | null | undefined>;

export class EventPages {
  events = $state.raw<ConflictEvent[]>([]);
  loading = $state(false);
  /** There are more than are shown. */
  cut = $state(false);
  problem = $state.raw<Problem | null>(null);
  #turn = 0;

  async load(query: Query): Promise<void> {
    const client = session.client;
    const turn = ++this.#turn;
    if (!client) return;
    this.loading = true;
    const found: ConflictEvent[] = [];
    let cursor: string | null = null;
    try {
      do {
        const path: string = address("/v1/conflict", { ...query, limit: PAGE, cursor });
        const page: EventPage = (await client.get<EventPage>(path)).body;
        if (turn !== this.#turn) return;
        found.push(...page.events);
        cursor = page.next_cursor;
        // The first page is worth showing while the others come.
        if (this.events.length === 0) this.events = [...found];
      } while (cursor !== null && found.length < MOST);
      this.events = found;
      this.cut = cursor !== null;
      this.problem = null;
    } catch (error) {
      if (turn !== this.#turn) return;
      if (!(error instanceof Problem)) throw error;
      if (error.trouble === "credentials") session.forget(error);
      this.problem = error;
    } finally {
      if (turn === this.#turn) this.loading = false;
    }
  }

  drop(): void {
    this.#turn += 1;
  }
}

/** `query` is asked again for each new snapshot, but not more often than every few seconds. */
export function eventPages(query: () => Query | null): EventPages {
  const it = new EventPages();
  let last = 0;
  let asked = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  $effect(() => {
    const now = query();
    if (nav.route.asOf === null) void live.version;
    void session.client;
    clearTimeout(timer);
    if (now === null) return;
    // The start of the window moves with each tick; that alone is not another question.
    const question = JSON.stringify({ ...now, since: null });
    const wait = question === asked ? Math.max(0, last + AGAIN_MS - Date.now()) : 0;
    const run = () => {
      last = Date.now();
      asked = question;
      void it.load(now);
    };
    if (wait === 0) untrack(run);
    else timer = setTimeout(run, wait);
  });
  $effect(() => () => {
    clearTimeout(timer);
    it.drop();
  });
  return it;
}
