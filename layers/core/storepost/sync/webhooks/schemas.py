"""Webhooks on the wire. Their bodies are the platform's own."""

from storepost.values.wire import Shape


class WebhookReceived(Shape):
    """That a webhook was taken: an empty object, for nobody reads it."""
