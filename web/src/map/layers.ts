// What the feeds show on the map in addition to events: the place, shape and description of each mark.

import type { Layer, LayerMark } from "../api/types";
import { reading } from "../format/number";
import { shortDate } from "../format/time";
import { countryAt, type Atlas } from "./atlas";

export interface PlacedMark {
  /** Unique among all layers. */
  key: string;
  layer: Layer;
  mark: LayerMark;
  x: number;
  y: number;
  /** The whole country, where the mark is about all of it. */
  outline: string | null;
}

export const keyOf = (layer: Layer, mark: LayerMark): string => `${layer.key}/${mark.id}`;

/** Countries that are too small for this atlas have no place on it; the table has them. */
export function placeMarks(world: Atlas, layers: readonly Layer[]): PlacedMark[] {
  const whole = layers.some((layer) => layer.marks.some((mark) => mark.lat === null));
  const outlines = new Map(whole ? world.countries().map((o) => [o.code, o]) : []);
  const placed: PlacedMark[] = [];
  for (const layer of layers) {
    for (const mark of layer.marks) {
      const outline = mark.lat === null ? outlines.get(mark.country) : undefined;
      const [x, y] = mark.lat !== null && mark.lon !== null ? world.place(mark.lon, mark.lat) : (outline?.middle ?? [Number.NaN, Number.NaN]);
      if (Number.isFinite(x) && Number.isFinite(y)) placed.push({ key: keyOf(layer, mark), layer, mark, x, y, outline: outline?.path ?? null });
    }
  }
  return placed;
}

/** Graver is larger. */
export const markRadius = (level: number): number => 4.5 + 1.75 * level;

const CORNERS: Record<string, readonly (readonly [x: number, y: number])[]> = {
  // An hourglass, a passage that is narrow in the middle.
  chokepoints: [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  // A hexagon.
  disasters: [[-0.6, -1.04], [0.6, -1.04], [1.2, 0], [0.6, 1.04], [-0.6, 1.04], [-1.2, 0]],
};

/** Each layer has a separate shape, unlike those of events; what has none here is a circle in a circle, as earthquakes are. */
export function layerShape(layer: string, r: number): string {
  const corners = CORNERS[layer];
  if (corners) return `M${corners.map(([x, y]) => `${(x * r).toFixed(2)} ${(y * r).toFixed(2)}`).join("L")}Z`;
  const circle = (c: number) => `M${-c} 0a${c} ${c} 0 1 0 ${2 * c} 0a${c} ${c} 0 1 0 ${-2 * c} 0Z`;
  return circle(r * 1.15) + circle(r * 0.45);
}

const WHERE_IT_HAPPENED: readonly string[] = ["quakes", "disasters"];

/** A happening is named by where it was. */
export function markName(layer: Layer, mark: LayerMark): string {
  if (!WHERE_IT_HAPPENED.includes(layer.key) || mark.lat === null || mark.lon === null) return mark.name;
  return `${mark.name}, ${countryAt(mark.lon, mark.lat) ?? "at sea or small territory"}`;
}

/** "43 percent of normal, severely reduced"; only the word where the number may not be passed on. */
export function markValue(layer: Layer, mark: LayerMark): string {
  if (mark.value === null) return mark.severity;
  const value = reading(mark.value);
  return `${layer.unit.startsWith("percent") ? `${value} ${layer.unit}` : `${layer.unit} ${value}`}, ${mark.severity}`;
}

export const dayOf = (day: string): string => shortDate(Date.parse(`${day}T00:00:00Z`));

/** What a reader has to know in addition to the marks; null when they speak for themselves. */
export function layerNote(layer: Layer): string | null {
  if (layer.status === "no_data") return `Nothing is known: no data of ${layer.publisher} have come in. That there is no mark says nothing.`;
  const newest = dayOf(layer.newest_day ?? "");
  if (layer.status === "stale") return `Out of date: the newest day that is known is ${newest}.`;
  return layer.marks.length === 0 ? `None, as far as is known up to ${newest}.` : null;
}
