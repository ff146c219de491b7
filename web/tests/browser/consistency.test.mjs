// Every number and word of the overview against the interface's answer for the same moment, in a real browser. A short run looks
// at twenty moments; TEST_CONSISTENCY_MOMENTS=300 makes it the long one. The moments are spread over the scenarios.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { chance, wire } from "../fixture/world.mjs";
import { launch, openPage } from "./browser.mjs";
import { startDemo } from "./service.mjs";

const MOMENTS = Number(process.env.TEST_CONSISTENCY_MOMENTS ?? 20);
/** The long run goes through every scenario, the short one through the two that differ most. */
const SCENARIOS = MOMENTS > 60 ? ["calm", "border_war", "chokepoint_closure", "worm", "market_crash", "silence"] : ["several", "calm"];
const DAYS = 9;
const END = Date.parse("2026-11-14T12:00:00Z");
const TICK = 900_000;
const DAY = 86_400_000;
const PILLARS = ["conflict", "cyber", "supply_chain", "macro"];
const NAMES = { conflict: "Conflict", cyber: "Cyber", supply_chain: "Supply chain", macro: "Macro" };
const TREND = { up: "Rising: less stable", down: "Falling: more stable", flat: "Steady" };

const one = (n) => (Math.abs(n) < 0.05 ? "0.0" : `${n < 0 ? "−" : ""}${Math.abs(n).toFixed(1)}`);
const signed = (n, places = 1) => (Number(n.toFixed(places)) === 0 ? `±${(0).toFixed(places)}` : `${n > 0 ? "+" : "−"}${Math.abs(n).toFixed(places)}`);
const tidy = (text) => (text ?? "").replace(/\s+/g, " ").trim();

/** What the page has to say, from the interface alone. */
async function expected(demo, asOf) {
  const at = `as_of=${asOf}`;
  const [explained, overview, summary, briefings, feeds, countries] = await Promise.all(
    [`/v1/global-stability/explain?${at}`, `/v1/global-stability?${at}`, `/v1/summaries?${at}`, `/v1/briefings?limit=20&${at}`, "/v1/feeds", `/v1/countries?limit=200&${at}`].map(demo.get),
  );
  assert.equal(overview.score, explained.score, "overview and explanation");
  assert.equal(overview.as_of, explained.as_of);
  const tick = Date.parse(explained.as_of);
  const close = Math.floor((tick - 7 * DAY) / DAY) * DAY + DAY - 1000;
  const before = await demo.get(`/v1/countries?limit=200&as_of=${wire(close)}`);
  const inputs = explained.pillars.flatMap((p) => p.indicators);
  const effect = (i) => (i.data_effect ?? 0) + (i.coverage_effect ?? 0);
  const movers = [...inputs].sort((a, b) => Math.abs(effect(b)) - Math.abs(effect(a)) || a.key.localeCompare(b.key)).slice(0, 5);
  return {
    score: one(explained.score),
    band: explained.band,
    trend: TREND[explained.trend],
    change: explained.delta_basis === "ok" ? signed(explained.delta_24h) : null,
    range: `${one(explained.interval_90.low)} to ${one(explained.interval_90.high)}`,
    confidence: explained.confidence.word,
    asOf: explained.as_of,
    pillars: PILLARS.map((p) => explained.pillars.find((x) => x.pillar === p)).map((p) => ({ name: NAMES[p.pillar], score: one(overview.pillars[p.pillar]), change: p.delta_basis === "ok" ? signed(p.delta_24h) : null })),
    drivers: explained.delta_basis === "ok" ? movers.map((i) => i.key) : [],
    driven: explained.delta_basis === "ok" ? explained.delta_24h : null,
    summary: tidy(summary.summary),
    briefings: briefings.briefings.map((b) => b.headline),
    feeds: new Set(inputs.map((i) => i.feed)).size,
    inputs: inputs.length,
    allFeeds: feeds.feeds.length,
    countries: countries.countries.slice(0, 5).map((c) => {
      const then = before.countries?.find((b) => b.country === c.country);
      return { name: c.name, score: one(c.score), week: then ? signed(Math.round((c.score - then.score) * 10) / 10) : null };
    }),
    scored: countries.countries.length,
    events: await escalated(demo, at, tick),
  };
}

