// The protocol's own conformance tests against the running service. They cannot send a key, so a door on this machine adds it
// and hands everything else on. Scenarios that call tools, prompts or resources made for them are for servers that have those.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import http from "node:http";

const SCENARIOS = ["server-initialize", "ping", "tools-list", "resources-list", "prompts-list"];
const service = new URL(process.env.STABILITY_URL);
const door = http.createServer((asked, answer) => {
  const headers = { ...asked.headers, host: service.host, authorization: `Bearer ${process.env.STABILITY_KEY}` };
  const options = { host: service.hostname, port: service.port, path: asked.url, method: asked.method, headers };
  asked.pipe(http.request(options, (got) => got.pipe(answer.writeHead(got.statusCode, got.headers))));
});
await new Promise((ready) => door.listen(0, "127.0.0.1", ready));
const url = `http://127.0.0.1:${door.address().port}/mcp`;

for (const scenario of SCENARIOS) {
  const run = spawn("node_modules/.bin/conformance", ["server", "--url", url, "--scenario", scenario]);
  let said = "";
  for (const stream of [run.stdout, run.stderr]) stream.on("data", (part) => (said += part));
  const code = await new Promise((ended) => run.on("close", ended));
  assert.equal(code, 0, `${scenario}:\n${said}`);
}
door.close();
console.log(`clients: ${SCENARIOS.length} passed (agents, conformance)`);
