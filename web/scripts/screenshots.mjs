// Twelve pictures of the page, from the demo's simulated world, into docs/screenshots. WebP keeps the folder small;
// FORMAT=png writes pictures that more programs can open. Names as arguments choose some of them.

import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { launch, openPage } from "../tests/browser/browser.mjs";
import { BINARY, startDemo } from "../tests/browser/service.mjs";

const out = process.env.SCREENSHOTS ?? fileURLToPath(new URL("../../docs/screenshots/", import.meta.url));
await mkdir(out, { recursive: true });

if (!BINARY) throw new Error("GSI_BINARY must name the gsi binary, for example target/release/gsi");
const demo = await startDemo({ days: Number(process.env.DAYS ?? 45), scenario: process.env.SCENARIO ?? "several" });
// The reconstructed past is computed in the first seconds of a service.
while ((await demo.get("/v1/global-stability/meaning")).levels === undefined) await new Promise((done) => setTimeout(done, 500));
const browser = await launch();

const first = (await demo.get("/v1/conflict?limit=50&min_escalation=0.4&status=confirmed")).events[0] ?? (await demo.get("/v1/conflict?limit=1")).events[0];
const LIGHT = { width: 1440, height: 900 };
const DARK = { ...LIGHT, dark: true };
const PHONE = { width: 390, height: 844, deviceScaleFactor: 1.5 };
const WALL = { width: 1920, height: 1080, dark: true };
/** What is looked at, on what; `window`: as much as fits, as a reader first sees it. */
const PICTURES = {
  "first-view": ["", LIGHT, "window"],
  "overview-dark": ["", DARK],
  "overview-phone": ["", PHONE],
  "compare-light": ["?vs=2026-11-07T12:14:59Z", LIGHT],
  "wall-dark": ["?wall", WALL, "window"],
  "country-light": ["?view=countries&country=UA", LIGHT],
  "pillar-light": ["?view=pillar&pillar=conflict", LIGHT],
  "events-dark": [`?view=events${first ? `&event=${first.id}` : ""}`, DARK],
  "validation-light": ["validation", LIGHT],
  "briefings-light": ["?view=briefings", LIGHT],
  "feeds-dark": ["?view=feeds", DARK],
  past: ["?range=30d&as_of=2026-11-09T06:00:00Z", LIGHT],
};
const FORMAT = process.env.FORMAT ?? "webp";
const QUALITY = 44;

async function save(page, name) {
  const session = await page.context().newCDPSession(page);
  const { width, height } = page.viewportSize();
  // Beyond this a reader sees no more of it, and the folder grows.
  const clip = { x: 0, y: 0, width, height, scale: Math.min(1, 1_920 / width) };
  const picture = await session.send("Page.captureScreenshot", FORMAT === "png" ? { format: "png", clip } : { format: FORMAT, quality: QUALITY, clip });
  await writeFile(`${out}/${name}.${FORMAT}`, Buffer.from(picture.data, "base64"));
}

/** A picture longer than this is of no use in a page. */
const TALLEST = 2_100;

async function shoot(name, url, device, { whole = true } = {}) {
  const { page, context, complaints } = await openPage(browser, device);
  await page.goto(url);
  await page.locator(".panel, .wall path[data-country]").first().waitFor();
  await page.waitForTimeout(2_500);
  if (whole) {
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.setViewportSize({ width: device.width, height: Math.max(device.height, Math.min(height, TALLEST)) });
    await page.waitForTimeout(1_000);
  }
  await page.evaluate(() => window.scrollTo(0, 0));
  await save(page, name);
  if (complaints.length > 0) console.error(name, complaints);
  await context.close();
  console.log(name);
}

const only = process.argv.slice(2);
for (const [name, [search, device, kind]] of Object.entries(PICTURES)) {
  if (only.length === 0 || only.some((o) => name.includes(o))) await shoot(name, `${demo.url}/${search}#key=${demo.key}`, device, { whole: kind !== "window" });
}
await browser.close();
await demo.stop();