/** The six most escalated events that were active in the last day, found the long way: every event is looked at. */
async function escalated(demo, at, tick) {
  const all = [];
  for (let cursor = ""; cursor !== null; ) {
    const page = await demo.get(`/v1/conflict?limit=200&${at}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    all.push(...page.events);
    cursor = page.next_cursor;
  }
  all.sort((a, b) => b.escalation - a.escalation || (a.id < b.id ? -1 : 1));
  const found = [];
  for (const e of all) {
    if (found.length === 6) break;
    const active = Date.parse(e.occurred_at) >= tick - DAY || Date.parse((await demo.get(`/v1/conflict/${e.id}?${at}`)).last_activity) >= tick - DAY;
    if (active) found.push(`${e.id} ${e.escalation.toFixed(3)} ${e.actors.join(" · ") || "actors not known"}`);
  }
  return found;
}

/** What the page says, read off it. */
const read = (page) =>
  page.evaluate(() => {
    const text = (selector, within = document) => within.querySelector(selector)?.textContent?.replace(/\s+/g, " ").trim() ?? null;
    const all = (selector, within = document) => [...within.querySelectorAll(selector)];
    const how = text('[data-testid="how"] li') ?? "";
    return {
      score: text('[data-testid="score"]'),
      band: text(".gauge .band strong"),
      lit: all(".gauge .scale .band.here").map((e) => [...e.classList].find((c) => ["calm", "guarded", "elevated", "high", "severe"].includes(c)))[0],
      title: document.title,
      trend: text(".gauge .trend")?.replace(/^[↗↘→]\s*/, ""),
      change: text(".gauge .words .delta strong"),
      range: text(".gauge .foot b"),
      confidence: text(".gauge .foot span:nth-child(2) b"),
      asOf: document.querySelector(".gauge time")?.getAttribute("datetime"),
      pillars: all(".pillar").map((e) => ({ name: text("h3", e), score: text(".pillar-score", e), change: text(".delta strong", e) })),
      parts: all(".pillar .foot b").map((e) => e.textContent),
      adds: text("#pillars-head + span"),
      drivers: all('[data-testid="why"] .drivers details .name').map((e) => e.firstChild.textContent.trim()),
      bars: all('[data-testid="why"] .drivers .value').map((e) => e.textContent),
      sentence: text('[data-testid="why-sentence"]'),
      summary: text(".words .prose"),
      briefings: all("#briefings-head").flatMap((h) => all(".headlines a", h.closest("section"))).map((e) => e.textContent),
      feeds: Number(/from (\d+) public feed/.exec(how)?.[1]),
      inputs: Number(/(\d+) inputs/.exec(how)?.[1]),
      countries: all('[data-testid="hottest"] li').map((e) => ({ name: text("a", e), score: text(".value", e), week: text(".week strong", e) })),
      map: text("[aria-label^='Map of']") === null ? null : document.querySelector("[aria-label^='Map of']").getAttribute("aria-label"),
      events: all("#events-head").flatMap((h) => all("li", h.closest("section"))).map((e) => `${new URL(e.querySelector("a").href).searchParams.get("event")} ${/[\d.]+/.exec(text(".level .number", e).replace("escalation", ""))[0]} ${text(".who", e)}`),
    };
  });

const humanise = (key) => key.replaceAll("_", " ");
const plain = (text) => text.toLowerCase().replace(/[()\s]/g, "");
const number = (text) => Number(text.replace("−", "-").replace(/[+±]/, ""));

function compare(want, got, asOf) {
  const say = (what) => `${what} at ${asOf}`;
  for (const name of ["score", "band", "trend", "change", "range", "confidence", "asOf", "summary", "feeds", "inputs"]) assert.equal(got[name], want[name], say(name));
  assert.equal(got.lit, want.band, say("the lit band of the scale"));
  assert.ok(got.title.startsWith(`${want.score} ${want.band} `), say(`title ${got.title}`));
  assert.deepEqual(got.pillars, want.pillars, say("pillars"));
  assert.equal(got.adds, `Their parts add up to ${want.score}`, say("sum of the pillars"));
  assert.equal(got.parts.reduce((sum, p) => sum + Math.round(number(p) * 10), 0), Math.round(number(want.score) * 10), say("parts of the pillars"));
  assert.deepEqual(got.drivers.map(plain), want.drivers.map((key) => plain(humanise(key))), say("drivers"));
  if (want.driven !== null) {
    const bars = got.bars.map(number);
    assert.equal(bars.at(-1), want.driven, say("the sum of the drivers"));
    assert.equal(bars.slice(0, -1).reduce((sum, b) => sum + Math.round(b * 100), 0), Math.round(want.driven * 100), say("the bars"));
    const word = want.driven === 0 ? /^Unchanged/ : want.driven > 0 ? /^Up / : /^Down /;
    assert.match(got.sentence, word, say("the sentence"));
    if (want.driven !== 0) assert.ok(got.sentence.includes(` ${Math.abs(want.driven).toFixed(1)} points`), say(got.sentence));
  }
  assert.deepEqual(got.countries, want.countries, say("countries"));
  assert.equal(got.map === null || got.map.startsWith(`Map of ${want.scored} `), true, say(`map: ${got.map}`));
  assert.deepEqual(got.events, want.events, say("events"));
  assert.equal(got.briefings.length, Math.min(5, want.briefings.length), say("number of briefings"));
  for (const headline of got.briefings) assert.ok(want.briefings.includes(headline), say(`briefing ${headline}`));
}

let browser;
before(async () => (browser = await launch()));
after(async () => browser?.close());

for (const [n, scenario] of SCENARIOS.entries()) {
  test(`the overview says what the interface says: ${scenario}`, async () => {
    const demo = await startDemo({ days: DAYS, scenario, seed: n + 1 });
    const view = await openPage(browser);
    try {
      const random = chance(1000 + n);
      const { page } = view;
      await page.goto(`${demo.url}/#key=${demo.key}`);
      await page.getByTestId("score").waitFor();
      const share = Math.ceil(MOMENTS / SCENARIOS.length);
      for (let i = 0; i < share; i++) {
        // Not on the tick: a snapshot is on show from when it was published until the next one.
        const asOf = wire(END - Math.floor((random() * (DAYS - 2) * DAY) / TICK) * TICK - Math.floor(random() * 600) * 1000);
        const want = await expected(demo, asOf);
        await page.goto(`${demo.url}/?as_of=${asOf}`);
        await page.waitForFunction((t) => document.querySelector(".gauge time")?.getAttribute("datetime") === t, want.asOf);
        // All parts have come when each has something in it.
        await page.waitForFunction(({ countries, events, briefings }) =>
          document.querySelectorAll('[data-testid="hottest"] li').length === countries && document.querySelector(".words .prose") &&
          document.querySelector("#events-head")?.closest("section").querySelectorAll("li").length === events && (briefings === 0 || document.querySelector(".headlines a")) &&
          [...document.querySelectorAll('[data-testid="hottest"] li .week')].every((w) => w.textContent.trim() !== ""),
        { countries: want.countries.length, events: want.events.length, briefings: want.briefings.length });
        compare(want, await read(page), asOf);
      }
      // The feeds that the page counts are the feeds that the interface lists.
      const feeds = (await demo.get("/v1/feeds")).feeds;
      await page.goto(`${demo.url}/?view=feeds`);
      await page.locator(".feeds > li").first().waitFor();
      assert.equal(await page.locator(".feeds > li").count(), feeds.length);
      assert.deepEqual(view.complaints, []);
    } finally {
      await view.context.close();
      await demo.stop();
    }
  });
}
