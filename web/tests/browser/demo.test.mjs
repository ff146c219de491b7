// The page against the real binary and its simulated world. GSI_BINARY names the binary.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, afterEach, before, describe, test } from "node:test";
import { launch, openPage } from "./browser.mjs";
import { BINARY, startDemo } from "./service.mjs";

if (!BINARY) throw new Error("GSI_BINARY must name the gsi binary, for example target/release/gsi");

/** With another binary than the page's own, what the binary says of its pages is not tested. */
const IN_FRONT = process.env.TEST_FRONT ? "the page is served in front of the binary" : false;
let browser, view;
before(async () => (browser = await launch()));
after(async () => browser?.close());
afterEach(async () => {
  const complaints = view?.complaints ?? [];
  await view?.context.close();
  view = undefined;
  assert.deepEqual(complaints, [], "the page complained");
});
async function open(demo, search = "", options = {}) {
  view = await openPage(browser, options);
  await view.page.goto(`${demo.url}/${search}#key=${demo.key}`);
  return view.page;
}
const number = (text) => Number(text.replace("−", "-").replace(/[+±]/, ""));

describe("a calm world, standing still", () => {
  let demo;
  before(async () => {
    demo = await startDemo();
    assert.ok(demo.embedded || IN_FRONT, "the binary carries no page");
  });
  after(async () => demo?.stop());

  test("first load shows the score, four pillars, the time and that it is simulated", async () => {
    const page = await open(demo);
    const served = await demo.get("/v1/global-stability");
    // Built behind the page that says that it loads, and read when it is on show.
    await page.getByTestId("score").waitFor();
    assert.equal(await page.getByTestId("score").innerText(), served.score.toFixed(1));
    const body = await page.locator("body").innerText();
    for (const word of ["Conflict", "Cyber", "Supply chain", "Macro", "UTC", "90 % range"]) assert.ok(body.includes(word), word);
    assert.match(body, /simulated data/i);
    for (const score of Object.values(served.pillars)) assert.ok(body.includes(score.toFixed(1)), String(score));
    await page.getByText(/Their parts add up to/).waitFor();
    const parts = (await page.locator(".pillar .foot b").allInnerTexts()).map(number);
    assert.equal(parts.reduce((a, b) => a + Math.round(b * 10), 0), Math.round(served.score * 10));
  });

  test("the key becomes a session, which reads and streams by itself and can be ended", async () => {
    const page = await open(demo);
    await page.waitForFunction(() => localStorage.getItem("gsi.session.end") !== null);
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
    assert.ok(!stored.includes(demo.key), "no script can read the key");
    const [cookie] = await view.context.cookies();
    assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.value.includes(demo.key)], [true, "Strict", false]);
    const streams = page.waitForResponse((answer) => new URL(answer.url()).pathname === "/stream");
    await page.reload();
    await page.getByTestId("score").waitFor();
    const stream = await streams;
    assert.deepEqual([stream.status(), stream.request().headers().authorization], [200, undefined]);
    await page.getByRole("button", { name: "Forget key" }).click();
    await page.getByLabel("API key").waitFor();
    await page.waitForTimeout(500);
    assert.deepEqual(await view.context.cookies(), []);
  });

  test("why: the bars add up to the change that the interface gives, and open their input", async () => {
    const page = await open(demo);
    const served = await demo.get("/v1/global-stability/explain");
    await page.getByTestId("why").locator("[data-total]").waitFor();
    const shown = (await page.getByTestId("why").locator(".value").allInnerTexts()).map(number);
    assert.equal(shown.at(-1), served.delta_24h);
    assert.equal(shown.slice(0, -1).reduce((a, b) => a + Math.round(b * 100), 0), Math.round(served.delta_24h * 100));
    assert.equal(shown.length, 7, "five inputs, the rest, the sum");
    await page.getByTestId("why").locator(".drivers summary").first().click();
    await page.getByTestId("why").getByText(/^.*Source: /).first().waitFor();
  });

  test("how it is made: the weights, what a level has meant, and the command for this very snapshot", async () => {
    const page = await open(demo);
    // The reconstructed past is computed in the first seconds of a service.
    let meaning = await demo.get("/v1/global-stability/meaning");
    while (!meaning.forecast) {
      await new Promise((done) => setTimeout(done, 500));
      meaning = await demo.get("/v1/global-stability/meaning");
    }
    const explained = await demo.get("/v1/global-stability/explain");
    await page.getByText("How is this made?").click();
    const how = page.getByTestId("how");
    await how.getByText(meaning.forecast).waitFor();
    for (const l of meaning.levels) await how.getByRole("row", { name: new RegExp(`^${l.band} ${l.from} to ${l.to} `) }).waitFor();
    await how.getByText(`/v1/snapshots/${explained.snapshot}/inputs | gsi recompute -`).waitFor();
    for (const p of explained.pillars) assert.ok((await how.innerText()).includes(`${Math.round(p.weight * 100)} %`), p.pillar);
  });

  test("simulated is said on every view", async () => {
    const page = await open(demo);
    for (const search of ["", "?view=pillar&pillar=cyber", "?view=events", "?view=alerts&state=all", "?view=briefings", "?view=feeds", "?embed=gauge"]) {
      await page.goto(`${demo.url}/${search}`);
      await page.getByText(/^simulated data$/i).first().waitFor();
    }
  });

  test("a wrong key is refused and said so", async () => {
    view = await openPage(browser);
    await view.page.goto(`${demo.url}/#key=gsi_wrong`);
    await view.page.getByText("This key is not valid.").waitFor();
  });

  for (const pillar of ["conflict", "cyber", "supply_chain", "macro"]) {
    test(`drilldown of ${pillar} adds up to the score and to the change`, async () => {
      const page = await open(demo, `?view=pillar&pillar=${pillar}`);
      const served = await demo.get(`/v1/global-stability/pillar/${pillar}`);
      await page.getByTestId("level").locator("[data-total]").waitFor();
      const column = async (id) => (await page.getByTestId(id).locator("td.value").allInnerTexts()).map(number);
      const level = await column("level");
      assert.equal(level.at(-1), served.score);
      assert.equal(level.slice(0, -1).reduce((a, b) => a + Math.round(b * 10), 0), Math.round(served.score * 10));
      const change = await column("change");
      if (change.length > 0) {
        const [start, ...rest] = change;
        const end = rest.pop();
        assert.equal(end, served.score);
        assert.equal(Math.round(100 * (end - start)), Math.round(100 * served.delta_24h));
        assert.equal(rest.reduce((a, b) => a + Math.round(b * 100), Math.round(start * 100)), Math.round(end * 100));
      }
      for (const i of served.indicators) await page.locator(`.indicators tr[data-key="${i.key}"] th`).waitFor();
    });
  }

  test("filters go into the address bar, the list pages without repeating, and back restores", async () => {
    const page = await open(demo, "?view=events");
    const list = page.getByTestId("event-list");
    const ids = async () => list.locator("li a").evaluateAll((all) => all.map((a) => new URL(a.href).searchParams.get("event")));
    await list.locator("li").first().waitFor();
    const first = await ids();
    await list.getByRole("button", { name: "Older ›" }).click();
    await page.getByText("page 2").waitFor();
    await page.waitForFunction((id) => !document.querySelector(`[data-testid="event-list"] a[href*="${id}"]`), first[0]);
    const second = await ids();
    assert.equal(new Set([...first, ...second]).size, first.length + second.length);
    const served = await demo.get("/v1/conflict?limit=50");
    assert.deepEqual([...first, ...second], served.events.map((e) => e.id).slice(0, first.length + second.length));

    await page.getByRole("button", { name: "Kinetic" }).click();
    await page.waitForURL(/category=kinetic/);
    await page.getByText("page 1").waitFor();
    await page.waitForFunction(() => [...document.querySelectorAll('[data-testid="event-list"] li a')].every((a) => a.textContent.startsWith("Kinetic")));
    const kinetic = await demo.get("/v1/conflict?limit=25&category=kinetic");
    assert.deepEqual(await ids(), kinetic.events.map((e) => e.id));

    await list.locator("li a").first().click();
    await page.getByRole("heading", { name: "Sources" }).waitFor();
    assert.match(page.url(), /event=evt_/);
    await page.goBack();
    await page.getByRole("heading", { name: "Sources" }).waitFor({ state: "detached" });
    await page.getByText("Clear all filters").click();
    assert.equal(new URL(page.url()).search, "?view=events");
  });

  test("a filter that matches nothing says so", async () => {
    const page = await open(demo, "?view=events&actor=nobody-is-called-this");
    await page.getByText("No event matches these filters.").waitFor();
  });

  test("time travel sets the moment of the whole page", async () => {
    const page = await open(demo);
    await page.getByTestId("score").waitFor();
    const slider = page.getByLabel("Moment shown on the whole page");
    await slider.focus();
    for (let i = 0; i < 8; i++) await page.keyboard.press("ArrowLeft");
    await page.waitForURL(/as_of=2026-11-14T10:00:00Z/);
    await page.getByText("You are looking at the past:").waitFor();
    const then = await demo.get("/v1/global-stability?as_of=2026-11-14T10:00:00Z");
    await page.waitForFunction((s) => document.querySelector('[data-testid="score"]')?.textContent === s, then.score.toFixed(1));
    const summary = await demo.get("/v1/summaries?as_of=2026-11-14T10:00:00Z");
    await page.getByText(summary.summary.slice(0, 60)).first().waitFor();
    await page.getByRole("link", { name: "Events", exact: true }).click();
    await page.waitForURL(/view=events.*as_of=2026-11-14T10:00:00Z/);
    const events = await demo.get("/v1/conflict?limit=1&as_of=2026-11-14T10:00:00Z");
    await page.locator(`[data-testid="event-list"] a[href*="${events.events[0].id}"]`).waitFor();
    await page.getByRole("link", { name: "Return to live" }).click();
    await page.getByText("You are looking at the past:").waitFor({ state: "detached" });
  });

  test("briefings are read and printed", async () => {
    const page = await open(demo, "?view=briefings");
    const served = await demo.get("/v1/briefings?limit=1&tag=global");
    await page.getByRole("article").getByRole("heading", { name: served.briefings[0].headline }).waitFor();
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.getByRole("navigation", { name: "Views" }).isVisible(), false);
    assert.equal(await page.getByRole("article").isVisible(), true);
    assert.ok((await page.pdf()).length > 5_000);
  });

  test("alerts are listed as the service lists them, and one is shown with its course", async () => {
    const page = await open(demo, "?view=alerts");
    const active = await demo.get("/v1/alerts?state=active&limit=25");
    if (active.alerts.length === 0) await page.getByText("Nothing is on alert.").waitFor();
    await page.getByRole("link", { name: "Ended too" }).click();
    await page.waitForURL(/state=all/);
    const { alerts } = await demo.get("/v1/alerts?limit=25");
    const list = page.getByRole("region", { name: "All alerts" });
    await list.getByRole("link", { name: alerts[0].headline }).first().waitFor();
    assert.deepEqual(await list.locator("li a").allInnerTexts(), alerts.map((a) => a.headline));
    await page.getByRole("article").getByRole("heading", { name: alerts[0].headline }).waitFor();
    await page.context().grantPermissions(["notifications"]);
    await page.getByText("Be told").click();
    await page.getByRole("button", { name: "Notify me in this browser" }).click();
    await page.getByRole("button", { name: "Stop notifications" }).click();
    await list.getByRole("link", { name: "Grave event" }).click();
    await page.waitForURL(/rule=event/);
    const grave = await demo.get("/v1/alerts?rule=event&limit=1");
    if (grave.alerts.length === 0) return page.getByText("Nothing has been on alert.").waitFor();
    const explained = await demo.get(`/v1/alerts/${grave.alerts[0].id}`);
    await page.getByRole("article").getByText(`${explained.fired.last_365_days} time`).waitFor();
    await page.getByRole("link", { name: "The event" }).click();
    await page.waitForURL(new RegExp(explained.alert.about));
  });

  test("feeds show their age against their budget", async () => {
    const page = await open(demo, "?view=feeds");
    const served = await demo.get("/v1/feeds");
    for (const f of served.feeds) await page.getByRole("heading", { name: f.title }).waitFor();
  });

  test("everything can be reached with the keyboard alone", async () => {
    const page = await open(demo);
    await page.getByTestId("score").waitFor();
    const tabTo = async (match, most = 80) => {
      for (let i = 0; i < most; i++) {
        await page.keyboard.press("Tab");
        const here = await page.evaluate(() => document.activeElement === document.body ? "" : `${document.activeElement?.getAttribute("aria-label") ?? ""} ${document.activeElement?.textContent?.trim() ?? ""}`);
        if (match.test(here)) return;
      }
      assert.fail(`never reached ${match}`);
    };
    await tabTo(/Skip to the content/);
    await tabTo(/^ Pillars$/);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "What the score is made of" }).waitFor();
    await tabTo(/^ Macro$/);
    await page.keyboard.press("Enter");
    await page.waitForURL(/pillar=macro/);
    await tabTo(/over time/);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Enter");
    await page.waitForURL(/as_of=/);
    await tabTo(/Return to live/, 200);
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => !url.search.includes("as_of"));
    await page.keyboard.press("Shift+Tab");
    await page.goto(`${demo.url}/?view=events`);
    await page.getByTestId("event-list").locator("li").first().waitFor();
    await tabTo(/Kinetic/);
    await page.keyboard.press("Space");
    await page.waitForURL(/category=kinetic/);
    await page.getByTestId("event-list").locator("li").first().waitFor();
    await tabTo(/^ ?Kinetic, /);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Sources" }).waitFor();
    await tabTo(/Close the event/);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Sources" }).waitFor({ state: "detached" });
    await page.goto(`${demo.url}/?view=briefings`);
    await page.getByRole("article").waitFor();
    await tabTo(/^ Print$/);
  });

  test("a phone shows everything without sideways scrolling", async () => {
    const page = await open(demo, "", { width: 360, height: 740, hasTouch: true, isMobile: true });
    for (const search of ["", "?view=pillar&pillar=conflict", "?view=events", "?view=alerts&state=all", "?view=briefings", "?view=feeds"]) {
      await page.goto(`${demo.url}/${search}`);
      await page.locator(".panel").nth(1).waitFor();
      await page.waitForTimeout(600);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(over <= 0, `${search || "overview"} is ${over} px too wide`);
    }
  });

  test("every page of the binary lives under a strict policy", { skip: IN_FRONT }, async () => {
    for (const path of ["/", "/docs", "/problems", "/problems/rate_limited", "/?embed=gauge"]) {
      const { headers } = await fetch(demo.service + path);
      const policy = headers.get("content-security-policy");
      assert.match(policy, /^default-src 'none';/, path);
      assert.doesNotMatch(policy, /unsafe/, path);
      for (const name of ["referrer-policy", "x-content-type-options", "permissions-policy", "cross-origin-opener-policy"]) assert.ok(headers.get(name), `${path} lacks ${name}`);
    }
    // What the policy would have stopped is among the page's complaints, which every test looks at.
    const page = await open(demo);
    await page.getByTestId("score").waitFor();
    await page.goto(`${demo.url}/problems/rate_limited`);
    assert.match(await page.evaluate(() => getComputedStyle(document.body).fontFamily), /system-ui/);
  });

  test("the gauge can stand in another page, the dashboard cannot", { skip: IN_FRONT }, async () => {
    const host = createServer((_, res) => res.writeHead(200, { "content-type": "text/html" }).end(`<iframe id="gauge" width="600" height="400" src="${demo.url}/?embed=gauge#key=${demo.key}"></iframe><iframe id="whole" src="${demo.url}/#key=${demo.key}"></iframe>`));
    await new Promise((done) => host.listen(0, "127.0.0.1", done));
    try {
      view = await openPage(browser);
      await view.page.goto(`http://127.0.0.1:${host.address().port}/`);
      await view.page.frameLocator("#gauge").getByTestId("score").waitFor();
      assert.equal(await view.page.frameLocator("#whole").getByTestId("score").count(), 0);
      const refused = view.complaints.splice(0);
      assert.equal(refused.length, 1, refused.join("\n"));
      assert.match(refused[0], /frame-ancestors/);
    } finally {
      host.close();
    }
  });

  test("the reference renders the contract and a request can be tried", async () => {
    const page = await open(demo);
    await page.getByTestId("score").waitFor();
    await page.goto(`${demo.url}/docs`);
    await page.getByText("/v1/global-stability", { exact: true }).first().click();
    await page.getByRole("button", { name: "Execute" }).first().click();
    await page.getByText('"score"').first().waitFor();
  });

  test("without script the reference is there all the same", { skip: IN_FRONT }, async () => {
    view = await openPage(browser, { javaScriptEnabled: false });
    const { page } = view;
    await page.goto(`${demo.url}/docs`);
    const contract = await (await fetch(`${demo.service}/openapi.json`)).json();
    const operations = Object.values(contract.paths).flatMap((methods) => Object.values(methods));
    for (const { operationId } of operations) assert.ok(await page.locator(`#${operationId}`).isVisible(), operationId);
    await page.getByRole("link", { name: "Overview" }).first().click();
    assert.ok(await page.locator("#schema-Overview").isVisible());
    assert.equal(await page.getByRole("heading", { level: 1 }).count(), 1);
  });
});

