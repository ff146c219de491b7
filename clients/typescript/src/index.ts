export { Cache } from "./cache.js";
export { Client, type ClientOptions, type StreamOptions } from "./client.js";
export { ConnectionFailed, GsiError, ProblemError, WebhookVerificationError } from "./errors.js";
export { OPERATIONS } from "./operations.js";
export type { StreamMessage, components, operations, paths } from "./schema.js";
export type { Answer, BodyOf, OperationId, PathOf, QueryOf, RequestOptions, Schemas } from "./types.js";
export { verifyWebhook, type VerifyOptions } from "./webhooks.js";
