// The world's shapes and one equal-area projection. Loaded only when a map is shown.

import { geoEqualEarth, geoGraticule10, geoPath } from "d3-geo";
import { feature, mesh } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import type { Feature, Geometry, Position } from "geojson";
import { countryName } from "../format/words";
import { codeOf } from "./codes";
import world from "world-atlas/countries-110m.json";

type Countries = GeometryCollection<{ name: string }>;

const topology = world as unknown as Topology<{ countries: Countries; land: GeometryCollection }>;

export interface Atlas {
  width: number;
  height: number;
  sphere: string;
  graticule: string;
  land: string;
  borders: string;
  /** Each country's outline; without a code where the service knows none. */
  countries(): Outline[];
  place(lon: number, lat: number): [number, number];
}

export interface Outline {
  code: string | null;
  name: string;
  path: string;
  /** Of what is drawn. */
  middle: [x: number, y: number];
}

/** d3 cuts shapes at the antimeridian on the sphere, before projecting, so none smears across the map. */
export function atlas(width: number): Atlas {
  const projection = geoEqualEarth().rotate([-11, 0]);
  projection.fitWidth?.(width, { type: "Sphere" });
  const path = geoPath(projection).digits(1);
  const [[, top], [, bottom]] = path.bounds({ type: "Sphere" });
  const height = Math.ceil(bottom - top);
  const land = feature(topology, topology.objects.land);
  return {
    width,
    height,
    sphere: path({ type: "Sphere" }) ?? "",
    graticule: path(geoGraticule10()) ?? "",
    land: path(land) ?? "",
    borders: path(mesh(topology, topology.objects.countries, (a, b) => a !== b)) ?? "",
    countries: () =>
      feature(topology, topology.objects.countries).features.map((f) => ({ ...named(f), path: path(f) ?? "", middle: path.centroid(f) })),
    place: (lon, lat) => projection([lon, lat]) ?? [Number.NaN, Number.NaN],
  };
}

type CountryFeature = Feature<Geometry, { name: string }>;

/** Names are those of the rest of the page; the atlas abbreviates. */
function named(f: CountryFeature): { code: string | null; name: string } {
  const code = codeOf(f.id, f.properties.name);
  return { code, name: code ? countryName(code) : f.properties.name };
}

interface Shape {
  name: string;
  /** Outer rings and holes alike: a point inside an odd number of them is in the country. */
  rings: Position[][];
  bounds: [west: number, south: number, east: number, north: number];
}

let shapes: Shape[] | null = null;
const placed = new Map<string, string | null>();
const NAMES_KEPT = 20_000;

function ringsOf(shape: Geometry): Position[][] {
  return shape.type === "Polygon" ? shape.coordinates : shape.type === "MultiPolygon" ? shape.coordinates.flat() : [];
}

function shapeOf(f: CountryFeature): Shape {
  const rings = ringsOf(f.geometry).map(unrolled);
  const bounds: Shape["bounds"] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [lon = 0, lat = 0] of rings.flat()) {
    bounds[0] = Math.min(bounds[0], lon);
    bounds[1] = Math.min(bounds[1], lat);
    bounds[2] = Math.max(bounds[2], lon);
    bounds[3] = Math.max(bounds[3], lat);
  }
  return { name: named(f).name, rings, bounds };
}

/** A ring that crosses the antimeridian continues beyond 180 degrees instead of jumping to the other side of the plane. */
function unrolled(ring: Position[]): Position[] {
  let before = ring[0]?.[0] ?? 0;
  return ring.map(([lon = 0, lat = 0]) => {
    before = lon + 360 * Math.round((before - lon) / 360);
    return [before, lat];
  });
}

/** On the plane of degrees, where borders along a parallel are straight. */
function holds({ rings, bounds: [west, south, east, north] }: Shape, lon: number, lat: number): boolean {
  if (lon < west || lon > east || lat < south || lat > north) return false;
  let inside = false;
  for (const ring of rings) {
    let [px = 0, py = 0] = ring.at(-1) ?? [];
    for (const [x = 0, y = 0] of ring) {
      if (y > lat !== py > lat && lon < ((px - x) * (lat - y)) / (py - y) + x) inside = !inside;
      [px, py] = [x, y];
    }
  }
  return inside;
}

/** The country whose shape holds the point; null at sea and for places too small for this atlas. */
export function countryAt(lon: number, lat: number): string | null {
  const key = `${lon} ${lat}`;
  const known = placed.get(key);
  if (known !== undefined) return known;
  shapes ??= feature(topology, topology.objects.countries).features.map(shapeOf);
  const found = shapes.find((s) => holds(s, lon, lat) || holds(s, lon + 360, lat) || holds(s, lon - 360, lat))?.name ?? null;
  if (placed.size >= NAMES_KEPT) placed.clear();
  placed.set(key, found);
  return found;
}
