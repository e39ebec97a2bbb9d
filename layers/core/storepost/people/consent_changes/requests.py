"""The write-back's request to a custom store (docs/interface.md, section 5), and its result."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal
from uuid import UUID

from pydantic import Field

from storepost.people.consent.model import ConsentChange, ConsentSource, SkipReason
from storepost.people.consent.states import Channel, ConsentState
from storepost.platform.attempts.model import Attempt
from storepost.platform.attempts.posting import Posted, post_signed
from storepost.stores.stores.write_back import WriteBackConfig
from storepost.values.wire import Shape, Timestamp


class WriteBackCustomer(Shape):
    """A customer of the store that the change is about."""

    external_id: str = Field(
        description="What the store calls the customer: the id that it sent them under."
    )


class WriteBackData(Shape):
    """A change of consent, as it is written back to a store."""

    change_id: UUID = Field(
        description="The change in the consent history of the profile (`consent.getChange`)."
    )
    channel: Channel = Field(description="What the consent is for: emails or text messages.")
    state: ConsentState = Field(description="What holds now for the address.")
    address: str | None = Field(
        description="The email address, or the phone number in E.164. It is null where the person "
        "was erased since: find them by `customers` then."
    )
    occurred_at: Timestamp = Field(description="When the person changed it.")
    source: ConsentSource = Field(
        description="Where the change came from, such as `one_click` for a mail program."
    )
    customers: list[WriteBackCustomer] = Field(
        description="The store's customers that have the address, by their ids in the store."
    )


class ConsentChangedMessage(Shape):
    """The body of a write-back."""

    type: Literal["consent.changed"] = Field(
        default="consent.changed",
        description="Always `consent.changed`. Ignore types you don't know.",
    )
    timestamp: Timestamp = Field(
        description="When Storepost recorded the change. It is the same on each attempt."
    )
    data: WriteBackData = Field(
        description="What changed for whom, and which customers of the store that concerns."
    )

    @classmethod
    def of(cls, change: ConsentChange, external_ids: Iterable[str]) -> "ConsentChangedMessage":
        """Returns the message with the change for the store of these customers."""
        data = WriteBackData(
            change_id=change.id,
            channel=change.channel,
            state=change.state,
            address=change.address,
            occurred_at=change.occurred_at,
            source=change.origin.source,
            customers=[WriteBackCustomer(external_id=each) for each in external_ids],
        )
        return cls(timestamp=change.recorded_at, data=data)


_LATER = frozenset({408, 429})
"""Besides 5xx: a timeout or too many requests (RFC 9110, RFC 6585)."""


@dataclass(frozen=True)
class WriteBackRefusal:
    """Why a store didn't accept a change; it has no part of the store's address or answer."""

    error: str
    lasts: bool
    """Whether another attempt would fail the same way."""
    needs_people: bool = False
    """Whether a person must fix the store's address, or its connection."""


@dataclass(frozen=True)
class WriteBackOutcome:
    """The result of one attempt to write a change back to a store."""

    attempt: Attempt
    reason: WriteBackRefusal | SkipReason | None = None
    """Why the store doesn't have the change; None if it accepted it."""
    retry_after: timedelta | None = None


def post_change(
    config: WriteBackConfig, change: ConsentChange, store_id: UUID, external_ids: Iterable[str]
) -> WriteBackOutcome:
    """Posts the change to the store's address.

    All attempts of one delivery have the same `webhook-id`; the next delivery has another.
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
