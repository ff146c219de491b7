// The examples, and the samples of the README and of the document, run as they stand against the running service.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";

const node = async (...args: string[]) => (await promisify(execFile)(process.execPath, args, { timeout: 300_000 })).stdout;

for (const sample of readdirSync("build/samples")) {
  test(`sample ${sample}`, async () => assert.ok(await node(`build/samples/${sample}`)));
}

test("watch.mjs prints the score", async () => {
  assert.match(await node("examples/watch.mjs", "1"), /^\S+Z [\d.]+ \w+ \(simulated\)$/m);
});

test("webhook-receiver.mjs takes what was signed, once, and nothing else", async () => {
  const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
  const receiver = spawn(process.execPath, ["examples/webhook-receiver.mjs"], { env: { ...process.env, WEBHOOK_SECRET: secret, PORT: "0" } });
  try {
    let said = "";
    receiver.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    await once(receiver.stdout, "data");
    const address = `http://127.0.0.1:${/listening on (\d+)/.exec(said)?.[1]}/`;
    const body = JSON.stringify({ type: "alert" });
    const now = new Date();
    const headers = { "webhook-id": "msg_1", "webhook-timestamp": `${Math.floor(now.getTime() / 1000)}`, "webhook-signature": new Webhook(secret).sign("msg_1", now, body) };
    const post = async (text: string) => (await fetch(address, { method: "POST", headers, body: text })).status;
    assert.deepEqual([await post(body), await post(body), await post(`${body} `)], [204, 204, 401]);
    assert.equal(said.split(body).length, 2);
  } finally {
    receiver.kill();
    await once(receiver, "exit");
  }
});
