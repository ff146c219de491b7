// Time on this page is UTC, always says so, and is always the service's time.

export const MINUTE = 60;
export const HOUR = 3_600;
export const DAY = 86_400;
export const TICK = 15 * MINUTE;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

const two = (n: number) => n.toString().padStart(2, "0");

/** Milliseconds to the wire form, whole seconds. */
export function wire(ms: number): string {
  return new Date(Math.floor(ms / 1000) * 1000).toISOString().replace(".000Z", "Z");
}

export function isWireTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** 23:45 */
export function clock(ms: number): string {
  const d = new Date(ms);
  return `${two(d.getUTCHours())}:${two(d.getUTCMinutes())}`;
}

/** 14 Nov 2026 */
export function date(ms: number): string {
  const d = new Date(ms);
  return `${d.getUTCDate()} ${MONTHS[d.getUTCMonth()]} ${d.getUTCFullYear()}`;
}

/** 14 Nov */
export function shortDate(ms: number): string {
  const d = new Date(ms);
  return `${d.getUTCDate()} ${MONTHS[d.getUTCMonth()]}`;
}

/** Saturday, 14 Nov 2026 */
export function longDate(ms: number): string {
  return `${WEEKDAYS[new Date(ms).getUTCDay()]}, ${date(ms)}`;
}

/** 14 Nov 2026, 23:45 UTC */
export function moment(ms: number): string {
  return `${date(ms)}, ${clock(ms)} UTC`;
}

/** 14 Nov, 23:45 */
export function shortMoment(ms: number): string {
  return `${shortDate(ms)}, ${clock(ms)}`;
}

/** 45 min, 3 h, 2 d 5 h, 12 d: one unit where one is enough. */
export function duration(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  if (s < MINUTE) return `${s} s`;
  if (s < HOUR) return `${Math.floor(s / MINUTE)} min`;
  if (s < 10 * HOUR && s % HOUR >= MINUTE) return `${Math.floor(s / HOUR)} h ${Math.floor((s % HOUR) / MINUTE)} min`;
  if (s < 2 * DAY) return `${Math.floor(s / HOUR)} h`;
  const hours = Math.floor((s % DAY) / HOUR);
  return s < 7 * DAY && hours > 0 ? `${Math.floor(s / DAY)} d ${hours} h` : `${Math.floor(s / DAY)} d`;
}

/** 45 min ago; just now */
export function ago(seconds: number): string {
  return seconds < MINUTE ? "just now" : `${duration(seconds)} ago`;
}

/** The same for a moment that may lie ahead of the clock by a little, as a snapshot published just now can. */
export function agoOrAhead(seconds: number): string {
  return ago(Math.max(0, seconds));
}

/** Making a formatter costs a slow phone more than a paragraph does: one for each way of writing, in each zone the reader was in. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function written(d: Date, locale: string | undefined, options: Intl.DateTimeFormatOptions): string {
  const key = JSON.stringify([locale, options, d.getTimezoneOffset()]);
  const known = formatters.get(key) ?? new Intl.DateTimeFormat(locale, options);
  formatters.set(key, known);
  return known.format(d);
}

/**
 * What the reader's clock showed, in the reader's own way of writing it; empty where that clock shows UTC too. With the day
 * where it is another one than in UTC.
 */
export function localTime(ms: number, locale?: string): string {
  const d = new Date(ms);
  if (d.getTimezoneOffset() === 0) return "";
  const time = written(d, locale, { hour: "numeric", minute: "2-digit" });
  const shown = d.getDate() === d.getUTCDate() ? time : `${written(d, locale, { weekday: "short" })} ${time}`;
  return `${shown} your time`;
}

/** The earliest moment at which a snapshot was on show: not its tick, but when it was published after it. */
export function shownFrom(snapshot: { as_of: string; published_at: string | null }): string {
  return snapshot.published_at !== null && snapshot.published_at > snapshot.as_of ? snapshot.published_at : snapshot.as_of;
}
