"""Tokens of requests: how they are made, and how their kinds are distinguished without a read.

A session's is `sts_` and 43 characters. An API key is `stp_`, 8 characters that may be shown
(together they are the key's `prefix`), `_`, and 40 of which the last 6 are a checksum, so that a
typing error or a scanner's find costs no read. Only the SHA-256 of a token is ever stored.
"""

import hashlib
import hmac
import secrets
import zlib

SESSION_PREFIX = "sts_"
KEY_PREFIX = "stp_"
_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_PREFIX_LENGTH = 8
_SECRET = 34
_CHECK = 6
_KEY = len(KEY_PREFIX) + _PREFIX_LENGTH + len("_") + _SECRET + _CHECK
_SESSION_BYTES, _SESSION = 32, 43
"""Random bytes, and the characters that they take in base64."""


def new_session_token() -> str:
    """Returns 256 random bits with a prefix that shows their kind."""
    return SESSION_PREFIX + secrets.token_urlsafe(_SESSION_BYTES)


def new_api_key() -> str:
    """Returns a key with 250 random bits, 202 of them never shown again."""
    prefix, secret = (
        "".join(secrets.choice(_BASE62) for _ in range(length))
        for length in (_PREFIX_LENGTH, _SECRET)
    )
    body = f"{KEY_PREFIX}{prefix}_{secret}"
    return body + _checksum(body)


def prefix_of_key(key: str) -> str:
    """Returns the part of an API key that lists show: `stp_` and 8 characters."""
    return key[: len(KEY_PREFIX) + _PREFIX_LENGTH]


def is_well_formed(token: str) -> bool:
    """Returns whether the token can be one of ours; most others are refused without a read."""
    if token.startswith(SESSION_PREFIX):
        return len(token) == len(SESSION_PREFIX) + _SESSION
    if not token.startswith(KEY_PREFIX) or len(token) != _KEY:
        return False
    body, check = token[:-_CHECK], token[-_CHECK:]
    return hmac.compare_digest(_checksum(body).encode(), check.encode(errors="replace"))


def digest(token: str) -> str:
    """Returns the SHA-256 of a token of 200 bits or more, in hexadecimal, which is stored of it."""
    return hashlib.sha256(token.encode()).hexdigest()


def _checksum(body: str) -> str:
    number = zlib.crc32(body.encode(errors="replace"))
    digits = ""
    for _ in range(_CHECK):
        number, digit = divmod(number, len(_BASE62))
        digits = _BASE62[digit] + digits
    return digits
