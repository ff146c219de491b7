// Events on a small map overlap. Those of one country that fall into one cell of the screen become one mark with a count. A
// mark never represents two countries: where two would cover each other across a border they are pushed apart.

import type { ConflictEvent } from "../api/types";

export interface Placed {
  event: ConflictEvent;
  /** Position on the unzoomed map. */
  x: number;
  y: number;
  /** The country it is in; null at sea. */
  country: string | null;
}

export interface Mark {
  x: number;
  y: number;
  country: string | null;
  members: ConflictEvent[];
  /** The most escalated member. */
  worst: ConflictEvent;
}

/** `zoom` enlarges the map, so cells of a constant size on screen shrink on the map; `scale` enlarges the marks. */
export function cluster(placed: readonly Placed[], zoom: number, cell: number, scale = 1): Mark[] {
  const size = (cell * scale) / zoom;
  const cells = new Map<string, { sx: number; sy: number; country: string | null; members: ConflictEvent[]; worst: ConflictEvent }>();
  for (const { event, x, y, country } of placed) {
    const key = `${Math.floor(x / size)} ${Math.floor(y / size)} ${country ?? ""}`;
    const found = cells.get(key);
    if (!found) {
      cells.set(key, { sx: x, sy: y, country, members: [event], worst: event });
      continue;
    }
    found.sx += x;
    found.sy += y;
    found.members.push(event);
    if (event.escalation > found.worst.escalation) found.worst = event;
  }
  const marks = [...cells.values()]
    .map(({ sx, sy, country, members, worst }) => ({ x: sx / members.length, y: sy / members.length, country, members, worst }))
    .sort((a, b) => b.members.length - a.members.length);
  // Joining moves and enlarges marks, so that others may come to lie under them; it settles after a round or two.
  let before = marks.length + 1;
  let now = marks;
  while (now.length < before) {
    before = now.length;
    now = joined(now, zoom / scale);
  }
  pushApart(now, zoom / scale);
  return now;
}

/** Marks of one country that would cover each other across two cells become one, the smaller joining the larger. */
function joined(marks: Mark[], zoom: number): Mark[] {
  const kept: Mark[] = [];
  for (const mark of marks) {
    const near = kept.find((k) => k.country === mark.country && Math.hypot(k.x - mark.x, k.y - mark.y) * zoom < reach(k) + reach(mark));
    if (!near) {
      kept.push(mark);
      continue;
    }
    const [a, b] = [near.members.length, mark.members.length];
    near.x = (near.x * a + mark.x * b) / (a + b);
    near.y = (near.y * a + mark.y * b) / (a + b);
    near.members = [...near.members, ...mark.members];
    if (mark.worst.escalation > near.worst.escalation) near.worst = mark.worst;
  }
  return kept;
}

/** Rounds of pushing, and how much of the overlap is left standing: marks stay near their place rather than all free. */
const ROUNDS = 4;
/** Beyond this many marks the picture is too dense for it to matter, and the work grows with their square. */
const MOST_PUSHED = 600;

function pushApart(marks: Mark[], zoom: number): void {
  if (marks.length > MOST_PUSHED) return;
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < marks.length; i++) {
      for (let j = i + 1; j < marks.length; j++) {
        const [a, b] = [marks[i]!, marks[j]!];
        const [dx, dy] = [b.x - a.x, b.y - a.y];
        const distance = Math.hypot(dx, dy);
        const over = (reach(a) + reach(b)) / zoom - distance;
        if (over <= 0) continue;
        // The larger mark moves less. Two at one point are parted sideways.
        const [ux, uy] = distance > 0 ? [dx / distance, dy / distance] : [1, 0];
        const share = a.members.length / (a.members.length + b.members.length);
        a.x -= ux * over * (1 - share);
        a.y -= uy * over * (1 - share);
        b.x += ux * over * share;
        b.y += uy * over * share;
      }
    }
  }
}

const reach = (mark: Mark) => (mark.members.length > 1 ? clusterRadius(mark.members.length) : 0.8 * radius(mark.worst.escalation));

/** Escalation as area, so that twice as bad looks twice as large. */
export function radius(escalation: number): number {
  return 3 + 9 * Math.sqrt(Math.min(1, Math.max(0, escalation)));
}

export function clusterRadius(members: number): number {
  return Math.min(26, 9 + 3.2 * Math.log2(members));
}

export interface Slice {
  category: string;
  from: number;
  to: number;
}

/** Shares of the categories around a circle, in the given order; angles in radians from the top. */
export function slices(members: readonly ConflictEvent[], order: readonly string[]): Slice[] {
  const counts = new Map<string, number>();
  for (const m of members) counts.set(m.category, (counts.get(m.category) ?? 0) + 1);
  const names = [...order.filter((c) => counts.has(c)), ...[...counts.keys()].filter((c) => !order.includes(c)).sort()];
  let at = 0;
  return names.map((category) => {
    const from = at;
    at += (2 * Math.PI * (counts.get(category) ?? 0)) / members.length;
    return { category, from, to: at };
  });
}

/** An SVG arc of a circle around the origin; a whole turn is drawn as two halves. */
export function arc(r: number, from: number, to: number): string {
  const at = (angle: number) => `${(r * Math.sin(angle)).toFixed(2)} ${(-r * Math.cos(angle)).toFixed(2)}`;
  const half = (a: number, b: number) => `M${at(a)}A${r} ${r} 0 ${b - a > Math.PI ? 1 : 0} 1 ${at(b)}`;
  return to - from > 2 * Math.PI - 1e-6 ? half(from, from + Math.PI) + half(from + Math.PI, to - 1e-4) : half(from, to);
}
