"""Uninstalls the app from a shop that was disconnected."""

from storepost.shopify import documents
from storepost.shopify.admin import AdminClient, FixedAccess
from storepost.shopify.app import shopify_app
from storepost.shopify.errors import ShopifyError
from storepost.shopify.grants import Grant
from storepost.shopify.oauth import refreshed_tokens
from storepost.shopify.problems import ShopifyNotConfigured
from storepost.values import clock
from storepost.values.logs import logger
from storepost.values.problems import handles

TIMEOUT_SECONDS = 3.0


@handles(ShopifyNotConfigured)
def uninstall(grant: Grant) -> None:
    """Uninstalls the app from the shop, by tokens that aren't stored any more.

    It tries once, and may fail. Until it succeeds, the shop continues to send its webhooks, which
    are ignored here. The shop's owner can uninstall the app too.
    """
    try:
        if clock.now() < grant.access_ends_at:
            token = grant.access_token()
        else:
            tokens = refreshed_tokens(shopify_app(), grant.shop, grant.refresh_token())
            token = tokens.access_token
        with AdminClient(
            grant.shop, FixedAccess(token), patience_seconds=0, timeout_seconds=TIMEOUT_SECONDS
        ) as admin:
            admin.run(documents.APP_UNINSTALL)
    except (ShopifyError, ShopifyNotConfigured) as error:
        logger.warning("app not removed from a shop", extra={"reason": str(error)})
