// What a tick costs an open page: at most six requests, and nothing on it moves that did not change.

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { KEY, startFixture } from "../fixture/server.mjs";
import { launch, LONG, openPage } from "./browser.mjs";
import { startDemo } from "./service.mjs";

const MOST_REQUESTS = 6;
const MOST_SHIFT = 0.02;
let browser, view;
before(async () => (browser = await launch()));
after(async () => browser?.close());
afterEach(async () => {
  const complaints = view?.complaints ?? [];
  await view?.context.close();
  view = undefined;
  assert.deepEqual(complaints, [], "the page complained");
});

/** In the page: when each tick was shown, and how far things moved without the reader's doing. */
const watch = () => {
  performance.setResourceTimingBufferSize(20_000);
  globalThis.ticks = [];
  globalThis.shifts = [];
  const shown = () => (document.querySelector(".live .number")?.textContent ?? "").trim();
  let before = "";
  globalThis.begin = () => {
    before = shown();
    globalThis.ticks = [performance.now()];
    globalThis.shifts = [];
    new PerformanceObserver((list) => {
      // Rows of a ranked list that change places, and words that follow a changed word in its own line, are the news itself.
      const makesRoom = (s) => s.node?.nodeName === "#text" || s.node?.closest?.("tr, .drivers li, [data-testid=event-list] li");
      for (const e of list.getEntries()) if (!e.hadRecentInput && !e.sources.every(makesRoom)) globalThis.shifts.push({ value: e.value, of: e.sources.map((s) => `${s.node?.nodeName}.${s.node?.className}: ${(s.node?.textContent ?? "").slice(0, 30)}, ${s.previousRect.y} to ${s.currentRect.y}`) });
    }).observe({ type: "layout-shift" });
    new MutationObserver(() => {
      if (shown() === before || shown() === "") return;
      before = shown();
      globalThis.ticks.push(performance.now());
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  };
};

/** Requests for data from each of the moments to the next, the stream aside. */
const counted = (page, moments) =>
  page.evaluate((from) => {
    const asked = performance.getEntriesByType("resource").filter((e) => new URL(e.name).pathname.startsWith("/v1/"));
    return from.map((t, i) => asked.filter((e) => e.startTime >= t && e.startTime < (from[i + 1] ?? Infinity)).map((e) => new URL(e.name).pathname + new URL(e.name).search));
  }, moments);

function judge(perTick, shifts, name) {
  const dear = perTick.filter((asked) => asked.length > MOST_REQUESTS);
  assert.deepEqual(dear, [], `${name}: more than ${MOST_REQUESTS} requests for a tick`);
  const moved = shifts.reduce((sum, s) => sum + s.value, 0);
  assert.ok(moved < MOST_SHIFT, `${name}: things moved by ${moved}: ${JSON.stringify(shifts.slice(0, 5))}`);
}

async function settled(page) {
  let before = -1;
  for (;;) {
    const asked = await page.evaluate(() => performance.getEntriesByType("resource").length);
    if (asked === before) return;
    before = asked;
    await page.waitForTimeout(700);
  }
}

describe("a tick", () => {
  const VIEWS = { overview: "", day: "?range=24h", pillar: "?view=pillar&pillar=conflict", countries: "?view=countries", country: "?view=countries&country=UA", events: "?view=events", briefings: "?view=briefings", feeds: "?view=feeds", compared: "?vs=2026-11-13T12:00:00Z" };
  // The fixture begins at a quarter to midnight, so that six ticks cross a day, an hour and what is asked after them.
  const asked = LONG ? Object.keys(VIEWS) : ["overview", "country", "events", "compared"];
  for (const [name, search] of Object.entries(VIEWS).filter(([name]) => asked.includes(name))) {
    test(`costs at most six requests and moves nothing: ${name}`, async () => {
      const fixture = await startFixture();
      try {
        view = await openPage(browser);
        await view.page.addInitScript(watch);
        await view.page.goto(`${fixture.url}/${search}#key=${KEY}`);
        await view.page.waitForFunction(() => document.querySelector(".pulse.stream"));
        await settled(view.page);
        await view.page.evaluate(() => globalThis.begin());
        const moments = [];
        for (let i = 0; i < 6; i++) {
          moments.push(await view.page.evaluate(() => performance.now()));
          fixture.tick();
          await view.page.waitForFunction((n) => globalThis.ticks.length > n, i + 1);
          await settled(view.page);
        }
        const perTick = await counted(view.page, moments);
        assert.equal(perTick.length, 6);
        assert.ok(perTick.every((asked) => asked.length > 0), `a tick brought nothing new: ${JSON.stringify(perTick)}`);
        judge(perTick, await view.page.evaluate(() => globalThis.shifts), name);
      } finally {
        await fixture.stop();
      }
    });
  }

  // On a busy machine two ticks run into each other and a request counts for the wrong one: only in the longer form.
  for (const width of LONG ? [1440, 390] : []) {
    test(`of the real service is as cheap and as still, ${width} px`, async () => {
      const demo = await startDemo({ days: 4, scale: 225, scenario: "border_war" });
      try {
        view = await openPage(browser, { width });
        await view.page.addInitScript(watch);
        await view.page.goto(`${demo.url}/#key=${demo.key}`);
        await view.page.waitForFunction(() => document.querySelector(".pulse.stream"));
        await view.page.getByTestId("hottest").locator("li").nth(4).waitFor();
        await settled(view.page);
        await view.page.evaluate(() => globalThis.begin());
        await view.page.waitForFunction(() => globalThis.ticks.length > 6, undefined, { timeout: 180_000 });
        // Requests begin a moment before the tick is seen on the page.
        const moments = (await view.page.evaluate(() => globalThis.ticks)).slice(1).map((t) => t - 800);
        judge((await counted(view.page, moments)).slice(0, -1), await view.page.evaluate(() => globalThis.shifts), "overview");
      } finally {
        await demo.stop();
      }
    });
  }
});
