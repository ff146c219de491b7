// Writes the samples of the README and of the running service's document to samples/, where they are type-checked and run
// with the tests.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

const folder = new URL("../samples/", import.meta.url);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
const samples = readFileSync(new URL("../README.md", import.meta.url), "utf8").matchAll(/```ts\n(.*?)```/gs);
[...samples].forEach(([, sample], index) => writeFileSync(new URL(`${index}.ts`, folder), sample));

const { paths } = await (await fetch(`${process.env.STABILITY_URL}/openapi.json`)).json();
for (const { operationId, "x-codeSamples": shown = [] } of Object.values(paths).flatMap((path) => Object.values(path))) {
  const sample = shown.find(({ lang }) => lang === "TypeScript");
  if (sample) writeFileSync(new URL(`${operationId}.ts`, folder), sample.source);
}
