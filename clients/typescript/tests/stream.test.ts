import assert from "node:assert/strict";
import { test } from "node:test";
import { ProblemError, type StreamMessage } from "../src/index.js";
import { Decoder } from "../src/sse.js";
import { client, standingIn } from "./service.js";

const tick = (id: number) => `retry: 1\nid: ${id}\nevent: tick\ndata: {"as_of":"2026-11-14T23:45:00Z","events":0,"events_left_out":0}\n\n`;

async function ticks(count: number, lastEventId?: string): Promise<StreamMessage[]> {
  const seen: StreamMessage[] = [];
  for await (const message of client.stream({ lastEventId })) {
    if (message.event === "snapshot") assert.ok(message.data.simulated && message.data.score <= 100);
    if (message.event === "tick" && seen.push(message) === count) break;
  }
  return seen;
}

test("the stream begins with the current state and continues", async () => {
  const [first, second] = await ticks(2);
  assert.ok(first?.id && second?.id);
  assert.deepEqual(await ticks(1, first.id), [second]);
});

test("a lost stream continues from the last tick", async () => {
  const cut = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(`${tick(100)}event: snapshot\ndata: {half`));
    },
    pull(controller) {
      controller.error(new Error("cut off"));
    },
  });
  const answers = [new Response(cut), new Response(null, { status: 503, headers: { "Retry-After": "0" } }), new Response(tick(200)), new Response(null, { status: 401 })];
  const { client, asked } = standingIn(answers);
  const seen: (string | undefined)[] = [];
  await assert.rejects(async () => {
    for await (const message of client.stream()) seen.push(message.id);
  }, ProblemError);
  assert.deepEqual(seen, ["100", "200"]);
  assert.deepEqual(asked.map((headers) => headers.get("Last-Event-ID")), [null, "100", "100", "200"]);
});

test("a stream can be ended", async () => {
  const ending = new AbortController();
  await assert.rejects(async () => {
    for await (const _ of client.stream({ signal: ending.signal })) ending.abort();
  }, { name: "AbortError" });
});

test("lines end in three ways and in no other", () => {
  const text = ': hello\r\nretry: 2000\r\revent: reset\ndata: {"as_of":\ndata: "a\u2028b\u0085"}\n\nevent: news\n\n';
  for (const size of [1, 2, 3, 1000]) {
    const decoder = new Decoder(undefined);
    const found = [];
    for (let start = 0; start < text.length; start += size) found.push(...decoder.feed(text.slice(start, start + size)));
    assert.deepEqual(found, [{ event: "reset", id: undefined, data: '{"as_of":\n"a\u2028b\u0085"}' }]);
    assert.deepEqual([decoder.pause(), decoder.pause()], [2, 4]);
  }
});
