// A country's score as one of five shades. The bands of the world's score have other edges and are not used for countries.

export const SHADE_EDGES: readonly number[] = [15, 30, 45, 60];

/** 1 for the lowest scores to 5 for the highest. */
export function shadeOf(score: number): number {
  return 1 + SHADE_EDGES.filter((edge) => score >= edge).length;
}

export interface Shade {
  shade: number;
  label: string;
}

export const SHADES: readonly Shade[] = [...SHADE_EDGES, 100].map((to, i) => {
  const from = SHADE_EDGES[i - 1] ?? 0;
  return { shade: i + 1, label: i === 0 ? `below ${to}` : to === 100 ? `${from} and more` : `${from} to ${to}` };
});

/** How far a country's score moved between two moments, as one of five shades: blue fell, orange rose, grey did neither. */
export const MOVES = [
  { move: "fell-far", label: "fell by 5 or more" },
  { move: "fell", label: "fell by 1 to 5" },
  { move: "same", label: "within 1 point" },
  { move: "rose", label: "rose by 1 to 5" },
  { move: "rose-far", label: "rose by 5 or more" },
] as const;

export function moveOf(change: number): (typeof MOVES)[number]["move"] {
  if (Math.abs(change) < 1) return "same";
  if (change < 0) return change <= -5 ? "fell-far" : "fell";
  return change >= 5 ? "rose-far" : "rose";
}
