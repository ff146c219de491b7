// What the map shows in addition to events: off until selected, kept in the address, listed in the table.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, afterEach, before, test } from "node:test";
import { KEY, startFixture } from "../fixture/server.mjs";
import { launch, openPage } from "./browser.mjs";

const axeSource = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
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
/** The recorded day is quiet everywhere. */
const CUT_OFF = { id: "IR", name: "Iran", country: "IR", lat: null, lon: null, value: 62, severity: "most of the day", level: 3, day: "2026-11-13" };
async function open(search, options = {}) {
  fixture = await startFixture();
  fixture.world.state.layers.outages = { marks: [CUT_OFF] };
  view = await openPage(browser, options);
  await view.page.goto(`${fixture.url}/${search}#key=${KEY}`);
  await view.page.getByRole("group", { name: "Layers" }).waitFor();
  return view.page;
}
const asked = () => fixture.requests.filter((r) => r.startsWith("/v1/layers"));
const layer = (key) => fixture.world.layers(fixture.world.state.tick).layers.find((l) => l.key === key);
const box = (page, name) => page.getByRole("checkbox", { name });

test("a layer is off and not asked for until it is wanted; then it is in the address, on the map and in the table", async () => {
  const page = await open("?view=events");
  await page.locator("svg[data-marks]").waitFor();
  assert.deepEqual(asked(), []);
  for (const name of ["Internet outages", "Chokepoints", "Earthquakes", "Disaster alerts"]) assert.equal(await box(page, name).isChecked(), false, name);
  await box(page, "Earthquakes").check();
  await page.waitForURL(/[?&]layers=quakes$/);
  const table = page.getByTestId("layer-table");
  await table.getByText(layer("quakes").attribution).waitFor();
  assert.equal(await page.locator("[data-mark]").count(), layer("quakes").marks.length);
  assert.equal(await table.locator("tbody tr").count(), layer("quakes").marks.length);
  await box(page, "Chokepoints").check();
  await page.waitForURL(/layers=chokepoints,quakes$/);
  await table.getByRole("rowheader", { name: "Suez Canal" }).waitFor();
  assert.equal(asked().length, 1, "both come with one answer");

  await page.reload();
  await table.getByRole("rowheader", { name: "Suez Canal" }).waitFor();
  assert.equal(await box(page, "Earthquakes").isChecked(), true);
  assert.equal(await box(page, "Internet outages").isChecked(), false);
  await page.getByTestId("share-events-map").locator("summary").click();
  assert.match(await page.getByTestId("share-events-map").locator(".line").innerText(), /layers=chokepoints,quakes/);
});

test("a reader without a pointer reaches every mark through the table", async () => {
  const page = await open("?view=events&layers=chokepoints");
  const suez = page.getByTestId("layer-table").getByRole("button", { name: "Suez Canal" });
  await suez.focus();
  await page.locator('[data-mark="chokepoints/suez"].pointed').waitFor();
  await page.locator(".tip").getByText("Suez Canal").waitFor();
});

test("the past is asked for as it was known then", async () => {
  const page = await open("?view=events&layers=outages&as_of=2026-11-10T12:00:00Z");
  await page.getByTestId("layer-table").waitFor();
  assert.deepEqual(asked(), ["/v1/layers?as_of=2026-11-10T12%3A00%3A00Z"]);
});

test("a layer without data says so, and one of a feed that is off as well", async () => {
  fixture = await startFixture();
  fixture.world.state.layers.quakes = { status: "no_data", newest_day: null, marks: [] };
  fixture.world.state.layers.disasters = { key: "another" };
  view = await openPage(browser);
  await view.page.goto(`${fixture.url}/?view=events&layers=quakes,disasters#key=${KEY}`);
  const table = view.page.getByTestId("layer-table");
  await table.getByText(/Nothing is known: no data of .* have come in/).waitFor();
  await table.getByText("this service does not read the feed").waitFor();
});

for (const dark of [false, true]) {
  test(`axe finds nothing, ${dark ? "dark and narrow" : "light and wide"}`, async () => {
    const width = dark ? 360 : 1440;
    const page = await open("?view=events&layers=outages,chokepoints,quakes,disasters", { dark, width, bypassCSP: true });
    await page.getByTestId("layer-table").getByRole("rowheader", { name: "Suez Canal" }).waitFor();
    await page.locator('path[data-mark="outages/IR"]').waitFor();
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.setViewportSize({ width, height: height + 200 });
    await page.evaluate(axeSource);
    const found = await page.evaluate(() => globalThis.axe.run());
    assert.deepEqual(found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160)).slice(0, 3).join(" | ")}`), []);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)) <= 0);
  });
}
