// Parts that visibly add up: each bar begins where the one before it ended, and the last one is the total.

import { apportion } from "../format/number";

export interface Part {
  key: string;
  label: string;
  value: number;
  note?: string;
}

export interface Bar extends Part {
  /** The bar's position on the scale. */
  from: number;
  to: number;
  /** The value as shown; shown values add to the shown total exactly. */
  shown: number;
}

export interface Waterfall {
  start: number;
  bars: Bar[];
  total: number;
}

/**
 * `start` + all parts = `total`, with `decimals` places. The largest parts come first; beyond `most` of them the others
 * become one bar at the end.
 */
export function waterfall(start: number, parts: readonly Part[], total: number, decimals: number, most = Infinity): Waterfall {
  const all = [...parts].sort((a, b) => Math.abs(b.value) - Math.abs(a.value) || a.key.localeCompare(b.key));
  const rest = all.length > most ? all.slice(most - 1) : [];
  const sum: Part[] = rest.length > 0 ? [{ key: "rest", label: `${rest.length} smaller inputs`, value: rest.reduce((t, p) => t + p.value, 0) }] : [];
  const sorted = [...all.slice(0, all.length - rest.length), ...sum];
  const shown = apportion(total - start, sorted.map((p) => p.value), decimals);
  let at = start;
  const bars = sorted.map((part, index) => {
    const value = shown[index] ?? 0;
    const from = at;
    at = round(at + value, decimals);
    return { ...part, from, to: at, shown: value };
  });
  return { start, bars, total };
}

function round(value: number, decimals: number): number {
  const unit = 10 ** decimals;
  return Math.round(value * unit) / unit;
}
