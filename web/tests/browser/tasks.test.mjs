// What people come for, done as they would do it: each task begins on the overview, ends with the right answer, and takes no
// more clicks than it says. What is typed is not counted; what is pressed is.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before, describe, test } from "node:test";
import { KEY, startFixture } from "../fixture/server.mjs";
import { launch, openPage } from "./browser.mjs";
import { startDemo } from "./service.mjs";

const DAY = 86_400_000;
let browser, demo, view, clicks;
before(async () => {
  browser = await launch();
  demo = await startDemo({ days: 40, scenario: "several" });
});
after(async () => {
  await browser?.close();
  await demo?.stop();
});
afterEach(async () => {
  const complaints = view?.complaints ?? [];
  await view?.context.close();
  view = undefined;
  assert.deepEqual(complaints, [], "the page complained");
});

async function overview({ url, key } = demo) {
  clicks = 0;
  view = await openPage(browser, { permissions: ["clipboard-read", "clipboard-write", "notifications"] });
  // What the browser would show its user.
  await view.page.addInitScript(() => {
    globalThis.shown = [];
    const Real = globalThis.Notification;
    globalThis.Notification = class { static permission = Real.permission; static requestPermission = () => Real.requestPermission(); constructor(title, { body }) { globalThis.shown.push(`${title}: ${body}`); } };
  });
  await view.page.goto(`${url}/#key=${key}`);
  await view.page.getByTestId("score").waitFor();
  return view.page;
}
async function click(target) {
  clicks += 1;
  await target.click();
}
const within = (most) => assert.ok(clicks <= most, `took ${clicks} clicks, at most ${most} wanted`);
const saved = async (page, target) => {
  const file = page.waitForEvent("download");
  await click(target);
  return readFile(await (await file).path(), "utf8");
};

