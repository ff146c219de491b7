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
