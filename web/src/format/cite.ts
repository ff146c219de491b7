// What is on show, in a line that can stand in an article: what, when, by which method, which snapshot, where.

import type { Explanation } from "../api/types";
import { score } from "./number";
import { moment } from "./time";

export function citation(what: string, shown: Explanation, link: string, simulated: boolean): string {
  const of = `${what}, ${moment(Date.parse(shown.as_of))}`;
  const from = `Method ${shown.method.version} (${shown.method.digest.slice(0, 12)}), snapshot ${shown.snapshot}`;
  return `${simulated ? "Simulated data. " : ""}Global Stability Intelligence: ${of}. ${from}. ${link}`;
}

/** The composite as a citation names it. */
export const scoreCited = (shown: Explanation): string => `global stability score ${score(shown.score)} (${shown.band}; 90 % range ${score(shown.interval_90.low)} to ${score(shown.interval_90.high)})`;
