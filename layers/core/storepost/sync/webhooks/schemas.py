"""Webhooks on the wire. Their bodies are the platform's own."""

from storepost.values.wire import Shape


class WebhookReceived(Shape):
    """The webhook was received. The object is empty, since Shopify reads the status alone."""
