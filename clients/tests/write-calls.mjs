// Writes fetch.ts and hey.ts: a typed call of every operation in known.json with what openapi-typescript (for
// openapi-fetch) and hey-api made. Written out one by one, because only then does the compiler judge the types.

import { readFileSync, writeFileSync } from "node:fs";

const operations = Object.entries(JSON.parse(readFileSync("known.json", "utf8")));
const common = `const url = process.env["STABILITY_URL"] ?? "";
const authorization = \`Bearer \${process.env["STABILITY_KEY"] ?? ""}\`;
let passed = 0;
function check(operation: string, answer: { data?: object | string | undefined; error?: unknown; response?: Response | undefined }): void {
  if (answer.response?.status !== 200 || answer.data === undefined || Object.keys(answer.data).length === 0) {
    throw new Error(\`\${operation} answered \${answer.response?.status}: \${JSON.stringify(answer.error)}\`);
  }
  passed += 1;
}
`;

// A page of events may be one of two forms in openapi-fetch's types, because the document has both in one operation: a caller has to
// look which. hey-api takes the first, which is JSON.
const events = (call) => `(await ${call}).data?.events;`;
const eventsOfTwoForms = (call) => `// @ts-expect-error: see write-calls.mjs\n${events(call)}`;

writeFileSync(
  "fetch.ts",
  `import createClient from "openapi-fetch";
import type { paths } from "./schema.js";
${common}
const client = createClient<paths>({ baseUrl: url, headers: { Authorization: authorization } });
${operations.map(([id, { path, values }]) => `check("${id}", await client.GET("${path}", ${JSON.stringify({ params: { path: values } })}));`).join("\n").replaceAll(', {"params":{"path":{}}}', "")}
${eventsOfTwoForms('client.GET("/v1/conflict")')}
console.log(\`clients: \${passed} passed with openapi-fetch\`);
`,
);
writeFileSync(
  "hey.ts",
  `import { client } from "./hey/client.gen.js";
import * as service from "./hey/index.js";
${common}
client.setConfig({ baseUrl: url, headers: { Authorization: authorization } });
${operations.map(([id, { values }]) => `check("${id}", await service.${id}(${Object.keys(values).length ? JSON.stringify({ path: values }) : ""}));`).join("\n")}
${events("service.listConflictEvents()")}
console.log(\`clients: \${passed} passed with hey-api\`);
`,
);
