"""OAuth with a shop: the address of an install, and tokens for a code or a refresh token.

The tokens are expiring offline tokens: an access token lasts an hour, a refresh token 90 days. Each
refresh returns new ones of both; the old refresh token works until the new one is used, so that a
refresh whose answer got lost can be repeated.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from storepost.platform.fetching import Answer, FetchFailed, UrlNotAllowed, post
from storepost.shopify.answers import code_of
from storepost.shopify.app import ShopifyApp
from storepost.shopify.errors import ShopifyError, ShopUnavailable
from storepost.shopify.shops import address_of
from storepost.values import clock
from storepost.values.json_reading import read_utf_8_json

TIMEOUT_SECONDS = 8
# RFC 6749, section 5.2, and Shopify's error for an unknown client id.
_OUR_FAULT = frozenset(
    {"invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope"}
    | {"application_cannot_be_found"}
)
_REFUSED = frozenset({400, 401, 403})


class GrantRefused(ShopifyError):  # noqa: N818 - it is what happened
    """Shopify gives no tokens for that code or refresh token, now or later."""


@dataclass(frozen=True)
class Tokens:
    """A shop's tokens for the app."""

    access_token: str = field(repr=False)
    access_ends_at: datetime
    refresh_token: str = field(repr=False)
    refresh_ends_at: datetime
    scopes: tuple[str, ...]


def install_address(app: ShopifyApp, shop: str, state: str, redirect_uri: str) -> str:
    """Returns the address where a shop's owner approves the app.

    Shopify then redirects to `redirect_uri`.
    """
    query = {
        "client_id": app.client_id,
        "scope": ",".join(app.scopes),
        "redirect_uri": redirect_uri,
        "state": state,
    }
    return f"{address_of(shop, '/admin/oauth/authorize')}?{urlencode(query)}"


def tokens_for_code(app: ShopifyApp, shop: str, code: str) -> Tokens:
    """Returns the tokens for a code of Shopify's redirect; a code can be exchanged once.

    Raises GrantRefused and ShopUnavailable.
    """
    return _tokens(app, shop, {"code": code, "expiring": "1"})


def refreshed_tokens(app: ShopifyApp, shop: str, refresh_token: str) -> Tokens:
    """Returns new tokens for the refresh token. Raises GrantRefused and ShopUnavailable."""
    return _tokens(app, shop, {"grant_type": "refresh_token", "refresh_token": refresh_token})


def _tokens(app: ShopifyApp, shop: str, parameters: Mapping[str, str]) -> Tokens:
    form = {"client_id": app.client_id, "client_secret": app.secrets()[0], **parameters}
    headers = {
        "content-type": "application/x-www-form-urlencoded",
        "accept": "application/json",
    }
    # Read before the request is sent: times computed from it are early rather than late.
    now = clock.now()
    try:
        answer = post(
            address_of(shop, "/admin/oauth/access_token"),
            body=urlencode(form).encode(),
            headers=headers,
            timeout=TIMEOUT_SECONDS,
        )
    except (FetchFailed, UrlNotAllowed) as error:
        raise ShopUnavailable(error.reason) from error
    return _read(answer, now)


def _read(answer: Answer, now: datetime) -> Tokens:
    payload = _json(answer)
    error = payload.get("error")
    if answer.status in _REFUSED and _is_of_grant(error):
        raise GrantRefused(code_of(error))
    if answer.status != 200:
        raise ShopUnavailable(f"the shop's tokens: HTTP {answer.status}")
    try:
        return Tokens(
            access_token=str(payload["access_token"]),
            access_ends_at=now + timedelta(seconds=int(payload["expires_in"])),
            refresh_token=str(payload["refresh_token"]),
            refresh_ends_at=now + timedelta(seconds=int(payload["refresh_token_expires_in"])),
            scopes=tuple(filter(None, str(payload["scope"]).split(","))),
        )
    except (KeyError, ValueError, TypeError, OverflowError) as error:
        raise ShopUnavailable("the shop's tokens came without what belongs to them") from error


def _is_of_grant(error: object) -> bool:
    return isinstance(error, str) and error != "" and error not in _OUR_FAULT


def _json(answer: Answer) -> dict[str, Any]:
    try:
        payload = read_utf_8_json(answer.body)
    except ValueError:
        return {}
    return payload if isinstance(payload, dict) else {}
