// Numbers as people read them. A true minus sign, no negative zero, digits that line up. The decimal point and the thin space
// are the same for every reader: the service's texts and files write the same numbers with a point, and a page where 68,7
// is shown next to 68.7, or 10.000 means ten thousand, would contradict them.

const MINUS = "−";

function fixed(value: number, decimals: number): string {
  const text = Math.abs(value).toFixed(decimals);
  return value < 0 && Number(text) !== 0 ? MINUS + text : text;
}

export function score(value: number): string {
  return fixed(value, 1);
}

/** A change always carries its sign; no change is ±0. */
export function change(value: number, decimals = 1): string {
  const text = fixed(value, decimals);
  if (Number(text.replace(MINUS, "-")) === 0) return `±${text}`;
  return value > 0 ? `+${text}` : text;
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** As served: up to four significant digits, thousands grouped by thin spaces. */
export function reading(value: number): string {
  const [whole = "0", fraction] = Math.abs(value).toString().split(".");
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") : whole;
  return (value < 0 ? MINUS : "") + grouped + (fraction ? `.${fraction}` : "");
}

export function count(value: number): string {
  return value.toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/**
 * An escalation from 0 to 1 as the service sends it, in thousandths. Rounded once more it could differ from the service's texts, which
 * round to two places: 0.7447 is served as 0.745 and written as 0.74, where 0.745 would become 0.75.
 */
export function escalation(value: number): string {
  return value.toFixed(3);
}

/** Percentile with the precision that matters at its end: 71, 98.6, 99.97. */
export function percentile(value: number): string {
  if (value >= 99.5) return value.toFixed(2);
  if (value >= 95) return value.toFixed(1);
  return value.toFixed(0);
}

/** 48.46° N, 35.05° E */
export function coordinates(lat: number, lon: number): string {
  const one = (v: number, plus: string, minus: string) => `${Math.abs(v).toFixed(2)}° ${v < 0 ? minus : plus}`;
  return `${one(lat, "N", "S")}, ${one(lon, "E", "W")}`;
}

/**
 * Splits a shown total among parts so that the shown parts add to it exactly (largest remainder). All in units of the
 * last shown place: `apportion(55.2, parts, 1)` gives tenths that add to 55.2.
 */
export function apportion(total: number, parts: readonly number[], decimals: number): number[] {
  if (parts.length === 0) return [];
  const unit = 10 ** decimals;
  const scaled = parts.map((p) => p * unit);
  const shown = scaled.map(Math.floor);
  let missing = Math.round(total * unit) - shown.reduce((a, b) => a + b, 0);
  const order = scaled
    .map((value, index) => ({ index, fraction: value - Math.floor(value) }))
    .sort((a, b) => b.fraction - a.fraction || a.index - b.index);
  const each = Math.floor(missing / parts.length);
  missing -= each * parts.length;
  const extra = new Set(order.slice(0, missing).map((o) => o.index));
  return shown.map((value, index) => (value + each + (extra.has(index) ? 1 : 0)) / unit);
}
