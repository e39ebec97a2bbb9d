"""What Shopify signs with the app's client secret: a redirect's query, and a webhook's body."""

import hmac
from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from urllib.parse import parse_qsl

SIGNATURE = "hmac"


def signed_query(raw_query: str, secrets: Iterable[str]) -> dict[str, str] | None:
    """Returns the parameters of a redirect that Shopify signed with one of the secrets, else None.

    Signed are the decoded parameters but `hmac` itself, as `name=value` in the order of their
    names, joined by `&`; `%`, `&` and in names `=` stay encoded, so that no two queries are signed
    alike. A parameter that comes twice is refused: which one counts would be the reader's choice.
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
    """Returns what Shopify computes the signature of a redirect over."""
    lines = (f"{_plain(name).replace('=', '%3D')}={_plain(value)}" for name, value in parameters)
    return "&".join(sorted(lines))


def _plain(text: str) -> str:
    return text.replace("%", "%25").replace("&", "%26")


def _signature(message: bytes, secret: str) -> str:
    return hmac.new(secret.encode(), message, sha256).hexdigest()


def is_signed(raw: bytes, signature: str, secrets: Iterable[str]) -> bool:
    """Returns whether Shopify signed the bytes with one of the secrets;
    compared in constant time.
    """
    expected = (b64encode(hmac.new(each.encode(), raw, sha256).digest()) for each in secrets)
    return any([hmac.compare_digest(each, signature.encode()) for each in expected])
