// Asks the running service as an agent does, with the official client for TypeScript, over HTTP and over stdio: every tool
// is called, every resource read, every prompt taken, and a wrong key is refused.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const { STABILITY_URL: url, STABILITY_KEY: key, SERVICE_PROGRAM: program } = process.env;
const ids = JSON.parse(readFileSync("ids.json", "utf8"));
let passed = 0;

const overHttp = (key) => {
  const headers = { Authorization: `Bearer ${key}` };
  return new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit: { headers } });
};
const overStdio = (key) =>
  new StdioClientTransport({ command: program, args: ["mcp"], env: { ...process.env, GSI_URL: url, GSI_KEY: key } });

async function connect(transport) {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  return client;
}

async function askEverything(client) {
  const { tools } = await client.listTools();
  assert(tools.length >= 14, `${tools.length} tools`);
  for (const tool of tools) {
    assert.equal(tool.annotations?.readOnlyHint, true, tool.name);
    const required = tool.inputSchema.required ?? [];
    const given = Object.fromEntries(required.map((name) => [name, ids[`${tool.name}.${name}`] ?? ids[name]]));
    // The library holds the structured answer against the schema that the tool declares.
    const answer = await client.callTool({ name: tool.name, arguments: given });
    assert(!answer.isError, `${tool.name}: ${JSON.stringify(answer).slice(0, 300)}`);
    assert.equal(answer.structuredContent.simulated, true, tool.name);
    passed += 1;
  }
  for (const { uri } of (await client.listResources()).resources) {
    const { contents } = await client.readResource({ uri });
    assert(contents[0].text.length > 100, uri);
    passed += 1;
  }
  for (const prompt of (await client.listPrompts()).prompts) {
    const given = Object.fromEntries((prompt.arguments ?? []).map(({ name }) => [name, "Ukraine"]));
    const { messages } = await client.getPrompt({ name: prompt.name, arguments: given });
    assert(messages.length > 0, prompt.name);
    passed += 1;
  }
  await client.close();
}

for (const open of [overHttp, overStdio]) {
  await askEverything(await connect(open(key)));
  await assert.rejects(async () => {
    const client = await connect(open(`gsi_0000000000_${"0".repeat(52)}`));
    const answer = await client.callTool({ name: "get_stability", arguments: {} }).finally(() => client.close());
    if (answer.isError) throw new Error(answer.content[0].text);
  }, /401|invalid_credentials/);
  passed += 1;
}
console.log(`clients: ${passed} passed (agents, TypeScript)`);
