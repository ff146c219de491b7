import { Cache, type Kept } from "./cache.js";
import { ConnectionFailed, GsiError, problemFrom } from "./errors.js";
import { Operations } from "./operations.js";
import { LONGEST_WAIT_SECONDS, TRY_AGAIN, pause, retryAfter, waitBefore } from "./retry.js";
import type { StreamMessage } from "./schema.js";
import { Decoder } from "./sse.js";
import type { Answer, Query, RequestOptions } from "./types.js";

/** The service says something at least every 15 seconds; three times that without a word is a dead connection. */
const SILENCE_MS = 45_000;
const JSON_MEDIA = "application/json";

export interface ClientOptions {
  /** The address of the service; in a page that the service itself serves, `location.origin`. */
  baseUrl: string;
  key: string;
  maxRetries?: number;
  timeoutMs?: number;
  cache?: Cache;
  fetch?: typeof globalThis.fetch;
}

export interface StreamOptions extends RequestOptions {
  /** The `id` of the last `tick`, to go on from there. */
  lastEventId?: string | undefined;
  reconnect?: boolean;
}

/** Reads one service with one key. */
export class Client extends Operations {
  readonly baseUrl: string;
  readonly cache: Cache;
  // Not enumerable, so that printing the client does not print the key.
  readonly #authorization: string;
  readonly #fetch: typeof globalThis.fetch;
  readonly #maxRetries: number;
  readonly #timeoutMs: number;

  constructor({ baseUrl, key, maxRetries = 3, timeoutMs = 30_000, cache = new Cache(), fetch = globalThis.fetch }: ClientOptions) {
    super();
    if (!baseUrl || !key) throw new GsiError("an address and a key are needed");
    this.baseUrl = baseUrl.replace(/\/+$/, "");
    this.cache = cache;
    this.#authorization = `Bearer ${key}`;
    this.#fetch = fetch.bind(globalThis);
    this.#maxRetries = maxRetries;
    this.#timeoutMs = timeoutMs;
  }

  /** Any resource, with its headers: `(await client.get("/v1/global-stability")).dataStatus`. */
  async get(path: string, query: Query = {}, { media = JSON_MEDIA, signal }: RequestOptions & { media?: string } = {}): Promise<Answer> {
    const address = this.baseUrl + path + search(query);
    const place = `${media} ${address}`;
    const kept = this.cache.get(place);
    const headers: Record<string, string> = { Accept: `${media}, application/problem+json` };
    if (kept !== undefined) headers["If-None-Match"] = kept.etag;
    const response = await this.#send(address, headers, signal);
    if (response.status === 304 && kept !== undefined) {
      return answer({ ...kept, headers: merged(kept.headers, response.headers) }, true);
    }
    if (!response.ok) throw await problemFrom(response, retryAfter(response));
    const made: Kept = { etag: response.headers.get("ETag") ?? "", text: await response.text(), headers: response.headers };
    if (made.etag !== "") this.cache.put(place, made);
    return answer(made, false);
  }

  protected async body(path: string, query: Query, media: string, options: RequestOptions): Promise<unknown> {
    return (await this.get(path, query, { ...options, media })).body;
  }

  protected async *items(path: string, list: string, query: Query, options: RequestOptions): AsyncGenerator<unknown, void> {
    let cursor: unknown;
    do {
      const page = (await this.body(path, { ...query, cursor }, JSON_MEDIA, options)) as Record<string, unknown>;
      yield* page[list] as unknown[];
      cursor = page["next_cursor"];
    } while (typeof cursor === "string");
  }

