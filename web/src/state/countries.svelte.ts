// All countries that have a score, and how the worst of them moved over a week.

import { address } from "../api/client";
import { Problem } from "../api/problem";
import type { Countries, Country } from "../api/types";
import { DAY, wire } from "../format/time";
import { nav } from "./nav.svelte";
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

/** Live, the day a week ago is asked for some time after midnight, when less else is. */
const LATER_MS = 2 * 3_600_000;

/** The last scores of the day a week before `end`, by country; that day is over, so no new snapshot changes them. */
export function weekAgo(end: () => number | null): Resource<Map<string, number>> {
  const day = $derived(Math.floor(((end() ?? 0) - (nav.route.asOf === null ? LATER_MS : 0) - 7 * DAY * 1000) / (DAY * 1000)));
  return combined<Map<string, number>>(
    () => (end() === null ? null : `week before day ${day}`),
    async (get) => {
      const close = wire((day + 1) * DAY * 1000 - 1000);
      try {
        return new Map((await allCountries(get, close)).countries.map((c) => [c.country, c.score]));
      } catch (error) {
        // The service may be younger than a week.
        if (error instanceof Problem && (error.trouble === "no_snapshot" || error.status === 404)) return new Map<string, number>();
        throw error;
      }
    },
    { settled: true },
  );
}

/** Tenths, as both numbers are shown. */
export function moved(country: Country, before: number | undefined): number | null {
  return before === undefined ? null : Math.round((country.score - before) * 10) / 10;
}
