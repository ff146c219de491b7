// What happens between a call and its answer: caching, trying again, problems.

import assert from "node:assert/strict";
import { inspect } from "node:util";
import { test } from "node:test";
import { Cache, Client, ConnectionFailed, ProblemError } from "../src/index.js";
import { waitBefore } from "../src/retry.js";
import { baseUrl, client, standingIn } from "./service.js";

const json = (body: unknown, headers: Record<string, string> = {}) => Response.json(body, { headers });
const refusal = (status: number, after?: string) => new Response(null, { status, headers: after === undefined ? {} : { "Retry-After": after } });

test("an unchanged answer is not sent again", async () => {
  const { as_of } = await client.getGlobalStability();
  const ask = () => client.get("/v1/global-stability/explain", { as_of, method: undefined });
  const [first, second] = [await ask(), await ask()];
  assert.deepEqual([first.fromCache, second.fromCache], [false, true]);
  assert.deepEqual(first.body, second.body);
  assert.match(second.dataStatus ?? "", /^(ok|degraded|stale)$/);
  assert.ok(second.simulated);
});

test("a caller may change what it was given", async () => {
  const { client, asked } = standingIn([json({ list: [1] }, { ETag: '"1"' }), new Response(null, { status: 304 })]);
  const first = (await client.get("/v1/feeds")).body as { list: number[] };
  first.list.pop();
  assert.deepEqual((await client.get("/v1/feeds")).body, { list: [1] });
  assert.equal(asked[1]?.get("If-None-Match"), '"1"');
});

test("the cache is bounded", () => {
  const cache = new Cache(1000);
  for (let i = 0; i < 9; i++) cache.put(`${i}`, { etag: "", text: "x".repeat(400), headers: new Headers() });
  cache.put("large", { etag: "", text: "x".repeat(2000), headers: new Headers() });
  assert.deepEqual([cache.size, cache.get("6"), cache.get("8")?.text.length], [2, undefined, 400]);
});

test("when to try again", () => {
  const later = new Date(Date.now() + 20_000).toUTCString();
  const rows: [number, Response | undefined, [number, number] | undefined][] = [
    [0, refusal(429, "7"), [7, 7]],
    [0, refusal(503, later), [15, 20]],
    [0, refusal(502), [0.25, 0.5]],
    [2, undefined, [1, 2]],
    [2, refusal(504, "soon"), [1, 2]],
    [3, undefined, undefined],
    [0, refusal(429, "3600"), undefined],
    [0, refusal(400), undefined],
    [0, json({}), undefined],
  ];
  for (const [attempt, response, expected] of rows) {
    const wait = waitBefore(attempt, response, 3);
    if (expected === undefined) assert.equal(wait, undefined);
    else assert.ok(wait !== undefined && expected[0] <= wait && wait <= expected[1], `${wait} is not in ${expected}`);
  }
});

test("trying again succeeds, ends and can be ended", async () => {
  const working = standingIn([refusal(503, "0"), new Error("reset"), json({ score: 1 })]);
  assert.deepEqual((await working.client.get("/v1/global-stability")).body, { score: 1 });
  const broken = standingIn([], 1);
  await assert.rejects(broken.client.getSummary(), ConnectionFailed);
  assert.equal(broken.asked.length, 2);
  const waiting = standingIn([refusal(503, "50")]);
  const started = waiting.client.getSummary({}, { signal: AbortSignal.timeout(20) });
  await assert.rejects(started, { name: "TimeoutError" });
});

test("problems are errors", async () => {
  const rows: [() => Promise<unknown>, number, string][] = [
    [() => client.listBriefings({ limit: 1000 }), 400, "invalid_parameter"],
    [() => client.listBriefings({ cursor: "x".repeat(96) }), 400, "invalid_cursor"],
    [() => client.get("/v1/global-stability/pillar/weather"), 404, "unknown_pillar"],
    [() => client.getGlobalStability({ as_of: "2001-01-01T00:00:00Z" }), 404, "no_snapshot"],
    [() => client.getConflictEvent("../feeds"), 404, "not_found"],
    [() => new Client({ baseUrl, key: "gsi_wrong" }).getSummary(), 401, "invalid_credentials"],
    [() => standingIn([new Response("<html>", { status: 500 })]).client.getSummary(), 500, "unknown"],
  ];
  for (const [call, status, code] of rows) {
    await assert.rejects(call(), (error) => error instanceof ProblemError && error.status === status && error.code === code);
  }
  await assert.rejects(client.listBriefings({ limit: 1000 }), (error: ProblemError) => error.errors[0]?.parameter === "limit" && error.requestId?.length === 16);
});

test("a key is not shown", () => {
  assert.doesNotMatch(inspect(new Client({ baseUrl, key: "gsi_secret" }), { depth: 9 }), /gsi_secret/);
});