describe("a world that moves", () => {
  test("a new snapshot arrives while the page is open, and after a restart it catches up", async () => {
    const demo = await startDemo({ days: 4, scale: 300 });
    try {
      const page = await open(demo);
      await page.getByTestId("score").waitFor();
      await page.waitForFunction(() => document.querySelector(".pulse.stream"));
      const shown = () => page.locator(".live .number").innerText();
      const before = await shown();
      await page.waitForFunction((t) => document.querySelector(".live .number")?.textContent !== t, before);
      await page.getByText(/ since \d+ Nov, /).first().waitFor();
      await demo.kill();
      await page.getByText("No connection to the service.").waitFor();
      const kept = await page.getByTestId("score").innerText();
      assert.match(kept, /^\d+\.\d$/);
      await demo.again();
      await page.getByText("No connection to the service.").waitFor({ state: "detached", timeout: 60_000 });
      const after = await page.locator(".live .number").innerText();
      await page.waitForFunction((t) => document.querySelector(".live .number")?.textContent !== t, after);
    } finally {
      await demo.stop();
    }
  });

  test("silence turns the page degraded and names the feed", async () => {
    const demo = await startDemo({ days: 4, scale: 3_600, scenario: "silence" });
    try {
      const page = await open(demo);
      await page.getByText(/Degraded data\.|Stale data\./).waitFor({ timeout: 90_000 });
      // The status is known a moment before the feeds are.
      await page.locator(".banners").getByText(/GDELT|Known Exploited|OFR|[Oo]il/).waitFor();
    } finally {
      await demo.stop();
    }
  });
});
