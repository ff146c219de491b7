// Every view in light, dark and on a phone, from the demo's simulated world, into docs/screenshots. WebP keeps the folder
// small; FORMAT=png writes pictures that more programs can open.

import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { launch, openPage } from "../tests/browser/browser.mjs";
import { BINARY, startDemo } from "../tests/browser/service.mjs";
import { KEY, startFixture } from "../tests/fixture/server.mjs";

const out = process.env.SCREENSHOTS ?? fileURLToPath(new URL("../../docs/screenshots/", import.meta.url));
await mkdir(out, { recursive: true });

if (!BINARY) throw new Error("GSI_BINARY must name the gsi binary, for example target/release/gsi");
const demo = await startDemo({ days: Number(process.env.DAYS ?? 45), scenario: process.env.SCENARIO ?? "several" });
const fixture = await startFixture();
const browser = await launch();

const first = (await demo.get("/v1/conflict?limit=50&min_escalation=0.4&status=confirmed")).events[0] ?? (await demo.get("/v1/conflict?limit=1")).events[0];
const VIEWS = {
  overview: "",
  pillar: "?view=pillar&pillar=conflict",
  country: "?view=countries&country=UA",
  events: `?view=events${first ? `&event=${first.id}` : ""}`,
  briefings: "?view=briefings",
  feeds: "?view=feeds",
};
const DEVICES = {
  light: { width: 1440, height: 900 },
  dark: { width: 1440, height: 900, dark: true },
  phone: { width: 390, height: 844, deviceScaleFactor: 1.5 },
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
  await page.locator(".panel, main.embed").first().waitFor();
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
const wanted = (name) => only.length === 0 || only.some((o) => name.includes(o));
for (const [device, size] of Object.entries(DEVICES)) {
  for (const [view, search] of Object.entries(VIEWS)) {
    const name = `${view}-${device}`;
    if (wanted(name)) await shoot(name, `${demo.url}/${search}#key=${demo.key}`, size);
  }
}
if (wanted("past")) await shoot("past", `${demo.url}/?range=30d&as_of=2026-11-09T06:00:00Z#key=${demo.key}`, DEVICES.light);
if (wanted("first-view")) await shoot("first-view", `${demo.url}/#key=${demo.key}`, DEVICES.light, { whole: false });
if (wanted("embed")) await shoot("embed", `${demo.url}/?embed=gauge#key=${demo.key}`, { width: 560, height: 400 }, { whole: false });
if (wanted("key")) await shoot("key", `${demo.url}/`, { width: 1000, height: 700 }, { whole: false });
if (wanted("wide")) await shoot("wide", `${demo.url}/#key=${demo.key}`, { width: 3840, height: 2160 }, { whole: false });
if (wanted("docs")) {
  const { page, context } = await openPage(browser, DEVICES.light);
  await page.goto(`${demo.url}/docs`);
  await page.waitForTimeout(4_000);
  await save(page, "docs");
  await context.close();
}
if (wanted("degraded")) {
  fixture.world.state.degraded = ["ofr"];
  await shoot("degraded", `${fixture.url}/#key=${KEY}`, DEVICES.light, { whole: false });
}
await browser.close();
await fixture.stop();
await demo.stop();
