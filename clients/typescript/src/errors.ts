// What can go wrong. The service answers with problem documents (RFC 9457); each becomes a ProblemError.

import type { Schemas } from "./types.js";

/** Everything that this package throws on purpose. */
export class GsiError extends Error {
  override name = "GsiError";
}

/** No answer came: the service cannot be reached, or was silent for too long. */
export class ConnectionFailed extends GsiError {
  override name = "ConnectionFailed";
}

/** A message that is not what the service signed, or is too old. */
export class WebhookVerificationError extends GsiError {
  override name = "WebhookVerificationError";
}

/** The service refused. `code` is the stable word to decide by. */
export class ProblemError extends GsiError {
  override name = "ProblemError";
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string | undefined;
  readonly errors: Schemas["ParameterProblem"][];

  constructor(
    readonly status: number,
    problem: Partial<Schemas["Problem"]>,
    /** Seconds that the service asks to wait. */
    readonly retryAfter: number | undefined,
  ) {
    const code = problem.code ?? "unknown";
    super(`${status} ${code}: ${problem.detail ?? problem.title ?? "no problem document"}`);
    this.code = code;
    this.title = problem.title ?? "";
    this.detail = problem.detail ?? "";
    this.requestId = problem.request_id;
    this.errors = problem.errors ?? [];
  }
}

/** The error for an answer that is not a success. An answer of a proxy has no fields. */
export async function problemFrom(response: Response, retryAfter: number | undefined): Promise<ProblemError> {
  const said: unknown = await response.json().catch(() => undefined);
  return new ProblemError(response.status, typeof said === "object" && said !== null ? said : {}, retryAfter);
}
