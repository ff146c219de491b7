// The JSON Feeds of the running service, held to the validator of JSON Feed 1. Version 1.1, which it cannot know, is the same with
// `language` added.

import assert from "node:assert/strict";
import validate from "jsonfeed-validator";

const { STABILITY_URL, STABILITY_KEY } = process.env;
for (const topic of ["alerts", "briefings"]) {
  const answer = await fetch(`${STABILITY_URL}/${topic}.json`, { headers: { Authorization: `Bearer ${STABILITY_KEY}` } });
  const { version, language, ...feed } = await answer.json();
  assert.equal(version, "https://jsonfeed.org/version/1.1");
  assert.equal(language, "en");
  // A world of a few days may have had no alert; it has had briefings.
  assert.ok(feed.items.length > 0 || topic === "alerts", `${topic}.json has no entry`);
  assert.deepEqual(validate({ version: "https://jsonfeed.org/version/1", ...feed }), [], `${topic}.json`);
}
console.log("clients: 2 passed (JSON Feed)");
