// A piece of the service on the page: loaded, reloaded when something new was published, and honest when it is not there.

import { untrack } from "svelte";
import type { Client } from "../api/client";
import { Problem } from "../api/problem";
import { live } from "./live.svelte";
import { nav } from "./nav.svelte";
import { session } from "./session.svelte";

const RETRY_MS = 5_000;

export class Resource<T> {
  /** The last answer; kept while the next one is on its way. */
  data = $state.raw<T | null>(null);
  problem = $state.raw<Problem | null>(null);
  loading = $state(false);
  /** The address `data` came from. */
  from = $state<string | null>(null);
  #turn = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;

  /** `read` makes the value out of more than one answer; by itself it is the answer of `path`. */
  async load(client: Client | null, path: string | null, read: (client: Client) => Promise<T> = async (c) => (await c.get<T>(path ?? "")).body): Promise<void> {
    const turn = ++this.#turn;
    clearTimeout(this.#retry);
    if (!client || path === null) {
      this.data = null;
      this.problem = null;
      this.loading = false;
      this.from = null;
      return;
    }
    this.loading = true;
    try {
      const body = await read(client);
      if (turn !== this.#turn) return;
      this.data = body;
      this.problem = null;
      this.from = path;
    } catch (error) {
      if (turn !== this.#turn) return;
      if (!(error instanceof Problem)) throw error;
      if (error.trouble === "credentials") return session.forget(error);
      // An answer to another question must not stand in for this one.
      if (this.from !== path && error.trouble !== "offline") this.data = null;
      this.problem = error;
      if (["offline", "rate", "busy", "internal"].includes(error.trouble)) {
        const wait = error.retryAfter === null ? RETRY_MS : error.retryAfter * 1000;
        this.#retry = setTimeout(() => void this.load(client, path, read), wait);
      }
    } finally {
      if (turn === this.#turn) this.loading = false;
    }
  }

  drop(): void {
    this.#turn += 1;
    clearTimeout(this.#retry);
  }
}

/**
 * When something is asked again while the page is live: with each snapshot, or when what `pace` reads has moved, or (settled)
 * only when the question changes. The past does not change, and is asked once. Nothing of the present is asked before the first
 * look has said what there is, because it would be asked again after it; only what is `early` is, and has to see to that itself.
 */
export interface Pace {
  pace?: () => unknown;
  settled?: boolean;
  early?: boolean;
}

/** To be called while a component is set up. Null means that there is nothing to ask yet. */
export function resource<T>(path: () => string | null, pace: Pace = {}): Resource<T> {
  return keep(path, (it: Resource<T>, client, where) => it.load(client, where), pace);
}

/** The same for a value made of several answers. `question` names what is asked, and is null while there is nothing to ask. */
export function combined<T>(question: () => string | null, read: (get: <A>(path: string) => Promise<A>) => Promise<T>, pace: Pace = {}): Resource<T> {
  const load = (it: Resource<T>, client: Client | null, what: string | null) => it.load(client, what, (c) => read(async <A>(path: string) => (await c.get<A>(path)).body));
  return keep(question, load, pace);
}

function keep<T>(question: () => string | null, load: (it: Resource<T>, client: Client | null, question: string | null) => Promise<void>, { pace, settled = false, early = false }: Pace): Resource<T> {
  const it = new Resource<T>();
  // Derived, so that only another question is a reason to ask, and not that what it is made of was computed anew.
  const what = $derived(live.link === "connecting" && nav.route.asOf === null && !early ? null : question());
  const turn = $derived.by(() => {
    if (nav.route.asOf !== null || settled) return "";
    return pace ? JSON.stringify([live.gaps, pace()]) : String(live.version);
  });
  $effect(() => {
    const [client, now] = [session.client, what];
    void turn;
    untrack(() => void load(it, client, now));
  });
  $effect(() => () => it.drop());
  return it;
}