  /**
   * Everything when it is published. Resumes after a lost connection from the last complete tick, so a message may
   * come twice and none is left out; after a `reset`, ask again for what you built from messages. Kinds of messages that
   * this version does not know come too: have a default.
   */
  async *stream({ lastEventId, reconnect = true, signal }: StreamOptions = {}): AsyncGenerator<StreamMessage, void> {
    const decoder = new Decoder(lastEventId);
    for (;;) {
      let wait = 0;
      try {
        yield* this.#connection(decoder, signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof TryLater && reconnect) wait = error.seconds;
        else if (error instanceof TryLater) throw await problemFrom(error.response, error.seconds);
        else if (error instanceof GsiError || error instanceof SyntaxError) throw error;
        else if (!reconnect) throw new ConnectionFailed(`${this.baseUrl}: ${String(error)}`, { cause: error });
      }
      if (!reconnect) return;
      await pause(Math.min(LONGEST_WAIT_SECONDS, Math.max(wait, decoder.pause())), signal);
    }
  }

  /** One connection of the stream, until either side ends it or nothing has been heard for too long. */
  async *#connection(decoder: Decoder, signal: AbortSignal | undefined): AsyncGenerator<StreamMessage, void> {
    const silence = new AbortController();
    const giveUp = () => silence.abort(new ConnectionFailed("the stream fell silent"));
    let timer = setTimeout(giveUp, SILENCE_MS);
    try {
      const headers: Record<string, string> = { Authorization: this.#authorization, Accept: "text/event-stream" };
      if (decoder.lastEventId !== undefined) headers["Last-Event-ID"] = decoder.lastEventId;
      const ends = signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]);
      const response = await this.#fetch(`${this.baseUrl}/stream`, { headers, cache: "no-store", redirect: "error", signal: ends });
      if (TRY_AGAIN.has(response.status)) throw new TryLater(response);
      if (!response.ok || response.body === null) throw await problemFrom(response, retryAfter(response));
      decoder.connected();
      const reader = response.body.getReader();
      const text = new TextDecoder();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        clearTimeout(timer);
        timer = setTimeout(giveUp, SILENCE_MS);
        for (const { event, id, data } of decoder.feed(text.decode(value, { stream: true }))) {
          yield { event, id, data: JSON.parse(data) } as StreamMessage;
        }
      }
    } finally {
      clearTimeout(timer);
      silence.abort();
    }
  }

  async #send(address: string, headers: Record<string, string>, signal: AbortSignal | undefined): Promise<Response> {
    for (let attempt = 0; ; attempt++) {
      let wait: number | undefined;
      try {
        const timeout = AbortSignal.timeout(this.#timeoutMs);
        const response = await this.#fetch(address, {
          headers: { ...headers, Authorization: this.#authorization },
          // A key is for the address it was given for.
          redirect: "error",
          signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
        });
        wait = waitBefore(attempt, response, this.#maxRetries);
        if (wait === undefined) return response;
        await response.body?.cancel();
      } catch (error) {
        signal?.throwIfAborted();
        wait = waitBefore(attempt, undefined, this.#maxRetries);
        if (wait === undefined) throw new ConnectionFailed(`${this.baseUrl}: ${String(error)}`, { cause: error });
      }
      await pause(wait, signal);
    }
  }
}

/** The stream cannot be had just now. */
class TryLater extends Error {
  readonly seconds: number;
  constructor(readonly response: Response) {
    super();
    this.seconds = retryAfter(response) ?? 0;
  }
}

/** The query to send: undefined is left out, a list is repeated. */
function search(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]: [string, unknown]) =>
    (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]).map((one) => [name, String(one)]),
  );
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : "";
}

function merged(kept: Headers, now: Headers): Headers {
  const all = new Headers(kept);
  now.forEach((value, name) => all.set(name, value));
  return all;
}

function answer({ text, headers }: Kept, fromCache: boolean): Answer {
  const isJson = /json$/.test((headers.get("Content-Type") ?? "").split(";")[0] ?? "");
  return {
    body: isJson ? (JSON.parse(text) as unknown) : text,
    headers,
    fromCache,
    dataStatus: headers.get("GSI-Data-Status") ?? undefined,
    simulated: headers.get("GSI-Simulated") === "true",
  };
}
