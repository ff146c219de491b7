// Every operation of the document, called on the running service.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { OPERATIONS, type Schemas } from "../src/index.js";
import { baseUrl, client } from "./service.js";

interface Document {
  info: { version: string };
  paths: Record<string, { get?: { operationId: string } }>;
}

const document = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as Document;

test("the client has every operation of the document", () => {
  const described = Object.entries(document.paths).flatMap(([path, item]) => (item.get ? [[item.get.operationId, path]] : []));
  assert.deepEqual({ ...OPERATIONS, stream: "/stream" }, Object.fromEntries(described));
});

test("every operation answers", async (t) => {
  // Something that exists, for each name in a path.
  const known: Record<string, string> = {
    pillar: "conflict",
    country: (await client.listCountries({ limit: 1 })).countries[0]?.country ?? "",
    "/v1/briefings/{id}": (await client.listBriefings({ limit: 1 })).briefings[0]?.id ?? "",
    "/v1/alerts/{id}": (await client.listAlerts({ limit: 1 })).alerts[0]?.id ?? "",
    "/v1/conflict/{id}": (await client.listConflictEvents({ limit: 1 })).events[0]?.id ?? "",
    "/v1/snapshots/{id}/inputs": (await client.explainGlobalStability()).snapshot,
  };
  const methods = client as unknown as Record<string, (...values: string[]) => Promise<unknown>>;
  for (const [name, path] of Object.entries(OPERATIONS)) {
    await t.test(name, async () => {
      const values = [...path.matchAll(/\{(\w+)\}/g)].map(([, part]) => known[path] ?? known[part ?? ""] ?? assert.fail(`nothing known for ${path}`));
      assert.ok(await methods[name]?.call(client, ...values));
    });
  }
});

test("another form has a separate type", async () => {
  const page: Schemas["EventFeatures"] = await client.listConflictEventsGeojson({ limit: 3 });
  assert.equal(page.type, "FeatureCollection");
  assert.equal(page.features.length, 3);
});

test("pages are one list", async () => {
  const { as_of } = await client.getGlobalStability();
  const all = async (limit: number) => {
    const ids: string[] = [];
    for await (const event of client.iterConflictEvents({ as_of, limit })) ids.push(event.id);
    return ids;
  };
  const whole = await all(200);
  assert.ok(whole.length > 3);
  assert.deepEqual(await all(Math.max(1, Math.floor(whole.length / 3))), whole);
});

test("the version is the service's", async () => {
  const ours = JSON.parse(await readFile("package.json", "utf8")) as { version: string };
  assert.equal(ours.version, document.info.version);
});
