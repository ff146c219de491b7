// Taking things away: every panel can be linked to and cited at its moment; charts become pictures, rows become files.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
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
async function open(search = "", size = {}, world = {}) {
  fixture = await startFixture(world);
  view = await openPage(browser, { permissions: ["clipboard-read", "clipboard-write"], ...size });
  await view.page.goto(`${fixture.url}/${search}#key=${KEY}`);
  return view.page;
}
const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());
const saved = async (page, click) => {
  const file = page.waitForEvent("download");
  await click();
  const done = await file;
  return { name: done.suggestedFilename(), bytes: await readFile(await done.path()) };
};

describe("from every panel", () => {
  const VIEWS = { overview: "", pillar: "?view=pillar&pillar=macro", countries: "?view=countries", country: "?view=countries&country=UA", events: "?view=events", briefings: "?view=briefings", feeds: "?view=feeds", compared: "?vs=2026-11-13T12:00:00Z" };
  test("a citation names the panel, the snapshot and the moment, and carries no key", async () => {
    const page = await open();
    for (const [name, search] of Object.entries(VIEWS)) {
      await page.goto(`${fixture.url}/${search}`);
      await page.locator("details.share").first().waitFor();
      await page.waitForTimeout(400);
      const all = page.locator("details.share");
      assert.ok((await all.count()) >= 1, `${name} has nothing to share`);
      for (let i = 0; i < (await all.count()); i++) {
        const one = all.nth(i);
        await one.locator("summary").click();
        await one.getByRole("button", { name: "Copy citation" }).click();
        await one.getByText("Copied. It carries no key.").waitFor();
        const line = await clipboard(page);
        const explained = fixture.world.explain(fixture.world.state.tick);
        assert.ok(line.startsWith("Simulated data. Global Stability Intelligence: ") && line.includes(explained.snapshot), line);
        assert.equal(new URL(/http\S+$/.exec(line)[0]).searchParams.get("as_of"), "2026-11-14T23:45:20Z", line);
        assert.ok(!line.includes(KEY));
        await page.keyboard.press("Escape");
        assert.equal(await one.getByRole("button", { name: "Copy link" }).isVisible(), false);
      }
    }
  });

  test("charts and maps become pictures that are not empty", async () => {
    const page = await open();
    for (const [search, file] of [["", "history"], ["", "countries"], ["?view=countries&country=UA", "ua"], ["?view=events", "events-map"]]) {
      await page.goto(`${fixture.url}/${search}`);
      const share = page.getByTestId(`share-${file}`);
      await share.locator("xpath=ancestor::*[contains(@class,'panel')]").locator("svg path").first().waitFor({ state: "attached" });
      await share.locator("summary").click();
      const { name, bytes } = await saved(page, () => share.getByRole("button", { name: "PNG" }).click());
      assert.equal(name, `${file}-2026-11-14.png`);
      assert.equal(bytes.subarray(1, 4).toString(), "PNG");
      // Decoded again: with its own size, and with more than the paper and the ink in it.
      const colours = await page.evaluate(async (data) => {
        const image = new Image();
        image.src = `data:image/png;base64,${data}`;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height);
        const pen = canvas.getContext("2d");
        pen.drawImage(image, 0, 0);
        const found = new Set(new Uint32Array(pen.getImageData(0, 0, image.width, image.height).data.buffer));
        return { width: image.width, colours: found.size };
      }, bytes.toString("base64"));
      assert.ok(colours.width > 600 && colours.colours > 20, JSON.stringify(colours));
      await page.keyboard.press("Escape");
    }
  });

  test("events are saved as the service writes them", async () => {
    const page = await open("?view=events&category=kinetic");
    await page.getByTestId("event-list").getByRole("link").first().waitFor();
    const share = page.getByTestId("share-events");
    await share.locator("summary").click();
    const { name, bytes } = await saved(page, () => share.getByRole("button", { name: "CSV" }).click());
    assert.equal(name, "events-2026-11-14.csv");
    assert.equal(bytes.toString().split("\n")[0].trim(), "id,category,occurred_at");
    assert.ok(fixture.control.requests.some((r) => r.includes("format=csv") && r.includes("category=kinetic")));
  });

  test("lists are saved whole, however many pages they have", async () => {
    const ids = (bytes) => bytes.toString().trim().split("\r\n").slice(1).map((row) => row.split(",")[0]);
    const whole = async (page, file) => {
      const share = page.getByTestId(`share-${file}`);
      await share.locator("summary").click();
      const { bytes } = await saved(page, () => share.getByRole("button", { name: "CSV" }).click());
      return ids(bytes);
    };
    const page = await open("?view=briefings", {}, { days: 230 });
    const { briefings, alerts, makeAlert, state } = fixture.world;
    assert.ok(briefings.length > 400);
    await page.getByRole("article").waitFor();
    assert.deepEqual(await whole(page, "briefings"), briefings.map((b) => b.id));
    alerts.push(...Array.from({ length: 450 }, (_, i) => makeAlert(i, state.tick - (i + 2) * 900_000)));
    await page.goto(`${fixture.url}/?view=alerts&state=all`);
    await page.getByRole("article").getByRole("heading", { name: "Alert 0" }).waitFor();
    assert.deepEqual(await whole(page, "alerts"), alerts.map((a) => a.id));
    await page.goto(`${fixture.url}/?view=events&window=30d`);
    await page.getByTestId("event-list").getByRole("link").first().waitFor();
    const listed = fixture.world.events.filter((e) => e.status !== "unconfirmed").map((e) => e.id);
    assert.ok(listed.length > 200);
    assert.deepEqual(await whole(page, "events"), listed);
  });

  test("the embed code shows the gauge", async () => {
    const page = await open();
    await page.getByText("Cite this").click();
    await page.getByRole("button", { name: "Copy embed code" }).click();
    await page.getByText("Copied. It carries no key.").waitFor();
    const code = await clipboard(page);
    const address = /^<iframe src="([^"]+)" width="560" height="380" title="Global stability score"><\/iframe>$/.exec(code)[1];
    await page.goto(address);
    await page.locator("main.embed").getByTestId("score").waitFor();
  });
});
