// Two moments compared, as a reader does it, against the real binary and its simulated world.

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { KEY, startFixture } from "../fixture/server.mjs";
import { launch, openPage } from "./browser.mjs";
import { startDemo } from "./service.mjs";

let browser, demo, view;
before(async () => {
  browser = await launch();
  demo = await startDemo({ days: 8, scenario: "border_war" });
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
async function open(search = "") {
  view = await openPage(browser);
  await view.page.goto(`${demo.url}/${search}#key=${demo.key}`);
  return view.page;
}
const number = (text) => Number(text.replace("−", "-").replace(/[+±▲▼■\s]/g, ""));
const explain = (asOf) => demo.get(`/v1/global-stability/explain${asOf ? `?as_of=${asOf}` : ""}`);

/** What is on show for the two moments of the address is what the interface says of them, and adds up. */
async function agrees(page) {
  const query = new URL(page.url()).searchParams;
  const [then, now] = [await explain(query.get("vs")), await explain(query.get("as_of"))];
  const shown = (id) => page.getByTestId(id).innerText();
  await page.waitForFunction((s) => document.querySelector('[data-testid="score-then"]')?.textContent === s, then.score.toFixed(1));
  assert.equal(await shown("score-later"), now.score.toFixed(1));
  const bars = (await page.getByTestId("between").locator("td.value").allInnerTexts()).map(number);
  assert.equal(bars[0], then.score);
  assert.equal(bars.at(-1), now.score);
  assert.equal(bars.slice(0, -1).reduce((sum, b) => sum + Math.round(b * 100), 0), Math.round(now.score * 100), "the bars lead from one score to the other");
  const rows = await page.getByTestId("pillars-compared").locator("tbody tr").evaluateAll((all) => all.map((r) => [...r.querySelectorAll("td")].slice(0, 2).map((d) => d.textContent)));
  assert.deepEqual(rows, ["conflict", "cyber", "supply_chain", "macro"].map((p) => [then, now].map((e) => e.pillars.find((x) => x.pillar === p).score.toFixed(1))));
  return { then, now };
}

describe("two moments", () => {
  test("yesterday is one click from the overview, and its difference is the change of the day", async () => {
    const page = await open();
    await page.getByRole("link", { name: "Compare with yesterday" }).click();
    await page.waitForURL(/\?vs=2026-11-13T/);
    const { now } = await agrees(page);
    assert.equal(number(await page.locator(".scores .delta strong").innerText()), now.delta_24h);
    const [a, b] = [await demo.get(`/v1/countries?limit=200&as_of=${new URL(page.url()).searchParams.get("vs")}`), await demo.get("/v1/countries?limit=200")];
    const first = page.getByTestId("countries-moved").locator("tbody tr").first();
    await first.waitFor();
    const moves = b.countries.flatMap((c) => (a.countries.some((x) => x.country === c.country) ? [Math.round(10 * (c.score - a.countries.find((x) => x.country === c.country).score)) / 10] : []));
    assert.equal(Math.abs(number(await first.locator("strong").innerText())), Math.max(...moves.map(Math.abs)));
    // The map is loaded after the rest of the page.
    await page.locator("path.rose, path.rose-far, path.fell, path.fell-far").first().waitFor({ state: "attached" });
  });

  test("last week, the worst of the month and a date can be chosen, and stay in the address", async () => {
    const page = await open("?as_of=2026-11-14T06:00:00Z&vs=2026-11-13T06:14:59Z");
    await agrees(page);
    await page.getByRole("link", { name: "Last week" }).click();
    await page.waitForURL(/vs=2026-11-07T06:14:59Z/);
    await agrees(page);
    await page.getByRole("link", { name: "Worst of 30 days" }).click();
    await page.waitForURL((url) => !url.search.includes("vs=2026-11-07"));
    const { then } = await agrees(page);
    const hours = (await demo.get("/v1/global-stability/history?step=1h&from=2026-10-15T06:00:00Z&to=2026-11-14T06:00:00Z")).points;
    assert.equal(then.score, Math.max(...hours.map((p) => p.max)));
    await page.getByLabel("or a date and time (UTC)").fill("2026-11-10T09:30");
    await page.getByLabel("or a date and time (UTC)").dispatchEvent("change");
    await page.waitForURL(/vs=2026-11-10T09:30:00Z/);
    await agrees(page);
    await page.reload();
    await agrees(page);
    await page.getByRole("link", { name: "Close ×" }).click();
    await page.waitForURL((url) => url.search === "?as_of=2026-11-14T06:00:00Z");
    await page.getByRole("link", { name: "Compare with now" }).click();
    await page.waitForURL((url) => url.search === "?vs=2026-11-14T06:00:00Z");
    await agrees(page);
  });

  test("a moment before the first snapshot is said to be empty", async () => {
    const page = await open("?vs=2020-01-01T00:00:00Z");
    await page.getByText("Nothing was published at that time.").waitFor();
  });

  test("different methods are said plainly", async () => {
    const fixture = await startFixture();
    try {
      const plain = fixture.world.explain;
      // Until noon another method was in force.
      fixture.world.explain = (t) => (t < Date.parse("2026-11-14T12:00:00Z") ? { ...plain(t), method: { version: "0.1.0", digest: "0".repeat(64) } } : plain(t));
      view = await openPage(browser);
      await view.page.goto(`${fixture.url}/?vs=2026-11-13T12:00:00Z#key=${KEY}`);
      await view.page.getByTestId("method-note").getByText(/^The two moments used different methods \(version 0\.1\.0, then version /).waitFor();
      await view.page.goto(`${fixture.url}/?vs=2026-11-14T13:00:00Z`);
      await view.page.getByTestId("score-then").waitFor();
      assert.equal(await view.page.getByTestId("method-note").count(), 0);
    } finally {
      await fixture.stop();
    }
  });
});
