"""The request that tells a custom store of a change (docs/interface.md, section 5), and what came
of it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from storepost.people.consent.model import ConsentChange, SkipReason
from storepost.people.consent_changes.payload import ConsentChangedMessage
from storepost.platform.attempts.model import Attempt
from storepost.platform.attempts.posting import Posted, post_signed
from storepost.stores.stores.write_back import WriteBackConfig

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


@dataclass(frozen=True)
class WriteBackOutcome:
    """Says what came of one attempt to tell a store."""

    attempt: Attempt
    reason: WriteBackRefusal | SkipReason | None = None
    """Why the store doesn't have the change; None once it took it."""
    retry_after: timedelta | None = None


def post_change(
    config: WriteBackConfig, change: ConsentChange, store_id: UUID, external_ids: Iterable[str]
) -> WriteBackOutcome:
    """Posts the change to the store's address.

    Each attempt of one delivery has the same `webhook-id`, and the next delivery has another.
    """
    message = ConsentChangedMessage.of(change, external_ids)
    body = message.model_dump_json(by_alias=True).encode()
    message_id = f"{change.delivery_id_for(store_id)}.{store_id}"
    posted = post_signed("store", config.url, message_id, body, config.secrets)
    return WriteBackOutcome(posted.attempt, _refusal(posted), posted.retry_after)


def _refusal(posted: Posted) -> WriteBackRefusal | None:
    error, status = posted.attempt.error, posted.attempt.status
    if error is None:
        return None
    answers_for_good = status is not None and status < 500 and status not in _LATER
    lasts = answers_for_good or not posted.is_allowed
    return WriteBackRefusal(error, lasts=lasts, needs_people=lasts)
