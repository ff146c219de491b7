// Debian's Chromium, driven by playwright-core, with everything the page complains about collected.

import { chromium } from "playwright-core";

/** The longer form of some tests, which `make chaos` runs: every view, every pair of colour and width, the real service's ticks. */
export const LONG = process.env.TEST_LONG === "1";
export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

export async function launch(more = []) {
  return chromium.launch({
    executablePath: CHROMIUM,
    headless: true,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", ...more],
  });
}

/** A page that remembers violations of the policy, errors, and requests to anywhere else. */
export async function openPage(browser, { width = 1440, height = 900, dark = false, reduced = true, serviceWorkers = "block", ...rest } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", reducedMotion: reduced ? "reduce" : "no-preference", serviceWorkers, ...rest });
  const page = await context.newPage();
  // Machines can be busy; what is broken stays broken for longer than this.
  page.setDefaultTimeout(60_000);
  const complaints = [];
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (e) => console.error(`policy: ${e.violatedDirective} ${e.blockedURI} ${e.sourceFile}:${e.lineNumber} ${e.sample}`));
  });
  page.on("console", (m) => {
    // A refused request is logged by the browser itself; the page shows it, and tests look at the page.
    // A connection that is cut while its answer comes is an error without words.
    if (m.type() === "error" && m.text() !== "" && !m.text().startsWith("Failed to load resource")) complaints.push(m.text());
  });
  page.on("pageerror", (e) => e.stack !== "" && complaints.push(String(e.stack ?? e)));
  page.on("request", (r) => {
    const url = new URL(r.url());
    if (!["127.0.0.1", ""].includes(url.hostname)) complaints.push(`external request: ${r.url()}`);
  });
  return { page, context, complaints };
}
