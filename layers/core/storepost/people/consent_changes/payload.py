"""What a custom store is told of a change of consent, as Standard Webhooks shapes a message."""

from collections.abc import Iterable
from typing import Literal
from uuid import UUID

from pydantic import Field

from storepost.people.consent.model import ConsentChange, ConsentSource
from storepost.people.consent.states import Channel, ConsentState
from storepost.values.wire import Shape, Timestamp


class WriteBackCustomer(Shape):
    """A customer of the store that the change is about."""

    external_id: str = Field(
        description="What the store calls the customer: the id that it sent them under."
    )


class WriteBackData(Shape):
    """A change of consent, as a store is told of it."""

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
        """Returns the message that tells of the change to the store of these customers."""
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
