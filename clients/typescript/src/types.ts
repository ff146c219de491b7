// What the operations take and give, by their names in the OpenAPI document.

import type { components, operations } from "./schema.js";

export type Schemas = components["schemas"];
export type OperationId = keyof operations;

type Parameters<Id extends OperationId> = operations[Id]["parameters"];

/** The query of an operation. The form of the answer is chosen by the method. */
export type QueryOf<Id extends OperationId> = Omit<NonNullable<Parameters<Id>["query"]>, "format">;

/** The parameters in the path of an operation. */
export type PathOf<Id extends OperationId> = NonNullable<Parameters<Id>["path"]>;

/** The body of an operation's answer, in one of its forms. */
export type BodyOf<Id extends OperationId, Media extends string = "application/json"> = operations[Id]["responses"] extends {
  200: { content: infer Content };
}
  ? Media extends keyof Content
    ? Content[Media]
    : never
  : never;

export type Query = object;

export interface RequestOptions {
  /** Ends the request, also while it waits to try again. */
  signal?: AbortSignal | undefined;
}

/** A body with what the service said about it. */
export interface Answer<Body = unknown> {
  body: Body;
  headers: Headers;
  /** The service said that the body has not changed since it was last asked for. */
  fromCache: boolean;
  /** `ok`, `degraded` or `stale`: how far to trust a score. */
  dataStatus: string | undefined;
  simulated: boolean;
}
