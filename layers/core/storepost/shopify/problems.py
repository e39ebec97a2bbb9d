"""What can be wrong with a shop's install (docs/interface.md, section 5)."""

from storepost.values.problems import Conflict, MalformedRequest, ValidationFailed


class ShopifyNotConfigured(Conflict):
    """The deployment has no Shopify app."""

    code = "shopify_not_configured"
    title = "No Shopify app is configured"
    remedy = (
        "Whoever runs the service sets the parameter `ShopifyClientId` and keeps the app's client "
        "secret in the parameter store, under the name that `ShopifySecretName` says."
    )


class ShopInvalid(ValidationFailed):
    """That is no shop's own address."""

    code = "shop_invalid"
    title = "Not a Shopify shop"
    remedy = "Give the shop's own address, like `name.myshopify.com`."


class OAuthInvalid(MalformedRequest):
    """What came back from Shopify was not signed by it, or was begun by nobody, or too long ago."""

    code = "oauth_invalid"
    title = "The install can't be completed"
    remedy = "Begin it again with `POST /connections`."
