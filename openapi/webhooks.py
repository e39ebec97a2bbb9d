"""Describes the service's own requests: write-backs to stores, and events to webhook endpoints."""

from datetime import timedelta

from pydantic import TypeAdapter

from openapi.operations import Document
from openapi.signed_headers import signed_headers
from openapi.webhook_events import event_schemas, event_webhooks
from storepost.people.consent_changes.requests import ConsentChangedMessage
from storepost.platform.attempts.posting import TIMEOUT_SECONDS
from storepost.platform.attempts.waits import WAITS

WRITE_BACK = "writeBack"
"""The write-back's name among the webhooks, as `consent.changed` is a type of event, too."""

_ATTEMPTS = len(WAITS) + 1
_DAYS = round(sum(WAITS, start=timedelta()) / timedelta(days=1))
_ABOUT = f"""\
Sent to the address that `stores.putWriteBack` sets, for each change of consent that concerns a \
customer of that store, but for changes that the store itself reported.

**Verify it** before you trust it: it is signed as \
[Standard Webhooks](https://www.standardwebhooks.com/) says, with each secret that is valid. The \
signature is made over the body's bytes as they came. The guide \
[Write-backs](guides/write-backs.md) has code that verifies one.

**Answer** with a status from 200 to 299 within {TIMEOUT_SECONDS:.0f} seconds, once you have kept \
it. After 408, 429, 5xx or no answer it is sent again: {_ATTEMPTS} attempts within about {_DAYS} \
days, with growing waits, and not before your `Retry-After`. Any other answer, a redirect too, \
counts as a refusal at once. A newer change of the address ends the attempts of an older one. \
`writeBacks.list` has each attempt; with `status=failed` it lists what you didn't accept. That \
is sent again by `writeBacks.retry`, and also after your address changes or after you accept \
another one.

**An event has the same type.** Webhook endpoints are sent events of the type `consent.changed`. \
Those are signed with the secret of the endpoint, and their `data` has `id` and `profileId`. This \
message is signed with the secret of the store, and its `data` has `changeId` and `customers`.

**Expect it more than once** and in any order. Each attempt of a delivery has the same \
`webhook-id`. Of two changes of one address the one with the later `occurredAt` holds.
"""
_EXAMPLE_ID = "0198c5a1-7e6b-7a52-9d58-3a4f6f0b1c2d.0198c5a0-11aa-7c3e-8b64-2d9c0e7f5a31"
_EXAMPLE = {
    "type": "consent.changed",
    "timestamp": "2026-03-14T09:30:10.000Z",
    "data": {
        "changeId": "0198c5a1-7e6b-7a52-9d58-3a4f6f0b1c2d",
        "channel": "email",
        "state": "unsubscribed",
        "address": "ada@example.com",
        "occurredAt": "2026-03-14T09:30:09.120Z",
        "source": "one_click",
        "customers": [{"externalId": "1001"}],
    },
}
_ANSWERS = {
    "2XX": "You accepted it: the write-back is `written`.",
    "408": "You had no time: it is sent again.",
    "429": "You get too many requests: it is sent again.",
    "5XX": "Something went wrong at your end: it is sent again.",
    "default": "You refused it: the write-back is `failed`, and isn't sent again automatically.",
}


def webhooks() -> Document:
    """Returns the description's `webhooks`: a write-back, and each type of event by its name."""
    return {WRITE_BACK: {"post": _write_back()}, **event_webhooks()}


def _write_back() -> Document:
    return {
        "operationId": "consentWriteBack",
        "tags": ["consent"],
        "summary": "A customer's consent changed",
        "description": _ABOUT,
        "security": [],
        "parameters": signed_headers(_EXAMPLE_ID),
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {"$ref": "#/components/schemas/ConsentChangedMessage"},
                    "example": _EXAMPLE,
                }
            },
        },
        "responses": {status: {"description": about} for status, about in _ANSWERS.items()},
    }


def webhook_schemas() -> Document:
    """Returns the components of the webhooks, as pydantic describes them."""
    _, described = TypeAdapter.json_schemas(
        [("message", "serialization", TypeAdapter(ConsentChangedMessage))],
        ref_template="#/components/schemas/{model}",
    )
    schemas: Document = {**described["$defs"], **event_schemas()}
    return schemas
