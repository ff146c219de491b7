// The world's shapes and one equal-area projection. Loaded only when a map is shown.

import { geoBounds, geoContains, geoEqualEarth, geoGraticule10, geoPath } from "d3-geo";
import { feature, mesh } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import type { Feature, Geometry } from "geojson";
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
  place(lon: number, lat: number): [number, number];
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
    place: (lon, lat) => projection([lon, lat]) ?? [Number.NaN, Number.NaN],
  };
}

interface Shape {
  name: string;
  shape: Feature<Geometry, { name: string }>;
  bounds: [[number, number], [number, number]];
}

let shapes: Shape[] | null = null;
const named = new Map<string, string | null>();
const NAMES_KEPT = 5_000;

function inBounds([[west, south], [east, north]]: Shape["bounds"], lon: number, lat: number): boolean {
  const across = west > east ? lon >= west || lon <= east : lon >= west && lon <= east;
  return across && lat >= south && lat <= north;
}

/** The country whose shape holds the point; null at sea and for places too small for this atlas. */
export function countryAt(lon: number, lat: number): string | null {
  const key = `${lon} ${lat}`;
  const known = named.get(key);
  if (known !== undefined) return known;
  shapes ??= feature(topology, topology.objects.countries).features.map((shape) => ({
    name: shape.properties.name,
    shape,
    bounds: geoBounds(shape),
  }));
  const found = shapes.find((s) => inBounds(s.bounds, lon, lat) && geoContains(s.shape, [lon, lat]))?.name ?? null;
  if (named.size >= NAMES_KEPT) named.clear();
  named.set(key, found);
  return found;
}
