// One way to ask the service: with what proves who asks, validators remembered, problems typed. Answers are kept by address so
// that asking again costs a 304; the browser's own cache is left out because it would hide a new tick until it expires.

import type { Access } from "./access";
import { Problem } from "./problem";
import type { DataStatus } from "./types";

/** Answers remembered for their ETag. A view needs about ten; three views' worth is kept. */
const REMEMBERED = 32;
/** The service answers from memory; what takes longer than this will not come. */
const TIMEOUT_MS = 20_000;
/** Rows asked for at once, the most the service gives. */
const ROWS_A_PAGE = 200;
/** A list longer than this many pages would fill the browser's memory; the service's exports are for that. */
const MOST_PAGES = 1_000;
/** A quota that is used up is waited for this often on the way through one list. */
const MOST_WAITS = 20;

export interface Answer<T> {
  body: T;
  /** What the service says of its data, on score resources. */
  dataStatus: DataStatus | null;
  simulated: boolean;
  /** The service's clock when it answered, in milliseconds. */
  serverNow: number | null;
  /** Seconds for which nothing new is expected. */
  maxAge: number;
}

interface Kept {
  etag: string;
  answer: Answer<unknown>;
}

export class Client {
  #kept = new Map<string, Kept>();
  #flying = new Map<string, Promise<Answer<unknown>>>();

  constructor(
    /** Null: only what is public is asked for. */
    private readonly access: Access | null,
    private readonly fetcher: typeof fetch = (input, init) => fetch(input, init),
  ) {}

  /** Two askers of one address at one time share the answer. */
  get<T>(path: string): Promise<Answer<T>> {
    const flying = this.#flying.get(path);
    if (flying) return flying as Promise<Answer<T>>;
    const promise = this.#ask<T>(path).finally(() => {
      if (this.#flying.get(path) === promise) this.#flying.delete(path);
    });
    this.#flying.set(path, promise);
    return promise;
  }

  /** The whole of a list as CSV, for a file: page after page as the service links them, under one header. */
  async table(path: string): Promise<string> {
    let next: string | null = `${path}${path.includes("?") ? "&" : "?"}limit=${ROWS_A_PAGE}&format=csv`;
    const pages: string[] = [];
    let waits = 0;
    while (next !== null) {
      if (pages.length === MOST_PAGES) throw new Problem("request", 0, "too_long", "The list is too long for a file", "Choose a shorter time or fewer kinds.");
      try {
        const page: { text: string; next: string | null } = await this.#page(next);
        pages.push(pages.length === 0 ? page.text : page.text.slice(page.text.indexOf("\n") + 1));
        next = page.next;
      } catch (error) {
        if (!(error instanceof Problem) || error.retryAfter === null || ++waits > MOST_WAITS) throw error;
        const seconds = error.retryAfter;
        await new Promise((done) => setTimeout(done, seconds * 1000));
      }
    }
    return pages.join("");
  }

  async #page(path: string): Promise<{ text: string; next: string | null }> {
    const response = await this.fetcher(path, { ...this.#proof(), cache: "no-store", signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => {
      throw Problem.offline();
    });
    const text = await response.text();
    if (!response.ok) throw Problem.fromResponse(response.status, parse(text), response.headers.get("retry-after"));
    return { text, next: /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1] ?? null };
  }

  /** Something new was published: a request that is under way may be older, so it is not shared with the next caller. */
  renew(): void {
    this.#flying.clear();
  }

  async #ask<T>(path: string): Promise<Answer<T>> {
    const kept = this.#kept.get(path);
    const proof = this.#proof();
    const headers: Record<string, string> = { ...proof.headers, accept: "application/json" };
    if (kept) headers["if-none-match"] = kept.etag;
    let response: Response;
    let text: string;
    try {
      response = await this.fetcher(path, {
        headers,
        cache: "no-store",
        credentials: proof.credentials,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      text = await response.text();
    } catch {
      throw Problem.offline();
    }
    if (response.status === 304 && kept) {
      this.#remember(path, kept);
      return { ...(kept.answer as Answer<T>), ...fromHeaders(response.headers, kept.answer) };
    }
    const body = parse(text);
    if (!response.ok) throw Problem.fromResponse(response.status, body, response.headers.get("retry-after"));
    if (body === undefined) throw Problem.offline();
    const answer: Answer<T> = { body: body as T, ...fromHeaders(response.headers) };
    const etag = response.headers.get("etag");
    if (etag) this.#remember(path, { etag, answer });
    return answer;
  }

  #proof(): Access["proof"] {
    return this.access?.proof ?? { headers: {}, credentials: "omit" };
  }

  #remember(path: string, kept: Kept): void {
    this.#kept.delete(path);
    this.#kept.set(path, kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= REMEMBERED) break;
      this.#kept.delete(oldest);
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fromHeaders(headers: Headers, before?: Answer<unknown>): Omit<Answer<unknown>, "body"> {
  const status = headers.get("gsi-data-status");
  const known = status === "ok" || status === "degraded" || status === "stale";
  const simulated = headers.get("gsi-simulated");
  const date = Date.parse(headers.get("date") ?? "");
  const age = /max-age=(\d+)/.exec(headers.get("cache-control") ?? "");
  return {
    dataStatus: known ? status : (before?.dataStatus ?? null),
    simulated: simulated === null ? (before?.simulated ?? false) : simulated !== "false",
    serverNow: Number.isNaN(date) ? null : date,
    maxAge: age ? Number(age[1]) : 30,
  };
}

/** A path with its query; empty values are left out, lists are repeated. */
export function address(path: string, query: Record<string, string | number | string[] | null | undefined>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== "") search.append(name, String(one));
    }
  }
  const text = search.toString();
  return text === "" ? path : `${path}?${text}`;
}
