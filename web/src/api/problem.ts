// Everything that can keep an answer from arriving, in one type, so that each has a separate state on the page.

export type Trouble = "offline" | "credentials" | "scope" | "rate" | "no_snapshot" | "busy" | "request" | "internal";

interface ProblemBody {
  title?: unknown;
  detail?: unknown;
  code?: unknown;
  request_id?: unknown;
  errors?: unknown;
}

export class Problem extends Error {
  constructor(
    readonly trouble: Trouble,
    readonly status: number,
    readonly code: string,
    readonly title: string,
    readonly detail: string,
    /** Seconds to wait before asking again; null when nothing was said. */
    readonly retryAfter: number | null = null,
    readonly requestId: string | null = null,
  ) {
    super(`${title}: ${detail}`);
  }

  static offline(): Problem {
    return new Problem("offline", 0, "offline", "The service cannot be reached", "No answer came from the service.");
  }

  static fromResponse(status: number, body: unknown, retryAfter: string | null): Problem {
    const b: ProblemBody = typeof body === "object" && body !== null ? body : {};
    const text = (v: unknown, otherwise: string) => (typeof v === "string" && v !== "" ? v : otherwise);
    const code = text(b.code, `status_${status}`);
    const seconds = retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : null;
    return new Problem(
      troubleOf(status, code),
      status,
      code,
      text(b.title, `The service answered ${status}`),
      text(b.detail, ""),
      seconds,
      text(b.request_id, "") || null,
    );
  }
}

function troubleOf(status: number, code: string): Trouble {
  if (code === "no_snapshot") return "no_snapshot";
  if (status === 401) return "credentials";
  if (status === 403) return "scope";
  if (status === 429) return "rate";
  if (status === 502 || status === 504) return "offline";
  if (status === 503) return "busy";
  return status >= 500 ? "internal" : "request";
}
