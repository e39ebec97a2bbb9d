"""Webhooks of platforms: taken, queued, and answered at once."""

from storepost.api.http.app import create_app
from storepost.api.http.once import Writes
from storepost.api.http.origin import AsSent
from storepost.sync.webhooks.receiving import signed_webhook, take_webhook
from storepost.sync.webhooks.schemas import WebhookReceived

app = create_app(large_bodies=frozenset({"webhooks.shopify"}))


@app.post("/v1/webhooks/shopify", operation_id="webhooks.shopify")
def shopify(sent: AsSent, writes: Writes) -> WebhookReceived:
    """Receive a Shopify webhook.

    For Shopify alone, which signs the body's bytes and posts what changes in a shop: customers,
    their consent, orders, products, stock, and requests for a person's data or their erasure. The
    work is queued and done after the answer.

    Either spelling of its headers is taken, and while the app's secret is rotated a signature by
    the old one. Topics that Storepost doesn't use are answered alike, and so are webhooks that come
    again. A body that is no JSON object, or that names another shop than the header, was signed as
    something else and is refused.
    """
    take_webhook(signed_webhook(sent.headers, sent.body), writes)
    return WebhookReceived()


lambda_handler = app.handler()
