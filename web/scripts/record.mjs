// Records a piece of the simulated world from the service itself, for the fixture that the browser tests play with:
// `GSI_BINARY=… node scripts/record.mjs`. The same binary records the same bytes.

import { writeFile } from "node:fs/promises";
import { startDemo } from "../tests/browser/service.mjs";

const AT = "2026-11-14T23:45:00Z";
const TICK = 900_000;
const PILLARS = ["conflict", "cyber", "supply_chain", "macro"];
const SUBJECTS = ["global", "conflict"];
const wire = (ms) => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
const newest = Date.parse(AT);
const asOf = `as_of=${AT}`;

/** The reconstructed past is computed in the first seconds of a service; until then what rests on it is refused. */
async function past(path, part) {
  for (;;) {
    const explained = await demo.get(path);
    if (explained[part]) return explained;
    await new Promise((done) => setTimeout(done, 500));
  }
}

const demo = await startDemo({ days: 9, at: AT });
try {
  const explanations = [];
  for (let back = 3; back >= 0; back--) {
    const explained = await demo.get(`/v1/global-stability/explain?as_of=${wire(newest - back * TICK)}`);
    // What an indicator was computed from fills pages and is shown nowhere.
    for (const i of explained.pillars.flatMap((p) => p.indicators)) i.inputs = i.inputs.slice(0, 1);
    explanations.push(explained);
  }
  const week = `step=1h&from=${wire(newest - 7 * 86_400_000)}&to=${wire(newest)}`;
  const history = { composite: (await demo.get(`/v1/global-stability/history?${week}`)).points };
  for (const p of PILLARS) history[p] = (await demo.get(`/v1/global-stability/pillar/${p}/history?${week}`)).points;
  const each = (kind, list) => Promise.all(list.map(({ id }) => demo.get(`/v1/${kind}/${id}?${asOf}`)));
  const events = await each("conflict", (await demo.get(`/v1/conflict?limit=24&${asOf}`)).events);
  for (const e of events) [e.sources, e.revisions] = [e.sources.slice(0, 3), e.revisions.slice(-6)];
  const countries = await demo.get(`/v1/countries?limit=200&${asOf}`);
  // The worst in full, with its last days, and one that has no score.
  const worst = countries.countries[0].country;
  const country = {
    detail: await demo.get(`/v1/countries/${worst}?${asOf}`),
    explain: await demo.get(`/v1/countries/${worst}/explain?${asOf}`),
    history: (await demo.get(`/v1/countries/${worst}/history?step=1d&from=${wire(newest - 9 * 86_400_000)}&to=${wire(newest)}`)).points,
    unscored: await demo.get(`/v1/countries/FJ?${asOf}`),
    unscored_explain: await demo.get(`/v1/countries/FJ/explain?${asOf}`),
  };
  const world = {
    method: await demo.get("/v1/method"),
    feeds: (await demo.get("/v1/feeds")).feeds,
    explanations,
    history,
    events,
    briefings: (await each("briefings", (await demo.get(`/v1/briefings?limit=20&${asOf}`)).briefings)).filter((b) => SUBJECTS.includes(b.subject)).slice(0, SUBJECTS.length),
    summary: await demo.get(`/v1/summaries?${asOf}`),
    changes: await demo.get("/v1/method/changes"),
    crises: await past("/v1/crises", "crises"),
    meaning: await past(`/v1/global-stability/meaning?${asOf}`, "levels"),
    countries,
    country,
    layers: (await demo.get(`/v1/layers?${asOf}`)).layers,
  };
  const rows = Object.entries(world).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  await writeFile(new URL("../tests/fixture/recorded.json", import.meta.url), `{\n${rows.join(",\n")}\n}\n`);
} finally {
  await demo.stop();
}
