/** Verification of write-backs: the headers and bodies that pass, and those that don't. */

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";

import { verifyWebhook, WebhookVerificationError } from "../src/index.js";

// The example of the Standard Webhooks libraries' own tests.
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const BODY = Buffer.from('{"test": 2432232314}');
const NOW = { now: 1614265330 };
const SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
const HEADERS = {
  "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
  "webhook-timestamp": "1614265330",
  "webhook-signature": SIGNATURE,
};

test("what is signed passes, by either kind of headers", () => {
  assert.deepEqual(verifyWebhook(SECRET, HEADERS, BODY, NOW), { test: 2432232314 });
  assert.deepEqual(verifyWebhook(SECRET, new Headers(HEADERS), BODY, NOW), { test: 2432232314 });
});

test("one signature of several is enough", () => {
  const several = { ...HEADERS, "webhook-signature": `v1,b3RoZXI= é ${SIGNATURE}` };
  assert.ok(verifyWebhook(SECRET, several, BODY, NOW));
});

for (const change of [
  { "webhook-id": "msg_other" },
  { "webhook-id": "" },
  { "webhook-timestamp": "1614265331" },
  { "webhook-timestamp": "soon" },
  { "webhook-timestamp": "-1" },
  { "webhook-timestamp": undefined },
  { "webhook-signature": "v1,b3RoZXI=" },
  { "webhook-signature": SIGNATURE.slice(3) },
  { "webhook-signature": "é" },
  { "webhook-signature": undefined },
]) {
  test(`a changed header is refused: ${JSON.stringify(change)}`, () => {
    assert.throws(
      () => verifyWebhook(SECRET, { ...HEADERS, ...change }, BODY, NOW),
      WebhookVerificationError,
    );
  });
}

test("a changed body, another secret and an old request are refused", () => {
  const other = Buffer.from('{"test": 1}');
  assert.throws(() => verifyWebhook(SECRET, HEADERS, other, NOW), WebhookVerificationError);
  assert.throws(
    () => verifyWebhook("whsec_b3RoZXI=", HEADERS, BODY, NOW),
    WebhookVerificationError,
  );
  for (const by of [-301, 301]) {
    const options = { now: NOW.now + by };
    assert.throws(() => verifyWebhook(SECRET, HEADERS, BODY, options), /too long ago/);
  }
  assert.ok(verifyWebhook(SECRET, HEADERS, BODY, { now: NOW.now + 300 }));
});

for (const text of ["[]", "1", "null", "", "{"]) {
  test(`a signed body that is no object is refused: ${text}`, () => {
    const body = Buffer.from(text);
    const signature = createHmac("sha256", Buffer.from(SECRET.slice(6), "base64"))
      .update(`${HEADERS["webhook-id"]}.${HEADERS["webhook-timestamp"]}.${text}`)
      .digest("base64");
    const headers = { ...HEADERS, "webhook-signature": `v1,${signature}` };
    assert.throws(() => verifyWebhook(SECRET, headers, body, NOW), /no JSON object/);
  });
}

test("a secret that is none is the caller's error", () => {
  assert.throws(() => verifyWebhook("whsec_***", HEADERS, BODY, NOW), TypeError);
});
