// A page that stays open for days: what it holds stays what it was. The real service publishes a tick a second; after each
// stretch the browser collects its garbage, and heap, nodes and listeners are counted. Only in the longer form, for
// TEST_HEAP_MINUTES minutes; 600 of them are a year of ticks. TEST_HEAP_SCALE is another pace: at 3600 the year takes 150.

import assert from "node:assert/strict";
import { test } from "node:test";
import { launch, LONG, openPage } from "./browser.mjs";
import { startDemo } from "./service.mjs";

const MINUTES = Number(process.env.TEST_HEAP_MINUTES ?? 3);
const SCALE = Number(process.env.TEST_HEAP_SCALE ?? 900);
/** What is asked for the first time, and kept, comes in this part of the run. */
const WARM = 0.25;
const EVERY_MS = 10_000;
/** How many samples pass between two lines of progress. */
const TELL_EVERY = 60;
/** A heap after a collection differs by what was on its way at that moment. */
const SLACK = 1.1;
const SLACK_BYTES = 1_000_000;
const MOST_REQUESTS = 6;

const middle = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

test(`${MINUTES} minutes at ${SCALE / 900} ticks a second: the heap stays flat and nothing complains`, { skip: LONG ? false : "only in the longer form" }, async () => {
  const browser = await launch();
  // More than a week, so that the week before is there to be asked for.
  const demo = await startDemo({ days: 9, scale: SCALE, scenario: "several" });
  const { page, context, complaints } = await openPage(browser);
  try {
    const asked = { data: 0, failed: [] };
    page.on("request", (r) => {
      const { pathname } = new URL(r.url());
      if (pathname.startsWith("/v1/")) asked.data += 1;
    });
    page.on("response", (r) => r.status() >= 400 && asked.failed.push(`${r.status()} ${r.url()}`));
    await page.goto(`${demo.url}/#key=${demo.key}`);
    await page.waitForFunction(() => document.querySelector(".pulse.stream"));
    await page.getByTestId("hottest").locator("li").nth(4).waitFor();
    const session = await context.newCDPSession(page);
    const held = async () => {
      await session.send("HeapProfiler.collectGarbage");
      const { usedSize } = await session.send("Runtime.getHeapUsage");
      const { nodes, jsEventListeners } = await session.send("Memory.getDOMCounters");
      return { bytes: usedSize, nodes, listeners: jsEventListeners };
    };
    const tick = async () => Date.parse((await demo.get("/v1/global-stability")).as_of) / 900_000;
    const end = Date.now() + MINUTES * 60_000;
    const samples = [];
    let from = null;
    while (Date.now() < end) {
      await page.waitForTimeout(EVERY_MS);
      samples.push(await held());
      if (samples.length % TELL_EVERY === 0) {
        const { bytes, nodes, listeners } = samples.at(-1);
        console.log(`${(samples.length * EVERY_MS) / 60_000} minutes: ${(bytes / 1e6).toFixed(1)} MB, ${nodes} nodes, ${listeners} listeners, ${asked.data} requests, ${asked.failed.length} refused, ${complaints.length} complaints`);
      }
      if (from === null && samples.length * EVERY_MS > WARM * MINUTES * 60_000) from = { tick: await tick(), data: asked.data, sample: samples.length };
    }
    const ticks = (await tick()) - from.tick;
    const after = samples.slice(from.sample - 1);
    const third = Math.max(1, Math.floor(after.length / 3));
    const figures = {};
    for (const what of ["bytes", "nodes", "listeners"]) figures[what] = [middle(after.slice(0, third).map((s) => s[what])), middle(after.slice(-third).map((s) => s[what]))];
    const each = (asked.data - from.data) / ticks;
    console.log(`heap after ${ticks} ticks: ${(figures.bytes[0] / 1e6).toFixed(1)} to ${(figures.bytes[1] / 1e6).toFixed(1)} MB, nodes ${figures.nodes.join(" to ")}, listeners ${figures.listeners.join(" to ")}, ${each.toFixed(2)} requests a tick`);
    for (const [what, [first, last]] of Object.entries(figures)) assert.ok(last <= first * SLACK + (what === "bytes" ? SLACK_BYTES : 100), `${what} grew from ${first} to ${last}`);
    assert.ok(each <= MOST_REQUESTS, `${each} requests a tick`);
    assert.deepEqual(asked.failed, [], "refused");
    assert.deepEqual(complaints, [], "the page complained");
  } finally {
    await context.close();
    await browser.close();
    await demo.stop();
  }
});
