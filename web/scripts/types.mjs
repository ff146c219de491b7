// The service's wire types for this page, made from its OpenAPI document, which comes in on standard input.
// `scripts/page-types` calls it; with --check nothing is written.
// Only the shapes are kept, so that a better description in the document is no change here.

import { readFile, writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import openapiTS, { astToString } from "openapi-typescript";

const FILE = new URL("../src/api/schema.d.ts", import.meta.url);
const PROSE = new Set(["description", "example", "examples", "format", "title"]);

/** The same without prose. Under `properties` and `schemas` the keys are names, whatever they are. */
function bare(value, names = false) {
  if (Array.isArray(value)) return value.map((v) => bare(v));
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(value).filter(([key]) => names || !PROSE.has(key));
  return Object.fromEntries(kept.map(([key, v]) => [key, bare(v, !names && (key === "properties" || key === "schemas"))]));
}

const { openapi, info, components } = JSON.parse(await text(process.stdin));
const document = { openapi, info, paths: {}, components: bare({ schemas: components.schemas }) };
const made = `// Made by \`scripts/page-types\` from the service's OpenAPI document. Not to be edited.\n\n${astToString(await openapiTS(document))}`;
if (!process.argv.includes("--check")) {
  await writeFile(FILE, made);
} else if ((await readFile(FILE, "utf8").catch(() => "")) !== made) {
  console.error("web/src/api/schema.d.ts is not what the OpenAPI document says: run scripts/page-types");
  process.exitCode = 1;
}
