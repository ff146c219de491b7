// Builds the page when there is no build or the sources are younger than it.

import { execSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const newest = (path) => {
  const s = statSync(path);
  return s.isDirectory() ? Math.max(...readdirSync(path).map((f) => newest(`${path}/${f}`))) : s.mtimeMs;
};
const sources = ["src", "public", "index.html", "docs.html", "vite.config.ts", "package-lock.json", "../docs/validation.md", "../docs/validation.svg"].map((f) => newest(root + f));
const built = `${root}dist/index.html`;
if (!existsSync(built) || statSync(built).mtimeMs < Math.max(...sources)) execSync("npm run build", { cwd: root, stdio: "inherit" });
