// Signatures of webhooks, as the Standard Webhooks specification has them: HMAC-SHA256 over id, time and body.

import { WebhookVerificationError } from "./errors.js";

/** As in the published libraries: a message that is older, or further ahead, may be somebody's recording. */
const TOLERANCE_SECONDS = 5 * 60;

export interface VerifyOptions {
  /** Seconds since 1970, instead of now. */
  now?: number;
}

/**
 * The message, when it was signed with the secret (or one of several, while they are rotated) within five minutes.
 *
 * `body` is what came over the wire, untouched: parsed and written again it is another text. Remember `webhook-id` for some
 * days: a message may come twice, with the same id.
 */
export async function verifyWebhook(
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>,
  body: string | Uint8Array,
  secret: string | readonly string[],
  { now = Date.now() / 1000 }: VerifyOptions = {},
): Promise<unknown> {
  const given = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const found = new Map(given.map(([name, value]) => [name.toLowerCase(), value]));
  const header = (name: string): string => {
    const value = found.get(name);
    if (typeof value !== "string") throw new WebhookVerificationError(`the header ${name} is missing`);
    return value;
  };
  const [id, sentAt, signatures] = [header("webhook-id"), header("webhook-timestamp"), header("webhook-signature")];
  if (!/^[0-9]+$/.test(sentAt)) throw new WebhookVerificationError("webhook-timestamp is not a number of seconds");
  if (Math.abs(now - Number(sentAt)) > TOLERANCE_SECONDS) {
    throw new WebhookVerificationError("the message was signed more than five minutes before or after now");
  }
  const raw = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const head = new TextEncoder().encode(`${id}.${sentAt}.`);
  const signed = new Uint8Array(head.length + raw.length);
  signed.set(head);
  signed.set(raw, head.length);
  for (const one of typeof secret === "string" ? [secret] : secret) {
    const bytes = base64(one.replace(/^whsec_/, ""));
    if (bytes === undefined || bytes.length === 0) throw new WebhookVerificationError("the secret is not base64 after whsec_");
    const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    for (const signature of signatures.split(" ").filter((s) => s.startsWith("v1,"))) {
      const claimed = base64(signature.slice(3));
      // WebCrypto compares in constant time.
      if (claimed !== undefined && (await crypto.subtle.verify("HMAC", key, claimed, signed))) {
        return JSON.parse(new TextDecoder().decode(raw)) as unknown;
      }
    }
  }
  throw new WebhookVerificationError("no signature fits");
}

function base64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
