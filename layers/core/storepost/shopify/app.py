"""The deployment's Shopify app."""

from dataclasses import dataclass

from storepost.platform.persistence.secrets import read_secret
from storepost.shopify.problems import ShopifyNotConfigured
from storepost.values.logs import logger
from storepost.values.settings import settings


@dataclass(frozen=True)
class ShopifyApp:
    """A Shopify app, as the deployment's settings name it."""

    client_id: str
    scopes: tuple[str, ...]
    secret_name: str

    def secrets(self) -> tuple[str, ...]:
        """Returns the client secrets, the newest first.

        During a rotation there are two. Shopify signs with the oldest one that isn't revoked, and
        gives tokens for either. Raises ShopifyNotConfigured.
        """
        found = (read_secret(self.secret_name) or "").split()
        if not found:
            raise _not_configured("the parameter that ShopifySecretName names")
        return tuple(found)


def find_app() -> ShopifyApp | None:
    """Returns the deployment's app; None where it has none."""
    known = settings()
    if not known.shopify_client_id:
        return None
    scopes = tuple(scope.strip() for scope in known.shopify_scopes.split(","))
    return ShopifyApp(known.shopify_client_id, scopes, known.shopify_secret_name)


def shopify_app() -> ShopifyApp:
    """Returns the deployment's app. Raises ShopifyNotConfigured."""
    app = find_app()
    if app is None:
        raise _not_configured("ShopifyClientId")
    return app


def _not_configured(missing: str) -> ShopifyNotConfigured:
    """The problem; the log names the missing setting for the operator, the answer doesn't."""
    logger.warning("no Shopify app", extra={"missing": missing})
    return ShopifyNotConfigured()
