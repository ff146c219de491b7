// Prints the score whenever it is published, and a line when the band changes; ends after as many ticks as are asked for.
//   STABILITY_URL=… STABILITY_KEY=… node watch.mjs [TICKS]

import { Client } from "gsi-client";

const client = new Client({ baseUrl: process.env.STABILITY_URL ?? "", key: process.env.STABILITY_KEY ?? "" });
let ticks = Number(process.argv[2] ?? Infinity);
for await (const message of client.stream()) {
  switch (message.event) {
    case "snapshot":
      console.log(`${message.data.as_of} ${message.data.score} ${message.data.band}${message.data.simulated ? " (simulated)" : ""}`);
      break;
    case "alert":
      console.log(`${message.data.as_of} ${message.data.kind}: ${message.data.before} → ${message.data.after}`);
      break;
    case "tick":
      ticks -= 1;
  }
  if (ticks <= 0) break;
}
