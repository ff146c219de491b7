// The service's time as it passes, for "4 min ago". It moves often enough for minutes and costs nothing.

import { live } from "./live.svelte";

const EVERY_MS = 10_000;

class Now {
  #machine = $state(Date.now());

  constructor() {
    setInterval(() => (this.#machine = Date.now()), EVERY_MS);
  }

  /** Milliseconds, by the service's clock. */
  get ms(): number {
    return this.#machine + live.skew;
  }
}

export const now = new Now();
