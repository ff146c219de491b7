// All countries that have a score, and how the worst of them moved over a week.

import { address } from "../api/client";
import type { Countries, Country, CountryHistory } from "../api/types";
import { DAY, wire } from "../format/time";
import { combined, type Resource } from "./resource.svelte";

/** The service gives at most this many in one answer, which is more than half of all countries: two answers hold them. */
const PAGE = 200;
const MOST_PAGES = 3;

type Get = <T>(path: string) => Promise<T>;

export async function allCountries(get: Get, asOf: string | null): Promise<Countries> {
  const whole = await get<Countries>(address("/v1/countries", { limit: PAGE, as_of: asOf }));
  const countries = [...whole.countries];
  let cursor = whole.next_cursor;
  for (let page = 1; cursor !== null && page < MOST_PAGES; page++) {
    const next: Countries = await get<Countries>(address("/v1/countries", { limit: PAGE, as_of: asOf, cursor }));
    countries.push(...next.countries);
    cursor = next.next_cursor;
  }
  return { ...whole, countries, next_cursor: cursor };
}

/** To be called while a component is set up. `asOf` is undefined while it is not known what to ask. */
export function countryList(asOf: () => string | null | undefined): Resource<Countries> {
  return combined<Countries>(
    () => (asOf() === undefined ? null : `countries ${asOf() ?? "live"}`),
    (get) => allCountries(get, asOf() ?? null),
  );
}

/** The last score of the day a week before `end`, by country; that day is over, so no new snapshot changes it. */
export function weekAgo(codes: () => readonly string[], end: () => number | null): Resource<Map<string, number>> {
  const day = () => Math.floor(((end() ?? 0) - 7 * DAY * 1000) / (DAY * 1000)) * DAY * 1000;
  return combined<Map<string, number>>(
    () => (end() === null || codes().length === 0 ? null : `week ${day()} ${codes().join(" ")}`),
    async (get) => {
      const query = { step: "1d", from: wire(day()), to: wire(day() + DAY * 1000) };
      const found = await Promise.all(codes().map(async (code) => [code, (await get<CountryHistory>(address(`/v1/countries/${code}/history`, query))).points.at(-1)?.last] as const));
      return new Map(found.flatMap(([code, last]) => (last === undefined ? [] : [[code, last] as [string, number]])));
    },
    { settled: true },
  );
}

/** Tenths, as both numbers are shown. */
export function moved(country: Country, before: number | undefined): number | null {
  return before === undefined ? null : Math.round((country.score - before) * 10) / 10;
}
