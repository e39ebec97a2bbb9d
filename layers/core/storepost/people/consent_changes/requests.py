"""The request that tells a custom store of a change (docs/interface.md, section 5)."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from storepost.people.consent.model import ConsentChange
from storepost.people.consent_changes.signing import signed_headers
from storepost.people.consent_changes.write_back_message import ConsentChangedMessage
from storepost.platform.fetching import FetchFailed, UrlNotAllowed, post
from storepost.stores.stores.write_back import WriteBackConfig
from storepost.values import clock

TIMEOUT_SECONDS = 10.0
_LATER = frozenset({408, 429})
"""Besides 5xx: the server had no time, or was asked too often (RFC 9110, RFC 6585)."""


@dataclass(frozen=True)
class WriteBackRefusal:
    """Says why a store didn't take a change; no part of its address or answer stands in it."""

    error: str
    lasts: bool
    """Whether another try would end the same."""
    needs_people: bool = False
    """Whether somebody has to mend the store's address, or its connection."""


def post_change(
    config: WriteBackConfig, change: ConsentChange, store_id: UUID, external_ids: Iterable[str]
) -> WriteBackRefusal | None:
    """Posts the change to the store's address; returns None once the store took it.

    Each try of one delivery has the same `webhook-id`, and the next delivery has another.
    """
    message = ConsentChangedMessage.of(change, external_ids)
    body = message.model_dump_json(by_alias=True).encode()
    message_id = f"{change.delivery_id_for(store_id)}.{store_id}"
    headers = signed_headers(message_id, clock.now(), body, config.secrets)
    headers["content-type"] = "application/json"
    try:
        answer = post(config.url, body=body, headers=headers, timeout=TIMEOUT_SECONDS)
    except UrlNotAllowed as refused:
        return WriteBackRefusal(refused.reason, lasts=True, needs_people=True)
    except FetchFailed as failed:
        return WriteBackRefusal(f"The store didn't answer: {failed.reason}.", lasts=False)
    return _refusal(answer.status)


def _refusal(status: int) -> WriteBackRefusal | None:
    if 200 <= status < 300:
        return None
    lasts = status < 500 and status not in _LATER
    return WriteBackRefusal(
        f"The store answered with status {status}.", lasts=lasts, needs_people=lasts
    )
