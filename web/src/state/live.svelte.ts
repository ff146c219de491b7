// Knows what the newest snapshot is. The stream, where the service has one, says it; without it the overview is asked with its
// ETag about as often as it can change. What changes with each snapshot reloads when `version` moves; what changes more rarely
// has a separate pace (`phase`, `news`, `standing`), so that a tick costs an open page at most six requests.

import type { Access } from "../api/access";
import { address } from "../api/client";
import { Problem } from "../api/problem";
import { readStream } from "../api/stream";
import type { AlertRow, DataStatus, Overview, StreamSnapshot } from "../api/types";
import { HOUR, TICK } from "../format/time";
import { notify } from "./notify.svelte";
import { session } from "./session.svelte";

/** Never ask more often than this, however often the service publishes. */
const FASTEST_MS = 1_500;
const SLOWEST_MS = 30_000;
/** With a stream, which notices by itself when it falls silent, asking is only a safety net. */
const STREAMING_MS = 600_000;
/** A key that does not cover the score. */
const UNCOVERED_MS = 60_000;
/** A service without a stream today may have one after an update. */
const STREAM_AGAIN_MS = 300_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

export type Link = "connecting" | "ok" | "lost";

class Live {
  /** Newest snapshot's time on the wire. */
  tick = $state<string | null>(null);
  overview = $state.raw<Overview | null>(null);
  dataStatus = $state<DataStatus>("ok");
  simulated = $state(false);
  link = $state<Link>("connecting");
  streaming = $state(false);
  problem = $state.raw<Problem | null>(null);
  /** When the next attempt is made, by this machine's clock. */
  retryAt = $state(0);
  /** Moves with each new snapshot and after each lost connection; 1 with the first. */
  version = $state(0);
  /** Moves when a snapshot was missed or the connection came back: then everything is asked again. */
  gaps = $state(0);
  /** Moves when the stream tells of a briefing. */
  news = $state(0);
  /** Moves when the stream tells of a feed that is on time or late again. */
  standing = $state(0);
  #said: StreamSnapshot | null = null;
  /** The service's clock minus this machine's, in milliseconds. */
  skew = $state(0);
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stop: AbortController | null = null;
  #streamStop: AbortController | null = null;
  #lastEventId: string | null = null;
  #feeds: string | null = null;
  #looking = false;
  #again = false;

  /** The service's time now, in milliseconds. */
  now(): number {
    return Date.now() + this.skew;
  }

  /**
   * Moves once an hour, a quarter of an hour later for each `n` from 0 to 3. What is asked once an hour is spread over the four
   * ticks of the hour with it.
   */
  phase(n: number): number | null {
    return this.tick === null ? null : Math.floor((Date.parse(this.tick) / 1000 - n * TICK) / HOUR);
  }

  /** When lists of briefings are asked again: when the stream tells of one; without a stream, by the hour. */
  briefingPace = (): unknown => (this.streaming ? this.news : `${this.phase(0)}`);

