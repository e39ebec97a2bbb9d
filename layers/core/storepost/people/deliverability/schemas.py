"""Suppressions in answers."""

from uuid import UUID

from pydantic import Field

from storepost.people.consent.model import Address
from storepost.people.consent.states import Channel
from storepost.people.suppressions import model
from storepost.people.suppressions.model import SuppressionReason, SuppressionSource
from storepost.values.wire import Shape, Timestamp


class Suppression(Shape):
    """That nothing is sent to an address, and why."""

    id: UUID = Field(description="Names this suppression in `GET` and `DELETE /suppressions/{id}`.")
    channel: Channel = Field(
        description="What the address is: `email`, or a phone number for `sms`."
    )
    address: str | None = Field(
        description="The email address in small letters, or the phone number in E.164. Null where "
        "the person was erased: the address stays suppressed by its keyed hash."
    )
    reason: SuppressionReason = Field(
        description="Why nothing is sent. With `manual` alone, what the person needs still is, "
        "such as an order's confirmation."
    )
    source: SuppressionSource = Field(description="How the suppression came.")
    note: str | None = Field(
        description="What was noted with it. Null where nothing was, or the person was erased."
    )
    by: str | None = Field(
        description="The name of the person or the API key that entered it. Null where nobody did."
    )
    created_at: Timestamp = Field(description="Since when the address is suppressed.")
    ends_at: Timestamp | None = Field(
        description="When it ends automatically: 180 days after the last of seven emails in a row "
        "that bounced for reasons that may pass. Null where it doesn't."
    )
    lifted_at: Timestamp | None = Field(
        description="When it was lifted, or ended automatically. Null while nobody lifted it."
    )
    lifted_by: str | None = Field(
        description="The name of the person or the API key that lifted it. Null where nobody did."
    )
    lift_note: str | None = Field(
        description="Why it was lifted, in the words of the person who did so. Null where nobody "
        "wrote anything, or the person was erased."
    )


class CheckedSuppression(Shape):
    """Whether an address is suppressed."""

    channel: Channel = Field(
        description="The address's channel, as requested: `email`, or a phone number for `sms`."
    )
    address: str = Field(description="The address in the form that is compared.")
    suppressed: bool = Field(description="Whether anything suppresses it.")
    reason: SuppressionReason | None = Field(
        description="Why; of several reasons the first of `complaint`, `hard_bounce`, `invalid`, "
        "`manual`. Null where it isn't suppressed."
    )

    @classmethod
    def of(cls, address: Address, found: model.Suppression | None) -> "CheckedSuppression":
        """Returns what was found of an address in this shape."""
        return cls(
            channel=address.channel,
            address=address.value,
            suppressed=found is not None,
            reason=found.reason if found else None,
        )


class CheckedSuppressions(Shape):
    """Which of the addresses are suppressed."""

    items: list[CheckedSuppression] = Field(description="One for each address, in their order.")
