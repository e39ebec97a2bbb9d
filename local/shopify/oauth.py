"""A pretend shop's side of OAuth: approval, signed redirects, and tokens."""

import base64
import hmac
import secrets
from collections.abc import Mapping
from hashlib import sha256
from urllib.parse import urlencode

from local.shopify.app import App
from local.shopify.shops import Installation, Shop
from storepost.values import clock


class Refused(Exception):  # noqa: N818 - it is what happened
    """An OAuth error, as RFC 6749 (section 5.2) writes it."""

    def __init__(self, error: str, status: int = 400) -> None:
        """`error` is the code in the answer."""
        super().__init__(error)
        self.error = error
        self.status = status


def approve(app: App, shop: Shop, query: Mapping[str, str]) -> str:
    """Approves an install for the shop; returns the URL to redirect the browser to."""
    if query.get("client_id") != app.client_id:
        raise Refused("application_cannot_be_found")
    code = secrets.token_hex(16)
    shop.codes[code] = tuple(_granted(query.get("scope", "")))
    host = base64.b64encode(f"admin.shopify.com/store/{shop.domain.partition('.')[0]}".encode())
    parameters = {
        "code": code,
        "host": host.decode().rstrip("="),
        "shop": shop.domain,
        "state": query.get("state", ""),
        "timestamp": str(int(clock.now().timestamp())),
    }
    return f"{query['redirect_uri']}?{urlencode(signed(app, parameters))}"


def signed(app: App, parameters: Mapping[str, str]) -> dict[str, str]:
    """Returns the parameters with Shopify's signature."""
    message = "&".join(f"{name}={parameters[name]}" for name in sorted(parameters))
    signature = hmac.new(app.secret.encode(), message.encode(), sha256).hexdigest()
    return {**parameters, "hmac": signature}


def exchange(app: App, shop: Shop, form: Mapping[str, str]) -> dict[str, object]:
    """Returns the answer to a token request. Raises Refused."""
    if form.get("client_id") != app.client_id:
        raise Refused("application_cannot_be_found")
    if not hmac.compare_digest(form.get("client_secret", ""), app.secret):
        raise Refused("invalid_client", 401)
    if form.get("grant_type") == "refresh_token":
        return _token_response(_refreshed(shop, form.get("refresh_token", "")))
    scopes = shop.codes.pop(form.get("code", ""), None)
    if scopes is None or form.get("expiring") != "1":
        raise Refused("invalid_request")
    # An app has one grant per shop: this one replaces any earlier one.
    shop.installation = Installation(scopes)
    shop.installation.give_tokens(instead_of=None)
    return _token_response(shop.installation)


def _refreshed(shop: Shop, refresh_token: str) -> Installation:
    installation = shop.installation
    if installation is None or not installation.refreshes(refresh_token):
        raise Refused("invalid_grant")
    installation.give_tokens(instead_of=refresh_token)
    return installation


def _token_response(installation: Installation) -> dict[str, object]:
    now = clock.now()
    return {
        "access_token": installation.access_token,
        "expires_in": round((installation.access_ends_at - now).total_seconds()),
        "refresh_token": installation.refresh_token,
        "refresh_token_expires_in": round((installation.refresh_ends_at - now).total_seconds()),
        "scope": ",".join(installation.scopes),
    }


def _granted(scope: str) -> list[str]:
    """Returns the scopes as Shopify lists them: without read scopes that a write scope implies."""
    scopes = dict.fromkeys(filter(None, scope.split(",")))
    return [s for s in scopes if s.replace("read_", "write_", 1) not in scopes or "write_" in s]
