// Receives webhooks, verifies them, and prints each message once.
//   WEBHOOK_SECRET=whsec_… PORT=8090 node webhook-receiver.mjs

import { createServer } from "node:http";
import { WebhookVerificationError, verifyWebhook } from "gsi-client";

// A message is a few kilobytes.
const LARGEST_BODY = 1024 * 1024;
// The service tries for three days; a real receiver keeps the ids where they survive a restart.
const seen = new Set();

const server = createServer(async (request, response) => {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > LARGEST_BODY) return response.writeHead(413).end();
    chunks.push(chunk);
  }
  try {
    const message = await verifyWebhook(request.headers, Buffer.concat(chunks), process.env.WEBHOOK_SECRET ?? "");
    const id = request.headers["webhook-id"];
    if (!seen.has(id)) console.log(JSON.stringify(message));
    seen.add(id);
    response.writeHead(204).end();
  } catch (error) {
    response.writeHead(error instanceof WebhookVerificationError ? 401 : 500).end();
  }
});
server.listen(Number(process.env.PORT ?? 8090), "127.0.0.1", () => console.log(`listening on ${server.address().port}`));