describe("from the overview", () => {
  test("what changed: is said without a click", async () => {
    const page = await overview();
    const explained = await demo.get("/v1/global-stability/explain");
    await page.getByTestId("why-sentence").waitFor();
    const sentence = await page.getByTestId("why-sentence").innerText();
    assert.match(sentence, explained.delta_24h === 0 ? /^Unchanged/ : explained.delta_24h > 0 ? /^Up / : /^Down /);
    assert.ok(sentence.includes(Math.abs(explained.delta_24h).toFixed(1)), sentence);
    const effect = (i) => Math.abs((i.data_effect ?? 0) + (i.coverage_effect ?? 0));
    const most = explained.pillars.flatMap((p) => p.indicators).sort((a, b) => effect(b) - effect(a) || a.key.localeCompare(b.key))[0];
    const first = await page.getByTestId("why").locator(".drivers details .name").first().innerText();
    assert.ok(first.toLowerCase().replace(/[()\s]/g, "").startsWith(most.key.replaceAll("_", "")), `${first}, not ${most.key}`);
    within(0);
  });

  test("worst day of the last month: two clicks", async () => {
    const page = await overview();
    await click(page.getByRole("link", { name: "Compare with yesterday" }));
    await click(page.getByRole("link", { name: "Worst of 30 days" }));
    await page.waitForFunction(() => document.querySelector('nav [aria-current="true"]')?.textContent === "Worst of 30 days" && document.querySelector('[data-testid="score-then"]'));
    const now = await demo.get("/v1/global-stability");
    const from = new Date(Date.parse(now.as_of) - 30 * DAY).toISOString().replace(/\.\d+Z$/, "Z");
    // Of what was published before: now may well be the worst, and is what it is compared with.
    const hours = (await demo.get(`/v1/global-stability/history?step=1h&from=${from}&to=${now.as_of}`)).points;
    const worst = Math.max(...hours.map((p) => p.max));
    await page.waitForFunction((s) => document.querySelector('[data-testid="score-then"]').textContent === s, worst.toFixed(1));
    const day = new URL(page.url()).searchParams.get("vs").slice(0, 10);
    assert.ok(hours.some((p) => p.max === worst && p.at.startsWith(day)), `${day} was not the day of ${worst}`);
    within(2);
  });

  test("how is Ukraine: two clicks and a few letters", async () => {
    const page = await overview();
    await click(page.getByRole("link", { name: "Countries", exact: true }));
    await page.getByLabel("Find a country").fill("ukr");
    await click(page.getByRole("row").getByRole("link", { name: "Ukraine" }));
    await page.getByRole("heading", { level: 1, name: "Ukraine" }).waitFor();
    const explained = await demo.get("/v1/countries/UA");
    await page.waitForFunction((s) => document.querySelector('[data-testid="country-score"]')?.textContent === s, explained.score.toFixed(1));
    within(2);
  });

  test("export a year: two clicks", async () => {
    const page = await overview();
    await click(page.getByRole("link", { name: "1 y", exact: true }));
    await page.waitForURL(/range=1y/);
    const now = await demo.get("/v1/global-stability");
    const from = new Date(Date.parse(now.as_of) - 365 * DAY).toISOString().replace(/\.\d+Z$/, "Z");
    const days = (await demo.get(`/v1/global-stability/history?step=1d&from=${from}`)).points;
    const rows = (await saved(page, page.getByRole("button", { name: "History as a CSV file" }))).trim().split("\r\n");
    assert.equal(rows.shift(), "from,last,min,max,published_at");
    assert.deepEqual(rows.map((r) => r.split(",").slice(0, 2).join(" ")), days.map((p) => `${p.at} ${p.last}`));
    within(2);
  });

  test("cite this: two clicks", async () => {
    const page = await overview();
    await click(page.getByText("Cite this"));
    await click(page.getByRole("button", { name: "Copy the citation" }));
    await page.getByText("Copied. It carries no key.").waitFor();
    const line = await page.evaluate(() => navigator.clipboard.readText());
    const explained = await demo.get("/v1/global-stability/explain");
    for (const part of [explained.score.toFixed(1), explained.snapshot, explained.method.version]) assert.ok(line.includes(part), `${part} is not in ${line}`);
    // A reader who follows the link finds the same number.
    const asOf = new URL(/http\S+$/.exec(line)[0]).searchParams.get("as_of");
    assert.equal((await demo.get(`/v1/global-stability/explain?as_of=${asOf}`)).snapshot, explained.snapshot);
    within(2);
  });

  test("an alert at 50: three clicks, and one notification", async () => {
    const fixture = await startFixture();
    try {
      fixture.world.state.says = { score: 48.2 };
      const page = await overview({ url: fixture.url, key: KEY });
      await page.waitForFunction(() => document.querySelector(".pulse.stream"));
      await click(page.getByRole("link", { name: "Alerts", exact: true }));
      await click(page.getByText("Be told"));
      await page.getByLabel("When the score reaches").fill("50");
      await click(page.getByRole("button", { name: "Notify me in this browser" }));
      await page.getByRole("button", { name: "Stop notifications" }).waitFor();
      await page.getByText("gsi hook create --name desk --url https://… --when 'score >= 50'").waitFor();
      within(3);
      for (const [score, count] of [[49.9, 0], [50.4, 1], [51.0, 1], [49.0, 1], [50.0, 2]]) {
        fixture.world.state.says = { score };
        const before = await page.locator(".live .number").innerText();
        fixture.tick();
        await page.waitForFunction((t) => document.querySelector(".live .number")?.textContent !== t, before);
        assert.equal(await page.evaluate(() => globalThis.shown.length), count, `at ${score}`);
      }
      assert.equal(await page.evaluate(() => globalThis.shown[0]), "Score (simulated data): The score is 50.4, at or above 50.");
    } finally {
      await fixture.stop();
    }
  });

  test("can I trust it: one click to what was tested, what fails, and that it forecasts nothing", async () => {
    const page = await overview();
    await click(page.getByRole("link", { name: "Can I trust it?" }));
    await page.waitForURL(/\/validation$/);
    const document = await readFile(new URL("../../../docs/validation.md", import.meta.url), "utf8");
    const failures = document.split("## What fails")[1].split("What is known about why")[0].match(/^- /gm).length;
    await page.getByRole("heading", { name: `What fails: ${failures} figures below what is wanted` }).waitFor();
    const area = /\| composite \| \*\*([\d.]+)\*\*/.exec(document)[1];
    await page.getByRole("row", { name: new RegExp(`^The score ${(Number(area) * 100).toFixed(1)}`) }).waitFor();
    const forecast = page.getByTestId("forecast");
    await forecast.getByText("does not forecast").waitFor();
    assert.equal(await forecast.innerText(), (await demo.get("/v1/global-stability/meaning")).forecast);
    const { crises } = await demo.get("/v1/crises");
    await page.getByText(`The ${crises.length} crises it is judged by`).waitFor();
    within(1);
  });
});
