// The score among the days before it, in one line; and an explanation of that comparison for a tooltip.
import type { DayPlace, ScoreContext } from "../api/types";
import { count, plural } from "./number";
import { shortDate, date } from "./time";

/** Fewer published days than this say nothing of a place among them. */
const ENOUGH_DAYS = 30;

/** Null when there is nothing to compare with. Reconstructed days come first: there are more of them. */
export function contextLine(context: ScoreContext | null): string | null {
  if (context?.reconstruction) return line(context.reconstruction, "reconstructed");
  if (context?.published && context.published.days >= ENOUGH_DAYS) return line(context.published, "published");
  return null;
}

function line(place: DayPlace, days: "reconstructed" | "published"): string {
  const share = `Higher than on ${whole(place.share_lower)} % of ${count(place.days)} ${days} days`;
  if (place.days_this_high > 0) return `${share}; this high for ${place.days_this_high + 1} days in a row`;
  const last = place.last_this_high;
  if (last === null) return `${share}; none was as high`;
  const to = Date.parse(last.to);
  if (last.days === 1) return `${share}; last as high: ${date(to)}`;
  return `${share}; last as high: ${shortDate(Date.parse(last.from))} to ${date(to)} (${plural(last.days, "day")})`;
}

/** A share in whole percent, never all of it while something is missing, never none while there is something. */
function whole(share: number): number {
  const shown = Math.round(share * 100);
  if (shown === 100 && share < 1) return 99;
  return shown === 0 && share > 0 ? 1 : shown;
}

/** Shares over all lists of crises: 41 to 60 %. */
export function share(range: { low: number; high: number }): string {
  return range.low === range.high ? `${whole(range.low)} %` : `${whole(range.low)} to ${whole(range.high)} %`;
}

/** What days in this band were like: the share with a listed crisis under way, over all lists. */
function meaning(level: ScoreContext["level"]): string {
  const range = level?.crisis_under_way_range;
  if (!level || !range || level.days === 0) return "";
  return `Of ${count(level.days)} days in the ${level.band} band, ${share(range)} had a listed crisis under way, depending on the list.`;
}

/** What the line compares, and what it does not say. */
export function contextAbout(context: ScoreContext | null): string {
  const past = context?.reconstruction;
  const days = past
    ? `Compared with what method ${context?.reconstruction_method ?? ""} would have published on each day from ${past.from} to ${past.to}, from what was known then; none of that was published.`
    : "Compared with the last score of each day that this service published.";
  return [days, meaning(context?.level ?? null), context?.forecast ?? "It says where the score stands, not what comes next."].filter(Boolean).join(" ");
}
