// The newest score that this browser has shown, for when there is no connection. Kept until the key is forgotten. It is only
// ever shown as what it is: something seen then, with its age.

import type { Explanation } from "../api/types";
import { isWireTime } from "../format/time";
import { lastSeenSlot } from "./storage";

export interface LastSeen {
  score: number;
  band: string;
  asOf: string;
  simulated: boolean;
}

export function remember(shown: Explanation, simulated: boolean): void {
  const seen: LastSeen = { score: shown.score, band: shown.band, asOf: shown.as_of, simulated };
  lastSeenSlot.write(JSON.stringify(seen));
}

/** Anything that is not understood is nothing: what is stored may be older than this code. */
export function lastSeen(): LastSeen | null {
  try {
    const seen = JSON.parse(lastSeenSlot.read() ?? "null") as Partial<LastSeen> | null;
    const known = typeof seen?.score === "number" && typeof seen.band === "string" && typeof seen.asOf === "string" && isWireTime(seen.asOf);
    return known ? { score: seen.score!, band: seen.band!, asOf: seen.asOf!, simulated: seen.simulated === true } : null;
  } catch {
    return null;
  }
}
