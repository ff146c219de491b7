// The running service comes from STABILITY_URL and STABILITY_KEY, which scripts/clients sets.

import { Client } from "../src/index.js";

export const baseUrl = process.env["STABILITY_URL"] ?? "";
export const client = new Client({ baseUrl, key: process.env["STABILITY_KEY"] ?? "" });

/** A stand-in for the service, for what a healthy one does not do. */
export function standingIn(answers: (Response | Error)[], maxRetries = 3) {
  const asked: Headers[] = [];
  const fetch: typeof globalThis.fetch = async (_, init) => {
    asked.push(new Headers(init?.headers));
    const answer = answers.shift() ?? new Error("nothing more to say");
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { asked, client: new Client({ baseUrl: "http://service", key: "gsi_test", fetch, maxRetries }) };
}
