// What the first load costs: the entry, what it imports at once, and their styles, compressed. Fails beyond the budget.

import { readFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";

const BUDGET = 200_000;
const dist = new URL("../dist/", import.meta.url);
const html = readFileSync(new URL("index.html", dist), "utf8");
const files = new Set([...html.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map((m) => m[1]));
for (const file of files) {
  if (!file.endsWith(".js")) continue;
  const text = readFileSync(new URL(file, dist), "utf8");
  for (const [, found] of text.matchAll(/(?:^|[;}\s])import\s*(?:[^"'();]*?from\s*)?["']\.\/([^"']+)["']/g)) files.add(`assets/${found}`);
}
let [gzip, brotli] = [0, 0];
for (const file of files) {
  const body = readFileSync(new URL(file, dist));
  gzip += gzipSync(body, { level: 9 }).length;
  brotli += brotliCompressSync(body).length;
}
console.log(`first load: ${files.size} files, ${(gzip / 1000).toFixed(1)} kB gzip, ${(brotli / 1000).toFixed(1)} kB brotli`);
if (gzip > BUDGET) {
  console.error(`more than ${BUDGET / 1000} kB`);
  process.exit(1);
}
