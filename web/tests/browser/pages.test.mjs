// /method and /validation: opened by their address, reached by links, left again, and saying what the service says.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
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
async function open(path) {
  fixture = await startFixture();
  view = await openPage(browser);
  await view.page.goto(`${fixture.url}${path}#key=${KEY}`);
  return view.page;
}

test("the method is shown as the service describes it: every input with its weight, levels, changes, the command", async () => {
  const page = await open("/method");
  const { method, changes } = fixture.world;
  const explained = fixture.world.explain(fixture.world.state.tick);
  const weights = page.getByTestId("weights");
  for (const i of method.indicators) {
    const row = weights.locator(`tr[data-key="${i.key}"]`);
    await row.getByText(i.description).waitFor();
    assert.equal(await row.locator(".n").innerText(), i.weight === 0 ? "shown, not scored" : `${Math.round(i.weight * 100)} %`, i.key);
  }
  for (const [pillar, weight] of Object.entries(method.pillars)) await weights.getByRole("heading", { name: `${pillar.replace("_", " ")}: ${Math.round(weight * 100)} % of the score` }).waitFor();
  await page.getByTestId("forecast").getByText(fixture.world.meaning(fixture.world.state.tick).forecast).waitFor();
  for (const c of changes.changes) await page.getByTestId("changes").getByRole("heading", { name: c.title, exact: true }).first().waitFor();
  await page.getByText(`/v1/snapshots/${explained.snapshot}/inputs | gsi recompute -`).waitFor();
});

test("their addresses can be kept: reload, links, back and the moment in time", async () => {
  const page = await open("/validation");
  await page.getByRole("heading", { level: 1, name: "Can I trust it?" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Can I trust it?" }).waitFor();
  await page.getByRole("link", { name: "How the number is made" }).click();
  await page.getByRole("heading", { level: 1, name: "How the number is made" }).waitFor();
  assert.equal(new URL(page.url()).pathname, "/method");
  await page.getByRole("button", { name: "One step back, 15 minutes" }).click();
  await page.waitForURL(/\/method\?as_of=/);
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await page.getByTestId("score").waitFor();
  assert.match(page.url(), /\/\?as_of=/);
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "How the number is made" }).waitFor();
});

test("every crisis and every failure is listed, and the picture is there", async () => {
  const page = await open("/validation");
  await page.getByText(/crises it is judged by$/).click();
  for (const c of fixture.world.crises.crises) await page.getByRole("rowheader", { name: c.name, exact: true }).first().waitFor();
  await page.locator(".picture img").scrollIntoViewIfNeeded();
  await page.waitForFunction(() => document.querySelector(".picture img").naturalWidth > 0);
});
