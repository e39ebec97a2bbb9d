"""What can be wrong with a shop's install (docs/interface.md, section 5)."""

from storepost.values.problems import Conflict, MalformedRequest, ValidationFailed


class ShopifyNotConfigured(Conflict):
    """Whoever runs this service hasn't set up a Shopify app for it."""

    code = "shopify_not_configured"
    title = "No Shopify app is configured"
    remedy = (
        "Ask the operator of this service to set up its Shopify app. Custom stores work without "
        "one."
    )


class ShopInvalid(ValidationFailed):
    """The text isn't a shop's own Shopify address."""

    code = "shop_invalid"
    title = "Not a Shopify shop"
    remedy = "Give the shop's own address, like `name.myshopify.com`."


class OAuthInvalid(MalformedRequest):
    """The install is unknown, was completed already, or was started more than ten minutes ago;
    or the parameters aren't signed by Shopify.
    """

    code = "oauth_invalid"
    title = "The install can't be completed"
    remedy = "Start the connection again with `POST /connections`."
