// Each category has a shape as well as a colour, so that the map can be read without telling colours apart.

type Corner = readonly [x: number, y: number];

/** Corners of a shape that fills a circle of radius 1, as large to the eye as that circle. */
const CORNERS: Record<string, readonly Corner[]> = {
  posture: square(0.89),
  threat: [[0, -1.35], [1.17, 0.68], [-1.17, 0.68]],
  coercion: [[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]],
  unrest: plus(1.15, 0.48),
};

function square(half: number): Corner[] {
  return [[-half, -half], [half, -half], [half, half], [-half, half]];
}

function plus(reach: number, half: number): Corner[] {
  return [[-half, -reach], [half, -reach], [half, -half], [reach, -half], [reach, half], [half, half], [half, reach], [-half, reach], [-half, half], [-reach, half], [-reach, -half], [-half, -half]];
}

/** A path around the origin. Kinetic, and what is not known yet, is a circle. */
export function glyph(category: string, r: number): string {
  const corners = CORNERS[category];
  if (!corners) return `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
  return `M${corners.map(([x, y]) => `${(x * r).toFixed(2)} ${(y * r).toFixed(2)}`).join("L")}Z`;
}
