// Server-sent events, as the HTML standard has them.

import { GsiError } from "./errors.js";

/** A message is one event or one briefing; what is larger is not from this service. */
const LARGEST_MESSAGE = 4 * 1024 * 1024;
const FIRST_PAUSE_SECONDS = 1;
const LONGEST_PAUSE_SECONDS = 30;

export interface RawMessage {
  event: string;
  id: string | undefined;
  data: string;
}

/** Turns text into messages, and keeps how long to wait before connecting again. */
export class Decoder {
  private rest = "";
  private message: { event: string; id: string | undefined; data: string[] } = { event: "", id: undefined, data: [] };
  private failures = 0;
  private pauseSeconds = FIRST_PAUSE_SECONDS;

  constructor(public lastEventId: string | undefined) {}

  /** What was half said on the connection before is forgotten. */
  connected(): void {
    this.rest = "";
    this.message = { event: "", id: undefined, data: [] };
  }

  *feed(chunk: string): Generator<RawMessage, void> {
    const text = this.rest + chunk;
    // A return at the end may be half of a line's end: it stays until what follows is known.
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? "";
    if (this.rest.length > LARGEST_MESSAGE) throw new GsiError("the stream sent a line that is too long to be a message");
    for (const line of lines) {
      const message = this.line(line);
      if (message === undefined) continue;
      this.failures = 0;
      yield message;
    }
  }

  private line(line: string): RawMessage | undefined {
    if (line === "") return this.end();
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") this.message.event = value;
    else if (name === "data") this.message.data.push(value);
    else if (name === "id" && !value.includes("\0")) this.message.id = value;
    else if (name === "retry" && /^\d+$/.test(value)) this.pauseSeconds = Math.min(LONGEST_PAUSE_SECONDS, Number(value) / 1000);
    return undefined;
  }

  private end(): RawMessage | undefined {
    const { event, id, data } = this.message;
    this.message = { event: "", id: undefined, data: [] };
    if (id !== undefined) this.lastEventId = id;
    return data.length > 0 ? { event, id, data: data.join("\n") } : undefined;
  }

  /** Seconds until the next connection: more with every one that brought nothing. */
  pause(): number {
    return Math.min(LONGEST_PAUSE_SECONDS, this.pauseSeconds * 2 ** Math.min(this.failures++, 10));
  }
}
