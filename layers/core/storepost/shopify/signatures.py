"""Verifies Shopify's signatures by the app's client secret: of a redirect and of a webhook."""

import hmac
from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from urllib.parse import parse_qsl

SIGNATURE = "hmac"


def signed_query(raw_query: str, secrets: Iterable[str]) -> dict[str, str] | None:
    """Returns the parameters of a redirect that Shopify signed with one of the secrets, else None.

    The signature is over the decoded parameters without `hmac`, as `name=value` sorted by name,
    joined by `&`; `%`, `&` and in names `=` stay encoded, so that no two queries have the same
    text. A repeated parameter is refused: it would be ambiguous which value counts.
    """
    try:
        pairs = parse_qsl(raw_query, keep_blank_values=True, strict_parsing=True, errors="strict")
    except ValueError:
        return None
    parameters = dict(pairs)
    signature = parameters.pop(SIGNATURE, "")
    if len(parameters) + 1 != len(pairs) or not signature.isascii():
        return None
    message = signed_text(list(parameters.items())).encode()
    matches = [hmac.compare_digest(_signature(message, secret), signature) for secret in secrets]
    return parameters if any(matches) else None


def signed_text(parameters: Sequence[tuple[str, str]]) -> str:
    """Returns the text that Shopify signs for a redirect."""
    lines = (f"{_plain(name).replace('=', '%3D')}={_plain(value)}" for name, value in parameters)
    return "&".join(sorted(lines))


def _plain(text: str) -> str:
    return text.replace("%", "%25").replace("&", "%26")


def _signature(message: bytes, secret: str) -> str:
    return hmac.new(secret.encode(), message, sha256).hexdigest()


def is_signed(raw: bytes, signature: str, secrets: Iterable[str]) -> bool:
    """Returns whether Shopify signed the bytes with one of the secrets; in constant time."""
    expected = (b64encode(hmac.new(each.encode(), raw, sha256).digest()) for each in secrets)
    return any([hmac.compare_digest(each, signature.encode()) for each in expected])
