// The real binary on its simulated world, with the built page: embedded where the binary carries it, in front otherwise.

import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "node:net";
import { startFront } from "../fixture/server.mjs";

export const BINARY = process.env.GSI_BINARY;

const freePort = () =>
  new Promise((done) => {
    const s = createServer().listen(0, "127.0.0.1", () => {
      const { port } = s.address();
      s.close(() => done(port));
    });
  });

/** The binary refuses settings it does not know, and a test must not inherit any. */
const plainEnvironment = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GSI_")));

/** `at` makes runs reproducible; `scale` is simulated seconds a second once history is done. */
export async function startDemo({ days = 6, scale = 1, scenario = "calm", at = "2026-11-14T12:00:00Z", seed = 1 } = {}) {
  const data = await mkdtemp(join(tmpdir(), "gsi-web-"));
  const port = await freePort();
  const args = ["demo", "--listen", `127.0.0.1:${port}`, "--data", data, "--days", String(days), "--time-scale", String(scale), "--scenario", scenario, "--seed", String(seed), "--at", at];
  const demo = { key: "", url: "", service: `http://127.0.0.1:${port}`, embedded: false };
  let child;

  async function run() {
    let said = "";
    child = spawn(BINARY, args, { stdio: ["ignore", "ignore", "pipe"], env: plainEnvironment() });
    await new Promise((ready, failed) => {
      child.stderr.setEncoding("utf8").on("data", (chunk) => {
        said = (said + chunk).slice(-20_000);
        const key = /#key=(\S+)/.exec(said)?.[1];
        if (key) {
          demo.key = key;
          ready();
        }
      });
      child.on("exit", (code) => failed(new Error(`the demo ended with ${code}: ${said}`)));
      child.on("error", failed);
    });
  }
  const end = () =>
    new Promise((done) => {
      if (child.exitCode !== null || child.signalCode !== null) return done();
      child.removeAllListeners("exit");
      child.on("exit", done);
      child.kill("SIGTERM");
    });

  await run();
  // TEST_FRONT=1 tries the page of this folder on a binary that carries another one.
  demo.embedded = !process.env.TEST_FRONT && (await (await fetch(`${demo.service}/`)).text()).includes("/assets/");
  const front = demo.embedded ? null : await startFront(demo.service);
  demo.url = front?.url ?? demo.service;
  demo.kill = end;
  demo.again = run;
  demo.stop = async () => {
    await end();
    await front?.stop();
    await rm(data, { recursive: true, force: true });
  };
  /** The interface as any client sees it. */
  demo.get = async (path) => (await fetch(demo.service + path, { headers: { authorization: `Bearer ${demo.key}` } })).json();
  return demo;
}
