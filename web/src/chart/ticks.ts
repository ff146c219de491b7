// Axis ticks with labels that fit: d3's choice of instants, our words for them.

import { scaleUtc } from "d3-scale";
import { DAY, clock, shortDate } from "../format/time";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

export interface Tick {
  at: number;
  label: string;
}

/** About one label for each `room` pixels. Midnight is shown as its date, so that a night has a name. */
export function timeTicks(from: number, to: number, width: number, room = 84): Tick[] {
  const span = (to - from) / 1000;
  const wanted = Math.max(2, Math.floor(width / room));
  const instants = scaleUtc().domain([from, to]).ticks(wanted).map((d) => d.getTime());
  return instants.map((at) => ({ at, label: label(at, span) }));
}

function label(at: number, span: number): string {
  const d = new Date(at);
  const midnight = at % (DAY * 1000) === 0;
  if (span <= 3 * DAY && !midnight) return clock(at);
  if (span <= 3 * DAY) return shortDate(at);
  if (!midnight) return clock(at);
  if (span > 150 * DAY && d.getUTCDate() === 1) {
    return d.getUTCMonth() === 0 ? String(d.getUTCFullYear()) : (MONTHS[d.getUTCMonth()] ?? "");
  }
  return shortDate(at);
}