  start(access: Access): () => void {
    const stop = new AbortController();
    this.#stop = stop;
    this.link = "connecting";
    this.problem = null;
    this.tick = null;
    this.overview = null;
    this.version = 0;
    this.#failures = 0;
    this.#lastEventId = null;
    this.#feeds = null;
    const visibility = () => {
      // Alerts are also announced while another tab is in front.
      if (document.hidden && notify.on) return;
      this.#streamStop?.abort();
      if (!document.hidden) {
        this.look();
        void this.#stream(access, stop.signal);
      }
    };
    const online = () => this.look();
    document.addEventListener("visibilitychange", visibility);
    window.addEventListener("online", online);
    this.look();
    return () => {
      document.removeEventListener("visibilitychange", visibility);
      window.removeEventListener("online", online);
      stop.abort();
      this.#streamStop?.abort();
      clearTimeout(this.#timer);
      this.streaming = false;
    };
  }

  /** Asks now; while an answer is on its way, again after it, because it may be older than the reason to ask. */
  look(): void {
    clearTimeout(this.#timer);
    if (this.#looking) this.#again = true;
    else void this.#lookOnce();
  }

  async #lookOnce(): Promise<void> {
    this.#looking = true;
    try {
      do {
        this.#again = false;
        await this.#look();
      } while (this.#again);
    } finally {
      this.#looking = false;
    }
  }

  /** A new snapshot is on show. Where one was left out, what is read once an hour may have missed something. */
  #arrived(overview: Overview, recovered = false): void {
    if (recovered || (this.tick !== null && Date.parse(overview.as_of) - Date.parse(this.tick) > TICK * 1000)) this.gaps += 1;
    notify.moved(this.overview?.score ?? null, overview.score, this.simulated);
    this.tick = overview.as_of;
    this.overview = overview;
    // A simulated clock may run faster than this machine's.
    this.skew += Math.max(0, Date.parse(overview.as_of) - this.now());
    this.#renew();
  }

  #renew(): void {
    session.client?.renew();
    this.version += 1;
  }

  #next(ms: number): void {
    clearTimeout(this.#timer);
    this.retryAt = Date.now() + ms;
    this.#timer = setTimeout(() => this.look(), ms);
  }

  async #look(): Promise<void> {
    const client = session.client;
    const stop = this.#stop;
    if (!client || !stop || stop.signal.aborted) return;
    try {
      const answer = await client.get<Overview>(address("/v1/global-stability", {}));
      if (stop.signal.aborted) return;
      const recovered = this.link === "lost";
      const first = this.tick === null;
      this.#failures = 0;
      this.problem = null;
      this.link = "ok";
      this.simulated = answer.simulated;
      this.dataStatus = answer.dataStatus ?? "ok";
      if (answer.serverNow !== null) this.skew = answer.serverNow - Date.now();
      if (recovered || answer.body.as_of !== this.tick) this.#arrived(answer.body, recovered);
      const pace = Math.min(Math.max(answer.maxAge * 1000 + 500, FASTEST_MS), SLOWEST_MS);
      this.#next(this.streaming ? STREAMING_MS : pace);
      if ((first || recovered) && !this.streaming && this.#streamStop === null && session.access) void this.#stream(session.access, stop.signal);
    } catch (error) {
      if (!stop.signal.aborted) this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    if (!(error instanceof Problem)) throw error;
    if (error.trouble === "credentials") {
      session.forget(error);
      return;
    }
    this.problem = error;
    if (error.trouble === "scope") {
      // A key for events or briefings only: the rest of the page continues, at a measured pace.
      this.link = "ok";
      this.#renew();
      this.#next(UNCOVERED_MS);
      return;
    }
    this.link = "lost";
    const backoff = Math.min(FIRST_RETRY_MS * 2 ** this.#failures, LONGEST_RETRY_MS) * (0.8 + 0.4 * Math.random());
    this.#failures += 1;
    this.#next(error.retryAfter !== null ? Math.min(error.retryAfter * 1000, 2 * LONGEST_RETRY_MS) : backoff);
  }

  /** A tick is said message by message; only at its end is all of it there to be asked for. */
  #heard(event: string, data: string): void {
    if (event === "snapshot") {
      this.#said = JSON.parse(data) as StreamSnapshot;
    } else if (event === "tick") {
      const { as_of } = JSON.parse(data) as { as_of: string };
      const said = this.#said;
      this.#said = null;
      if (said?.status === undefined || said.as_of !== as_of || this.link !== "ok" || this.tick === null) this.look();
      else if (as_of > this.tick) {
        const { score, trend, pillars } = said;
        this.dataStatus = said.status as DataStatus;
        this.simulated = said.simulated;
        this.#arrived({ as_of, score, trend: trend as Overview["trend"], pillars });
        this.#next(STREAMING_MS);
      }
    } else if (event === "reset") {
      this.gaps += 1;
      this.look();
    } else if (event === "alert") {
      const { alert } = JSON.parse(data) as { alert: AlertRow | null };
      if (alert) notify.tell(alert, this.simulated);
    } else if (event === "briefing") {
      this.news += 1;
    } else if (event === "feeds") {
      // Said on every connection; news only when it differs.
      if (this.#feeds !== null && this.#feeds !== data) this.standing += 1;
      this.#feeds = data;
    }
  }

  /** Holds a stream open while the tab is seen, or is to notify; each message is a reason to look. */
  async #stream(access: Access, signal: AbortSignal): Promise<void> {
    this.#streamStop?.abort();
    const mine = new AbortController();
    this.#streamStop = mine;
    const either = AbortSignal.any([signal, mine.signal]);
    let wait = FIRST_RETRY_MS;
    while (!either.aborted) {
      try {
        await readStream(
          "/stream",
          access,
          this.#lastEventId,
          {
            open: () => {
              this.streaming = true;
              wait = FIRST_RETRY_MS;
            },
            message: (message) => {
              this.#lastEventId = message.id ?? this.#lastEventId;
              this.#heard(message.event, message.data);
            },
          },
          either,
        );
        if (!either.aborted) this.look();
      } catch (error) {
        // A place that the service does not take is forgotten, or it would be sent again for ever.
        if (error instanceof Problem && error.status === 400) this.#lastEventId = null;
        if (error instanceof Problem && error.status === 401) this.look();
        if (error instanceof Problem && error.status >= 400 && error.status < 500 && error.status !== 429) wait = STREAM_AGAIN_MS;
        else if (error instanceof Problem && error.retryAfter !== null) wait = error.retryAfter * 1000;
        else if (!either.aborted) this.look();
      }
      this.streaming = false;
      if (either.aborted) break;
      await pause(wait, either);
      wait = Math.min(wait * 2, LONGEST_RETRY_MS);
    }
    if (this.#streamStop === mine) this.#streamStop = null;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });
}

export const live = new Live();
