"""A client of Storepost: every operation with its types, safe retries, and write-backs."""

from storepost_client.client import Storepost
from storepost_client.generated import models
from storepost_client.generated.types import UNSET, Unset
from storepost_client.paging import Page, Pages
from storepost_client.problems import FieldError, ProblemError
from storepost_client.transport import Retries
from storepost_client.webhooks import WebhookVerificationError, verify_webhook

__all__ = [
    "UNSET",
    "FieldError",
    "Page",
    "Pages",
    "ProblemError",
    "Retries",
    "Storepost",
    "Unset",
    "WebhookVerificationError",
    "models",
    "verify_webhook",
]
