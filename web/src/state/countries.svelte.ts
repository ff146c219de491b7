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

/** The scores of a week ago. `scores` is null while they are not known, which is not to say that there were none. */
export interface WeekAgo {
  readonly scores: Map<string, number> | null;
  readonly problem: Problem | null;
}

/** The last scores of the day a week before `end`, by country; that day is over, so no new snapshot changes them. */
export function weekAgo(end: () => number | null): WeekAgo {
  const day = $derived(Math.floor(((end() ?? 0) - (nav.route.asOf === null ? LATER_MS : 0) - 7 * DAY * 1000) / (DAY * 1000)));
  const question = $derived(end() === null ? null : `week before day ${day}`);
  const asked = combined<Map<string, number>>(
    () => question,
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
  return {
    // What was said of another day is kept until the answer comes, and says nothing about this one.
    get scores() {
      return asked.from === question ? asked.data : null;
    },
    get problem() {
      return asked.problem;
    },
  };
}

/** Tenths, as both numbers are shown. */
export function moved(country: Country, before: number | undefined): number | null {
  return before === undefined ? null : Math.round((country.score - before) * 10) / 10;
}
