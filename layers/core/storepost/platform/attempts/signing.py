"""Signatures of Standard Webhooks: `v1,` and base64 of HMAC-SHA-256.

The signed text is `{webhook-id}.{webhook-timestamp}.{body}`, once with each secret that is valid at
the time.
"""

import hashlib
import hmac
from base64 import b64decode, b64encode
from collections.abc import Iterable
from datetime import datetime

_PREFIX = "whsec_"


def signed_headers(
    message_id: str, at: datetime, body: bytes, secrets: Iterable[str]
) -> dict[str, str]:
    """Returns the three headers of a message that is sent at this moment."""
    timestamp = str(int(at.timestamp()))
    signed = b".".join([message_id.encode(), timestamp.encode(), body])
    return {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(_signature(secret, signed) for secret in secrets),
    }


def _signature(secret: str, signed: bytes) -> str:
    key = b64decode(secret.removeprefix(_PREFIX))
    return "v1," + b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
