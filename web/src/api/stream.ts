// Server-sent events read with fetch, because EventSource cannot send the Authorization header.

import type { Access } from "./access";
import { Problem } from "./problem";

export interface StreamMessage {
  event: string;
  data: string;
  id: string | null;
}

/** Longest line taken before the stream is judged broken; a message is a few kilobytes. */
const MAX_LINE = 1 << 20;

/** Splits text as it arrives into messages, by the rules of the HTML standard. */
export class StreamParser {
  #rest = "";
  #event = "";
  #data: string[] = [];
  #id: string | null = null;
  /** Milliseconds the server asks to wait before connecting again. */
  retry: number | null = null;

  push(text: string): StreamMessage[] {
    const found: StreamMessage[] = [];
    this.#rest += text;
    // A lone CR at the end may be half of a CRLF: it waits for the next chunk.
    for (;;) {
      const end = /\r\n|\n|\r(?!$)/.exec(this.#rest);
      if (!end) break;
      const line = this.#rest.slice(0, end.index);
      this.#rest = this.#rest.slice(end.index + end[0].length);
      const message = this.#line(line);
      if (message) found.push(message);
    }
    if (this.#rest.length > MAX_LINE) throw new Error("a line of the stream is too long");
    return found;
  }

  #line(line: string): StreamMessage | null {
    if (line === "") {
      const message = this.#data.length > 0 ? { event: this.#event || "message", data: this.#data.join("\n"), id: this.#id } : null;
      this.#event = "";
      this.#data = [];
      return message;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return null;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#event = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    else if (field === "retry" && /^\d+$/.test(value)) this.retry = Number(value);
    return null;
  }
}

/**
 * Reads the stream until it ends or falls silent. Throws a Problem when the service refuses it; a refusal with 404 or 406
 * means that this service has no stream.
 */
export async function readStream(
  path: string,
  access: Access,
  lastEventId: string | null,
  on: { open: () => void; message: (message: StreamMessage) => void },
  signal: AbortSignal,
  silenceMs = 60_000,
): Promise<void> {
  const silent = new AbortController();
  const either = AbortSignal.any([signal, silent.signal]);
  let timer = setTimeout(() => silent.abort(), silenceMs);
  try {
    const proof = access.proof;
    const headers: Record<string, string> = { ...proof.headers, accept: "text/event-stream" };
    if (lastEventId !== null) headers["last-event-id"] = lastEventId;
    // What the first view needs goes before it on a slow line.
    const response = await fetch(path, { headers, cache: "no-store", credentials: proof.credentials, signal: either, priority: "low" });
    if (!response.ok || !response.headers.get("content-type")?.startsWith("text/event-stream") || !response.body) {
      const body: unknown = await response.json().catch(() => null);
      const status = response.ok ? 406 : response.status;
      throw Problem.fromResponse(status, body, response.headers.get("retry-after"));
    }
    on.open();
    const parser = new StreamParser();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(), silenceMs);
      for (const message of parser.push(value)) on.message(message);
    }
  } catch (error) {
    if (error instanceof Problem) throw error;
    if (signal.aborted) return;
    throw Problem.offline();
  } finally {
    clearTimeout(timer);
  }
}
