"""Verifies write-backs to a custom store, and events to a webhook endpoint.

Each store and each endpoint has a secret of its own; use that of the receiving URL's owner.

They are signed as Standard Webhooks 1.0.0 says: `webhook-signature` has a signature for each valid
secret, separated by spaces: `v1,` and the base64 of HMAC-SHA-256 over
`{webhook-id}.{webhook-timestamp}.{body}`.
"""

import hashlib
import hmac
import json
import time
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Mapping
from typing import Any

TOLERANCE_SECONDS = 300
"""How far the sender's clock may differ from ours: an older message may be a replay."""


class WebhookVerificationError(Exception):
    """The request isn't the service's, or was changed. Answer 401 and do nothing."""


def verify_webhook(
    secret: str,
    headers: Mapping[str, str],
    body: bytes,
    *,
    now: float | None = None,
    tolerance: float = TOLERANCE_SECONDS,
) -> dict[str, Any]:
    """Returns the body's JSON, if one of the signatures was made with the `whsec_…` secret.

    `body` is the request's unchanged bytes, `now` is in seconds since 1970. Raises
    `WebhookVerificationError`. The same `webhook-id` may arrive more than once: do its work once.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp, signatures = (
        lower.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature")
    )
    if not (message_id and signatures and timestamp.isascii() and timestamp.isdigit()):
        raise WebhookVerificationError("A header of webhook-id, -timestamp, -signature is missing.")
    # A float holds any number of digits: those of a stranger's header may be thousands.
    if abs((time.time() if now is None else now) - float(timestamp)) > tolerance:
        raise WebhookVerificationError("It was signed too long ago, or one of the clocks is wrong.")
    signed = b".".join([message_id.encode(), timestamp.encode(), body])
    expected = b"v1," + b64encode(hmac.digest(_key(secret), signed, hashlib.sha256))
    # Each is compared in constant time, and as bytes: a stranger's header may not be ASCII.
    if not any([hmac.compare_digest(expected, each.encode()) for each in signatures.split(" ")]):
        raise WebhookVerificationError("No signature is of this secret and this body.")
    return _json_object(body)


def _json_object(body: bytes) -> dict[str, Any]:
    try:
        message = json.loads(body)
    except ValueError:
        message = None
    if not isinstance(message, dict):
        raise WebhookVerificationError("The body is no JSON object.")
    return message


def _key(secret: str) -> bytes:
    try:
        key = b64decode(secret.removeprefix("whsec_"), validate=True)
    except NotBase64:
        key = b""
    if not key:
        raise ValueError("The secret must be `whsec_` and base64, as the service gave it.")
    return key
