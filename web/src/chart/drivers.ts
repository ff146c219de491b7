// What moved the score over a day: the inputs with the largest effects, whichever pillar they belong to, and the rest in one.

import type { Explanation, IndicatorExplanation, PillarKey } from "../api/types";
import { apportion } from "../format/number";

/** Effects are shown to a hundredth of a point, and add up to the change exactly. */
export const PLACES = 2;

export interface Driver {
  indicator: IndicatorExplanation;
  pillar: PillarKey;
  shown: number;
  /** It moved the score by appearing, ageing or vanishing rather than by its reading. */
  byCoverage: boolean;
}

export interface Drivers {
  top: Driver[];
  rest: { inputs: number; shown: number };
  total: number;
}

/** Null where there was no score a day before. */
export function drivers(explain: Explanation, count: number): Drivers | null {
  if (explain.delta_basis !== "ok") return null;
  const all = explain.pillars
    .flatMap((p) => p.indicators.map((indicator) => ({ indicator, pillar: p.pillar, data: indicator.data_effect ?? 0, coverage: indicator.coverage_effect ?? 0 })))
    .sort((a, b) => Math.abs(b.data + b.coverage) - Math.abs(a.data + a.coverage) || a.indicator.key.localeCompare(b.indicator.key));
  const top = all.slice(0, count);
  const others = all.slice(count);
  const effects = [...top.map((d) => d.data + d.coverage), others.reduce((sum, d) => sum + d.data + d.coverage, 0)];
  const shown = apportion(explain.delta_24h, effects, PLACES);
  return {
    top: top.map(({ indicator, pillar, data, coverage }, i) => ({ indicator, pillar, shown: shown[i] ?? 0, byCoverage: Math.abs(coverage) > Math.abs(data) })),
    rest: { inputs: others.length, shown: shown[count] ?? 0 },
    total: explain.delta_24h,
  };
}

/** One sentence that names the change and what made most of it. `name` tells an indicator's key in words. */
export function sentence(explain: Explanation, found: Drivers, name: (key: string) => string): string {
  const { total } = found;
  const with_ = found.top.find((d) => d.shown !== 0 && Math.sign(d.shown) === (total === 0 ? Math.sign(d.shown) : Math.sign(total)));
  const against = found.top.find((d) => d.shown !== 0 && with_ !== undefined && Math.sign(d.shown) !== Math.sign(with_.shown));
  const size = Math.abs(total).toFixed(1);
  const begin = total === 0 ? "Unchanged over 24 hours" : `${total > 0 ? "Up" : "Down"} ${size} points in 24 hours`;
  if (!with_) return `${begin}.`;
  const usual = total !== 0 && !explain.delta_significant ? ", which is within the usual daily movement" : "";
  const most = `${total === 0 ? "the largest push came from" : "led by"} ${name(with_.indicator.key)}`;
  // Worth a word only when it is of the same order.
  const but = against && Math.abs(against.shown) >= Math.abs(with_.shown) / 3 ? `, held back by ${name(against.indicator.key)}` : "";
  return `${begin}${usual}: ${most}${but}.`;
}
