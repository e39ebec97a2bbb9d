/**
 * Verifies write-backs to a custom store, and events to a webhook endpoint.
 *
 * Each store and each endpoint has a secret of its own; use that of the receiving URL's owner.
 *
 * They are signed as Standard Webhooks 1.0.0 says: `webhook-signature` has a signature for each
 * valid secret, separated by spaces: `v1,` and the base64 of HMAC-SHA-256 over
 * `{webhook-id}.{webhook-timestamp}.{body}`.
 */

import { createHmac, timingSafeEqual } from "node:crypto";

/** How far the sender's clock may differ from ours: an older message may be a replay. */
const TOLERANCE_SECONDS = 300;

/** Headers as Node's `http` has them, or as `fetch` has. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/** The request isn't the service's, or was changed. Answer 401 and do nothing. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

/**
 * Returns the body's JSON, if one of the signatures was made with the `whsec_…` secret.
 *
 * `body` is the request's unchanged bytes. `now` and `tolerance` are in seconds. Throws
 * `WebhookVerificationError`. The same `webhook-id` may arrive more than once: do its work once.
 */
export function verifyWebhook(
  secret: string,
  headers: WebhookHeaders,
  body: Uint8Array,
  { now = Date.now() / 1_000, tolerance = TOLERANCE_SECONDS } = {},
): Record<string, unknown> {
  const id = header(headers, "webhook-id");
  const timestamp = header(headers, "webhook-timestamp");
  const signatures = header(headers, "webhook-signature");
  if (id === "" || signatures === "" || !/^[0-9]+$/.test(timestamp)) {
    throw new WebhookVerificationError(
      "A header of webhook-id, -timestamp, -signature is missing.",
    );
  }
  if (Math.abs(now - Number(timestamp)) > tolerance) {
    throw new WebhookVerificationError(
      "It was signed too long ago, or one of the clocks is wrong.",
    );
  }
  const expected = `v1,${createHmac("sha256", key(secret))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest("base64")}`;
  if (!signatures.split(" ").some((each) => isEqual(each, expected))) {
    throw new WebhookVerificationError("No signature is of this secret and this body.");
  }
  return jsonObject(body);
}

function jsonObject(body: Uint8Array): Record<string, unknown> {
  let told: unknown;
  try {
    told = JSON.parse(Buffer.from(body).toString("utf8"));
  } catch {
    told = undefined;
  }
  if (typeof told !== "object" || told === null || Array.isArray(told)) {
    throw new WebhookVerificationError("The body is no JSON object.");
  }
  return told as Record<string, unknown>;
}

function header(headers: WebhookHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? "";
  const found = Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  return typeof found === "string" ? found : "";
}

function key(secret: string): Buffer {
  const text = secret.replace(/^whsec_/, "");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) {
    throw new TypeError("The secret must be `whsec_` and base64, as the service gave it.");
  }
  return Buffer.from(text, "base64");
}

function isEqual(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
