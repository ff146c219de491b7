// Writes src/schema.ts and src/operations.ts from the service's OpenAPI document, which comes in on standard input. With
// --check nothing is written; the exit status says whether the files are what the document says.

import { readFile, writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import openapiTS, { astToString } from "openapi-typescript";

const MADE = "// Made by clients/typescript/scripts/generate.mjs from the OpenAPI document. Not to be edited.\n\n";
const JSON_MEDIA = "application/json";
// Other forms of an answer become methods of their own, because each has its own type.
const FORMS = { "application/geo+json": "geojson", "text/csv": "csv", "application/x-ndjson": "ndjson" };

// The same file from the same document, in whatever order its names come.
const inOrder = (value) => {
  if (Array.isArray(value)) return value.map(inOrder);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.keys(value).sort().map((name) => [name, inOrder(value[name])]));
};
const capital = (word) => word[0].toUpperCase() + word.slice(1);
const comment = (...lines) => `  /**\n${lines.flatMap((l) => l.split("\n")).map((l) => `   * ${l}`.trimEnd()).join("\n")}\n   */`;

function methods(path, operation, schemas) {
  const { operationId: id, summary = id, description = "", parameters = [] } = operation;
  const content = operation.responses["200"].content;
  const query = parameters.filter((p) => p.in === "query" && p.name !== "format");
  const inPath = parameters.filter((p) => p.in === "path").map((p) => p.name);
  const needed = query.some((p) => p.required);
  const arguments_ = (type) => [
    ...inPath.map((name) => `${name}: PathOf<"${id}">["${name}"]`),
    ...(query.length > 0 ? [`query: ${type}${needed ? "" : " = {}"}`] : []),
    "options: RequestOptions = {}",
  ];
  const address = inPath.length > 0 ? `\`${path.replace(/\{(\w+)\}/g, "${encodeURIComponent($1)}")}\`` : `"${path}"`;
  const given = query.length > 0 ? "query" : "{}";
  const media = Object.keys(content).sort((a, b) => Number(b === JSON_MEDIA) - Number(a === JSON_MEDIA));
  const made = media.map((type) => {
    const form = type === JSON_MEDIA || media.length === 1 ? undefined : FORMS[type];
    const sent = form === undefined ? given : `{ ...${given}, format: "${form}" }`;
    const returns = `BodyOf<"${id}", "${type}">`;
    return [
      comment(form === undefined ? `${summary}.` : `${summary}, as ${form}.`, description),
      `  ${id}${form === undefined ? "" : capital(form)}(${arguments_(`QueryOf<"${id}">`).join(", ")}): Promise<${returns}> {`,
      `    return this.body(${address}, ${sent}, "${type}", options) as Promise<${returns}>;`,
      "  }",
    ].join("\n");
  });
  if (query.some((p) => p.name === "cursor")) {
    const page = schemas[content[JSON_MEDIA].schema.$ref.split("/").at(-1)];
    const lists = Object.entries(page.properties).filter(([, value]) => value.type === "array");
    if (lists.length !== 1) throw new Error(`${id}: a page has ${lists.length} lists`);
    const item = `BodyOf<"${id}", "${JSON_MEDIA}">["${lists[0][0]}"][number]`;
    made.push([
      comment(`${summary}, page after page; \`limit\` is the size of a page.`, description),
      `  ${id.replace(/^list/, "iter")}(${arguments_(`Omit<QueryOf<"${id}">, "cursor">`).join(", ")}): AsyncGenerator<${item}, void> {`,
      `    return this.items(${address}, "${lists[0][0]}", ${given}, options) as AsyncGenerator<${item}, void>;`,
      "  }",
    ].join("\n"));
  }
  return made;
}

function operations({ paths, components }) {
  const found = Object.entries(paths).filter(([, item]) => item.get !== undefined && !("text/event-stream" in item.get.responses["200"].content));
  return `${MADE}import type { BodyOf, PathOf, Query, QueryOf, RequestOptions } from "./types.js";

/** What the document calls each operation, and where it is. */
export const OPERATIONS = {
${found.map(([path, item]) => `  ${item.get.operationId}: "${path}",`).join("\n")}
} as const;

/** A method for every operation. */
export abstract class Operations {
  protected abstract body(path: string, query: Query, media: string, options: RequestOptions): Promise<unknown>;
  protected abstract items(path: string, list: string, query: Query, options: RequestOptions): AsyncGenerator<unknown, void>;

${found.flatMap(([path, item]) => methods(path, item.get, components.schemas)).join("\n\n")}
}
`;
}

function messages(document) {
  const said = Object.entries(document.paths["/stream"].get.responses["200"].content["text/event-stream"]["x-messages"]);
  const union = said.map(([event, { data, description }]) => `  /** ${description} */\n  | { event: "${event}"; id: string | undefined; data: components["schemas"]["${data.$ref.split("/").at(-1)}"] }`);
  return `\n/** The messages of the stream, distinguished by \`event\`. */\nexport type StreamMessage =\n${union.join("\n")};\n`;
}

const document = inOrder(JSON.parse(await text(process.stdin)));
const made = {
  "schema.ts": MADE + astToString(await openapiTS(document, { emptyObjectsUnknown: true })) + messages(document),
  "operations.ts": operations(document),
};
for (const [name, content] of Object.entries(made)) {
  const file = new URL(`../src/${name}`, import.meta.url);
  if (!process.argv.includes("--check")) {
    await writeFile(file, content);
  } else if ((await readFile(file, "utf8").catch(() => "")) !== content) {
    console.error(`clients/typescript/src/${name} is not what the OpenAPI document says: run scripts/clients --write`);
    process.exitCode = 1;
  }
}
