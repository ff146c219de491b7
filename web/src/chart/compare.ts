// Two published moments side by side: what each input gave to the score then and later, and which countries moved.

import type { Country, Explanation, PillarKey } from "../api/types";
import { humanise, PILLAR_NAMES } from "../format/words";
import { waterfall, type Part, type Waterfall } from "./waterfall";

/** Effects are shown to a hundredth of a point, as in the change of a day. */
export const PLACES = 2;
/** More bars than these are a list, not a picture. */
const MOST_BARS = 13;

/** An input of one moment: the pillar it belongs to and its share of the score, which add up to the score. */
interface Share {
  pillar: PillarKey;
  points: number;
  known: boolean;
}

function shares(explain: Explanation): Map<string, Share> {
  return new Map(explain.pillars.flatMap((p) => p.indicators.map((i) => [i.key, { pillar: p.pillar, points: i.contribution, known: i.value !== null }] as const)));
}

/** From one score to the other: each bar is the difference of what an input gave to the score at the two moments. */
export function between(then: Explanation, later: Explanation): Waterfall {
  const [before, after] = [shares(then), shares(later)];
  const keys = new Set([...before.keys(), ...after.keys()]);
  const parts: Part[] = [...keys].map((key) => {
    const [a, b] = [before.get(key), after.get(key)];
    const pillar = (b ?? a)?.pillar;
    const note = !a ? "not an input at the earlier moment" : !b ? "not an input at the later moment" : a.known && !b.known ? "no reading at the later moment" : !a.known && b.known ? "no reading at the earlier moment" : "";
    return { key, label: humanise(key), note: [pillar ? PILLAR_NAMES[pillar] : "", note].filter(Boolean).join(", "), value: (b?.points ?? 0) - (a?.points ?? 0) };
  });
  // Always as many bars, so that the panel keeps its height while ticks come; none where both are the same snapshot.
  return waterfall(then.score, then.as_of === later.as_of ? [] : parts, later.score, PLACES, MOST_BARS);
}

/** What is to be said when the two scores were not made by the same method; null when they were. */
export function methodNote(then: Explanation, later: Explanation): string | null {
  if (then.method.digest === later.method.digest) return null;
  const names = then.method.version === later.method.version ? `version ${then.method.version} with other inputs` : `version ${then.method.version}, then version ${later.method.version}`;
  const old = later.beside.find((b) => b.digest === then.method.digest);
  const previous = old ? ` By the earlier method the later score would be ${old.score.toFixed(1)}.` : "";
  return `The two moments used different methods (${names}). Part of the change is the method’s and not the world’s.${previous}`;
}

export interface CountryMove {
  country: string;
  name: string;
  /** Null where there was no score at that moment. */
  then: number | null;
  later: number | null;
  /** In tenths, as both scores are served; null unless both are there. */
  change: number | null;
}

/** All countries with a score at either moment, those that moved most first, then those that came or went. */
export function countryMoves(then: readonly Country[], later: readonly Country[]): CountryMove[] {
  const before = new Map(then.map((c) => [c.country, c]));
  const after = new Map(later.map((c) => [c.country, c]));
  const codes = [...new Set([...before.keys(), ...after.keys()])];
  const size = (m: CountryMove) => (m.change === null ? -1 : Math.abs(m.change));
  return codes
    .map((country) => {
      const [a, b] = [before.get(country), after.get(country)];
      const change = a && b ? Math.round((b.score - a.score) * 10) / 10 : null;
      return { country, name: (b ?? a)?.name ?? country, then: a?.score ?? null, later: b?.score ?? null, change };
    })
    .sort((a, b) => size(b) - size(a) || (a.name < b.name ? -1 : 1));
}
