// The wall display: one screen at 16:9 that shows everything, moves now and then, says how old it is, and lets go with Escape.

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { KEY, startFixture } from "../fixture/server.mjs";
import { launch, openPage } from "./browser.mjs";

let browser, fixture, view;
before(async () => (browser = await launch()));
after(async () => browser?.close());
afterEach(async () => {
  const complaints = view?.complaints ?? [];
  await view?.context.close();
  await fixture?.stop();
  view = fixture = undefined;
  assert.deepEqual(complaints, [], "the page complained");
});

const START = Date.parse("2026-11-14T23:45:30Z");

/** With `held`, time does not advance in the browser and in the service until the test lets it pass. */
async function open({ held = false, says = {}, ...size } = {}) {
  fixture = await startFixture();
  fixture.world.state.says = says;
  view = await openPage(browser, { width: 1920, height: 1080, ...size });
  if (held) {
    fixture.world.state.clock = START;
    await view.page.clock.install({ time: START - 1000 });
    await view.page.clock.pauseAt(START);
  }
  await view.page.goto(`${fixture.url}/?wall#key=${KEY}`);
  await view.page.getByTestId("score").waitFor();
  await view.page.locator(".wall path[data-country]").first().waitFor();
  await view.page.getByTestId("headline").filter({ hasText: /\w/ }).waitFor();
  return view.page;
}

/** Both clocks go on together, in steps that an answer on its way can be wrong by at most. */
const STEP_MS = 5_000;
async function pass(page, ms) {
  for (let left = ms; left > 0; left -= STEP_MS) {
    fixture.world.state.clock += Math.min(STEP_MS, left);
    await page.clock.runFor(Math.min(STEP_MS, left));
  }
}

describe("on a wall", () => {
  for (const [width, height] of [[1280, 720], [1920, 1080], [3840, 2160]]) {
    for (const dark of [false, true]) {
      test(`nothing scrolls, overlaps or is cut off at ${width} x ${height}, ${dark ? "dark" : "light"}`, async () => {
        const page = await open({ width, height, dark });
        const found = await page.evaluate(() => {
          const box = (e) => e.getBoundingClientRect();
          const page = document.documentElement;
          const [inside, ...parts] = [...document.querySelectorAll(".wall .inside, .wall .inside > *")].map((e) => ({ ...box(e).toJSON(), name: e.className || e.tagName }));
          const leaves = [...document.querySelectorAll(".wall .inside p, .wall .inside li, .wall .inside h2, .wall svg")].filter((e) => e.textContent || e.tagName === "svg");
          const cut = leaves.filter((e) => box(e).bottom > box(e.closest(".inside > *")).bottom + 2 || box(e).right > box(e.closest(".inside > *")).right + 2).map((e) => `${e.tagName} ${e.textContent.slice(0, 30)}`);
          const overlaps = parts.flatMap((a, i) => parts.slice(i + 1).filter((b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1).map((b) => `${a.name} over ${b.name}`));
          const out = parts.filter((p) => p.left < inside.left || p.right > inside.right || p.top < inside.top || p.bottom > inside.bottom).map((p) => p.name);
          return { scrolls: page.scrollHeight > innerHeight || page.scrollWidth > innerWidth, cut, overlaps, out, frameSeen: inside.left >= 0 && inside.top >= 0 && inside.right <= innerWidth && inside.bottom <= innerHeight };
        });
        assert.deepEqual(found, { scrolls: false, cut: [], overlaps: [], out: [], frameSeen: true });
      });
    }
  }

  test("score, band, drivers and countries are those of the interface, and the frame has the band's colour", async () => {
    const page = await open({ says: { band: "high" } });
    const explained = fixture.world.explain(fixture.world.state.tick);
    assert.equal(await page.getByTestId("score").innerText(), explained.score.toFixed(1));
    assert.equal((await page.getByTestId("band").innerText()).toLowerCase(), "high");
    assert.equal(await page.locator(".why li").count(), 5);
    const named = fixture.world.countries(fixture.world.state.tick).countries[0];
    assert.ok((await page.locator(".map ol").innerText()).includes(`${named.name} ${named.score.toFixed(1)}`));
    const [frame, high] = await page.evaluate(() => {
      const probe = document.body.appendChild(document.createElement("i"));
      probe.style.color = "var(--high)";
      return [getComputedStyle(document.querySelector(".inside")).borderTopColor, getComputedStyle(probe).color];
    });
    assert.equal(frame, high);
  });

  test("headlines take turns, nothing stays in its place, and the age is shown", async () => {
    const page = await open({ held: true });
    const place = () => page.getByTestId("score").boundingBox();
    const [first, at] = [await page.getByTestId("headline").innerText(), await place()];
    await page.getByTestId("updated").getByText(/^updated just now$/).waitFor();
    await pass(page, 13_000);
    await page.waitForFunction((t) => document.querySelector('[data-testid="headline"]')?.textContent !== t, first);
    await pass(page, 60_000);
    await page.waitForFunction((x) => Math.abs(document.querySelector('[data-testid="score"]').getBoundingClientRect().x - x) >= 1, at.x);
    await pass(page, 600_000);
    await page.waitForFunction((x) => Math.abs(document.querySelector('[data-testid="score"]').getBoundingClientRect().x - x) > 400, at.x);
    // Published ten seconds before the start; 683 seconds later, give or take the two steps that a clock is read late by, this is:
    assert.equal(await page.getByTestId("updated").innerText(), "updated 11 min ago");
  });

  test("a lost connection is said and the score stays with its age", async () => {
    const page = await open();
    const before = await page.getByTestId("score").innerText();
    fixture.control.down = true;
    fixture.dropStreams();
    await page.getByText("No connection to the service.").waitFor();
    assert.match(await page.getByTestId("updated").innerText(), /no connection$/);
    assert.equal(await page.getByTestId("score").innerText(), before);
  });

  test("Escape leaves to the overview, and the footer leads back", async () => {
    const page = await open();
    await page.keyboard.press("Escape");
    await page.getByRole("navigation", { name: "Views" }).waitFor();
    assert.equal(new URL(page.url()).search, "");
    await page.getByRole("link", { name: "Wall display" }).click();
    await page.locator(".wall").waitFor();
    assert.equal(new URL(page.url()).search, "?wall");
  });
});
