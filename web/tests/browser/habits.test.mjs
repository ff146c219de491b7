// What a reader comes to rely on: it opens without a connection and says so, the place and the focus stay, a phone shows the
// map first, paper looks like paper, and times are shown in local time as well.

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
async function open(search = "", size = {}) {
  fixture = await startFixture();
  view = await openPage(browser, size);
  await view.page.goto(`${fixture.url}/${search}#key=${KEY}`);
  return view.page;
}
const focused = (page) => page.evaluate(() => document.activeElement?.tagName ?? "");

describe("installed and without a connection", () => {
  test("the manifest and its icons are there and understood", async () => {
    const page = await open();
    await page.getByTestId("score").waitFor();
    const session = await view.context.newCDPSession(page);
    const { url, errors } = await session.send("Page.getAppManifest");
    assert.deepEqual(errors, []);
    const manifest = await (await fetch(url)).json();
    for (const icon of manifest.icons) {
      const answer = await fetch(new URL(icon.src, url));
      assert.deepEqual([answer.status, answer.headers.get("content-type")], [200, icon.type]);
    }
    assert.equal(manifest.display, "standalone");
  });

  test("the page opens offline, tells how old what it saw is, and never shows it as the score", async () => {
    const page = await open("", { serviceWorkers: "allow" });
    await page.getByTestId("score").waitFor();
    const shown = await page.getByTestId("score").innerText();
    await page.waitForFunction(async () => (await caches.match("/")) && (await (await caches.open("gsi-shell")).keys()).length > 3 && navigator.serviceWorker.controller);
    const kept = await page.evaluate(async () => (await (await caches.open("gsi-shell")).keys()).map((r) => new URL(r.url).pathname));
    assert.ok(kept.every((p) => p === "/" || p.startsWith("/assets/")), `data were kept: ${kept}`);
    await view.context.setOffline(true);
    await page.reload();
    const seen = page.getByTestId("last-seen");
    await seen.getByText("Not current.").waitFor();
    assert.match(await seen.innerText(), new RegExp(`Last seen in this browser (just now|\\d.* ago):\\s+${shown} `));
    assert.match(await seen.innerText(), /As of 14 Nov 2026, 23:45 UTC/);
    assert.equal(await page.getByTestId("score").count(), 0);
    // A new tab is signed in as well, and knows no more.
    const other = await view.context.newPage();
    await other.goto(`${fixture.url}/`);
    await other.getByTestId("last-seen").getByText("Not current.").waitFor();
    assert.equal(await other.getByTestId("score").count(), 0);
    await other.close();
    await view.context.setOffline(false);
    await page.getByTestId("score").waitFor();
    await page.getByRole("button", { name: "Forget key" }).click();
    assert.equal(await page.evaluate(() => localStorage.getItem("gsi.seen")), null);
    // Signed out, no service can say whether a key is right.
    await view.context.setOffline(true);
    await page.reload();
    await page.getByText("No connection.").waitFor();
    assert.equal(await page.getByTestId("last-seen").count(), 0);
  });
});

describe("time", () => {
  test("headings tell how long ago and what the reader's clock showed, in the reader's words", async () => {
    const page = await open("", { timezoneId: "America/New_York", locale: "de-DE" });
    await page.getByTestId("score").waitFor();
    assert.match(await page.locator(".gauge").getByTestId("relative").innerText(), /^ ?· (just now|\d+ .*ago) · 18:45 your time$/);
    await page.goto(`${fixture.url}/?as_of=2026-11-10T02:00:00Z`);
    await page.getByText("You are looking at the past:").waitFor();
    assert.match(await page.locator(".banner.past").innerText(), /10 Nov 2026, 02:00 UTC · 4 d 21 h ago · Mo 21:00 your time/);
  });

  test("a reader whose clock is UTC does not see the same time twice", async () => {
    const page = await open("", { timezoneId: "UTC" });
    await page.getByTestId("score").waitFor();
    assert.match(await page.locator(".gauge").getByTestId("relative").innerText(), /just now|ago/);
    assert.doesNotMatch(await page.locator(".gauge").getByTestId("relative").innerText(), /your time/);
  });
});

