import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// The fixture server of tests/fixture, or a running service, for `npm run dev`.
const service = process.env.GSI_URL ?? "http://127.0.0.1:8099";
// Files of docs/ that the page shows.
const documents = "../docs";
const proxied = ["/v1", "/stream", "/openapi.json", "/problems"];

export default defineConfig({
  plugins: [svelte()],
  build: {
    target: "es2022",
    // The page's policy allows no inline data for scripts or styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1600,
    rollupOptions: {
      input: { index: "index.html", docs: "docs.html" },
      // What several views share comes in two files and not in a dozen: on a slow line each costs a round trip.
      output: {
        codeSplitting: {
          groups: [
            { name: "base", test: /node_modules\/(svelte|esm-env|clsx)\/|src\/(api|format|state)\//, minShareCount: 2 },
            { name: "charts", test: /node_modules\/(d3-(array|color|format|interpolate|path|scale|shape|time|time-format)|internmap)\// },
          ],
        },
      },
    },
  },
  server: { fs: { allow: [".", documents] }, proxy: Object.fromEntries(proxied.map((path) => [path, service])) },
  // Nothing here is timed; a busy machine may take its time.
  test: { include: ["src/**/*.test.ts"], environment: "node", testTimeout: 60_000 },
});
