/** A client of Storepost: every operation with its types, safe retries, and write-backs. */

export { Storepost, type StorepostOptions } from "./client.js";
export type * from "./generated/types.gen.js";
export type { ProblemCode } from "./generated/problem-codes.js";
export { items, pages, type Page } from "./paging.js";
export { ProblemError, type FieldError } from "./problems.js";
export type { Retries } from "./retrying.js";
export { verifyWebhook, WebhookVerificationError, type WebhookHeaders } from "./webhooks.js";
