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
/** A map of more pages than these is not fetched again by itself: it would cost more than a tick may. */
const MOST_PAGES_A_TICK = 4;

export type Query = Record<string, string | number | string[] | null | undefined>;

export class EventPages {
  events = $state.raw<ConflictEvent[]>([]);
  loading = $state(false);
  /** There are more than are shown. */
  cut = $state(false);
  problem = $state.raw<Problem | null>(null);
  /** The snapshot that the events are of. */
  tick = $state<string | null>(null);
  /** There is something newer, which the reader may ask for. */
  older = $state(false);
  /** Moves when the reader asks for newer events. */
  wanted = $state(0);
  #turn = 0;

  async load(query: Query): Promise<void> {
    const client = session.client;
    const turn = ++this.#turn;
    if (!client) return;
    this.loading = true;
    this.older = false;
    const tick = nav.route.asOf ?? live.tick;
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
      this.tick = tick;
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

/** `query` is asked again once an hour of snapshots, unless there is too much of it; and whenever the reader asks. */
export function eventPages(query: () => Query | null): EventPages {
  const it = new EventPages();
  let asked = "";
  const turn = $derived(nav.route.asOf === null ? `${live.phase(1)} ${live.gaps}` : "");
  $effect(() => {
    const now = query();
    void turn;
    void it.wanted;
    void session.client;
    if (now === null) return;
    // The start of the window moves with each tick; that alone is not another question.
    const question = JSON.stringify([{ ...now, since: null }, it.wanted]);
    const again = question === asked;
    asked = question;
    // What was found is no reason to ask again: it would be asked without end.
    const much = untrack(() => it.events.length > MOST_PAGES_A_TICK * PAGE);
    if (again && much) it.older = true;
    else untrack(() => void it.load(now));
  });
  $effect(() => () => it.drop());
  return it;
}
