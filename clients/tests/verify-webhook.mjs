// Verifies a received message with the published library for JavaScript.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";

const { secret, headers, body } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const webhook = new Webhook(secret);
assert.equal(webhook.verify(body, headers).type, "snapshot.published");
assert.throws(() => webhook.verify(body.replace("snapshot", "snapsh0t"), headers));
