"""The app that Shopify knows us as."""

from dataclasses import dataclass

from storepost.platform.persistence.secrets import read_secret
from storepost.shopify.problems import ShopifyNotConfigured
from storepost.values.logs import logger
from storepost.values.settings import settings


@dataclass(frozen=True)
class ShopifyApp:
    """An app of Shopify's, as the deployment names it."""

    client_id: str
    scopes: tuple[str, ...]
    secret_name: str

    def secrets(self) -> tuple[str, ...]:
        """Returns the client secrets, the newest first.

        During a rotation there are two. Shopify signs with the oldest one that wasn't revoked, and
        gives tokens to either. Raises ShopifyNotConfigured.
        """
        found = (read_secret(self.secret_name) or "").split()
        if not found:
            raise _not_configured("the parameter that ShopifySecretName names")
        return tuple(found)


def find_app() -> ShopifyApp | None:
    """Returns the deployment's app; None where it has none, or none any more."""
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
    """The problem; the log says to the operator what is missing, the answer doesn't."""
    logger.warning("no Shopify app", extra={"missing": missing})
    return ShopifyNotConfigured()
