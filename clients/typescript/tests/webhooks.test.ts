// What the published library signs, this package verifies.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { WebhookVerificationError, verifyWebhook } from "../src/index.js";

const SECRET = `whsec_${Buffer.from(Array.from({ length: 24 }, (_, i) => i)).toString("base64")}`;
const OTHER = `whsec_${Buffer.alloc(24).toString("base64")}`;
const BODY = JSON.stringify({ type: "alert", data: { rule: "score >= 50", headline: "Grüße" } });
const now = new Date();
const seconds = Math.floor(now.getTime() / 1000);

const headers = (secret = SECRET) => ({
  "Webhook-Id": "msg_1",
  "webhook-timestamp": `${seconds}`,
  "webhook-signature": new Webhook(secret).sign("msg_1", now, BODY),
});

test("a signed message is read", async () => {
  const message: unknown = JSON.parse(BODY);
  assert.deepEqual(await verifyWebhook(headers(), BODY, SECRET), message);
  assert.deepEqual(await verifyWebhook(new Headers(headers()), Buffer.from(BODY), [OTHER, SECRET]), message);
  const both = { ...headers(), "webhook-signature": `${headers(OTHER)["webhook-signature"]} v1a,zzz ${headers()["webhook-signature"]}` };
  assert.deepEqual(await verifyWebhook(both, BODY, SECRET), message);
});

test("any other is refused", async () => {
  const rows: [Record<string, string | undefined>, string, string, RegExp][] = [
    [{}, `${BODY} `, SECRET, /no signature/],
    [{}, BODY, OTHER, /no signature/],
    [{ "Webhook-Id": "msg_2" }, BODY, SECRET, /no signature/],
    [{ "webhook-timestamp": `${seconds + 1}` }, BODY, SECRET, /no signature/],
    [{ "webhook-timestamp": `${seconds - 302}` }, BODY, SECRET, /five minutes/],
    [{ "webhook-timestamp": `${seconds + 400}` }, BODY, SECRET, /five minutes/],
    [{ "webhook-timestamp": "1e9" }, BODY, SECRET, /number/],
    [{ "webhook-signature": "v2,abc" }, BODY, SECRET, /no signature/],
    [{ "webhook-signature": "v1,?" }, BODY, SECRET, /no signature/],
    [{ "webhook-signature": undefined }, BODY, SECRET, /webhook-signature is missing/],
    [{}, BODY, "whsec_", /secret/],
    [{}, BODY, "whsec_?", /secret/],
  ];
  for (const [changed, body, secret, why] of rows) {
    await assert.rejects(verifyWebhook({ ...headers(), ...changed }, body, secret, { now: seconds }), (error: Error) => error instanceof WebhookVerificationError && why.test(error.message));
  }
});
