// When a request is worth another attempt, and after how long. Only GET is ever sent.

/** Too many requests, and three statuses of a service that cannot answer now. */
export const TRY_AGAIN: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** The service promises to be back within a tick; a caller that wants to wait longer says so. */
export const LONGEST_WAIT_SECONDS = 60;
const FIRST_WAIT_SECONDS = 0.5;

/** The seconds that the service asks to wait, which may be given as a date. */
export function retryAfter(response: Response): number | undefined {
  const said = response.headers.get("Retry-After");
  if (said === null) return undefined;
  if (/^\d+$/.test(said)) return Number(said);
  const until = Date.parse(said);
  return Number.isNaN(until) ? undefined : Math.max(0, (until - Date.now()) / 1000);
}

/** Seconds to wait before the attempt after this one (the first is 0); undefined when it is not worth one. */
export function waitBefore(attempt: number, response: Response | undefined, maxRetries: number): number | undefined {
  if (attempt >= maxRetries || (response !== undefined && !TRY_AGAIN.has(response.status))) return undefined;
  const asked = response && retryAfter(response);
  if (asked !== undefined) return asked <= LONGEST_WAIT_SECONDS ? asked : undefined;
  // Apart from each other, so that many clients do not come back at once.
  return Math.min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** attempt) * (0.5 + Math.random() / 2);
}

/** Waits, or rejects with the signal's reason. */
export function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener("abort", end, { once: true });
  });
}