describe("the place stays", () => {
  test("a reload and a step back lead to where the reader was", async () => {
    const page = await open("?range=30d");
    await page.getByTestId("hottest").locator("li").nth(4).waitFor();
    await page.locator("#history-head").evaluate((e) => window.scrollTo(0, e.getBoundingClientRect().top - 100));
    await page.waitForFunction(() => (history.state?.y ?? 0) > 300);
    const y = await page.evaluate(() => scrollY);
    await page.reload();
    await page.waitForFunction((was) => Math.abs(scrollY - was) < 3, y);
    assert.equal(new URL(page.url()).search, "?range=30d");
    await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Feeds" }).click();
    await page.getByRole("heading", { level: 1, name: "Feeds" }).waitFor();
    await page.waitForFunction(() => scrollY === 0);
    await page.goBack();
    await page.waitForFunction((was) => Math.abs(scrollY - was) < 3, y);
  });

  test("on a phone the map comes before the filters, for the eye and for the keyboard", async () => {
    const page = await open("?view=events", { width: 390, height: 844 });
    await page.getByRole("application").waitFor();
    const order = await page.evaluate(() => [...document.querySelectorAll('[aria-roledescription="map"], [aria-label="Filters"], [data-testid="event-list"]')].map((e) => ({ name: e.getAttribute("aria-roledescription") ?? e.getAttribute("aria-label") ?? "list", top: e.getBoundingClientRect().top })));
    assert.deepEqual(order.map((o) => o.name), ["map", "Filters", "list"]);
    assert.deepEqual([...order].sort((a, b) => a.top - b.top), order);
  });
});

describe("the focus", () => {
  test("is never lost when what has it goes away", async () => {
    const page = await open("?as_of=2026-11-10T12:00:00Z");
    const steps = [
      async () => page.getByRole("link", { name: "Return to live" }).press("Enter"),
      async () => (await page.goto(`${fixture.url}/?as_of=2026-11-10T12:00:00Z`), page.getByRole("button", { name: "Live", exact: true }).press("Enter")),
      async () => (await page.goto(`${fixture.url}/?view=events&country=UA&category=kinetic`), page.getByRole("button", { name: "Remove Ukraine" }).press("Enter")),
      async () => page.getByRole("link", { name: "Clear all filters" }).press("Enter"),
      async () => (await page.getByTestId("event-list").getByRole("link").first().press("Enter"), page.getByRole("link", { name: "Close the event" }).press("Enter")),
      async () => (await page.goto(`${fixture.url}/?vs=2026-11-13T12:00:00Z`), page.getByRole("link", { name: "Close ×" }).press("Enter")),
    ];
    for (const [i, step] of steps.entries()) {
      await step();
      await page.waitForTimeout(400);
      assert.notEqual(await focused(page), "BODY", `step ${i + 1}`);
    }
  });

  for (const [width, height] of [[1440, 900], [390, 844]]) {
    test(`is never hidden under the header or the time bar at ${width} x ${height}`, async () => {
      const page = await open("", { width, height });
      await page.getByTestId("hottest").locator("li").nth(4).waitFor();
      await page.locator("section.bar").waitFor();
      await page.waitForTimeout(800);
      const hidden = [];
      let seen = 0;
      for (let i = 0; i < 60; i++) {
        await page.keyboard.press("Tab");
        const found = await page.evaluate(() => {
          const e = document.activeElement;
          if (!e || e === document.body) return null;
          const box = e.getBoundingClientRect();
          const [bar, header] = [document.querySelector("section.bar"), document.querySelector("header")];
          if (bar?.contains(e) || header?.contains(e) || e.classList.contains("skip")) return { ok: true };
          const top = getComputedStyle(header).position === "sticky" ? header.getBoundingClientRect().bottom : 0;
          const under = box.height < innerHeight / 2 && (box.bottom > bar.getBoundingClientRect().top + 1 || box.top < top - 1);
          return { ok: !under, name: `${e.tagName} ${(e.getAttribute("aria-label") ?? e.textContent).trim().slice(0, 40)} ${Math.round(box.top)} to ${Math.round(box.bottom)}` };
        });
        if (!found) continue;
        seen += 1;
        if (!found.ok) hidden.push(found.name);
      }
      assert.ok(seen > 40, `only ${seen} stops`);
      assert.deepEqual(hidden, []);
    });
  }
});

test("every view prints light, without controls, with its address", async () => {
  const page = await open("", { dark: true });
  for (const search of ["", "?view=pillar&pillar=macro", "?view=countries", "?view=countries&country=UA", "?view=events", "?view=briefings", "?view=feeds", "?vs=2026-11-13T12:00:00Z"]) {
    await page.emulateMedia({ media: "screen", colorScheme: "dark" });
    await page.goto(`${fixture.url}/${search}`);
    await page.locator(".panel").first().waitFor();
    await page.waitForTimeout(500);
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    const found = await page.evaluate(() => ({
      paper: getComputedStyle(document.documentElement).backgroundColor,
      ink: getComputedStyle(document.body).color,
      controls: [...document.querySelectorAll(".button, .segments, section.bar, nav[aria-label=Views]")].filter((e) => e.getClientRects().length > 0).map((e) => e.className),
      address: document.querySelector("footer .print-only")?.getClientRects().length ?? 0,
    }));
    assert.deepEqual(found.controls, [], search);
    assert.equal(found.paper, "rgb(255, 255, 255)", search);
    assert.equal(found.ink, "rgb(18, 22, 29)", search);
    assert.ok(found.address > 0, `${search} prints no address`);
    assert.ok((await page.pdf()).length > 8_000, search);
  }
});
