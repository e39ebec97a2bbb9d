"""Who may be written to, in answers."""

from collections.abc import Iterable

from pydantic import Field

from storepost.people.consent.states import Channel, ConsentState
from storepost.people.deliverability.reachability import ChannelReachability as ChannelValue
from storepost.people.deliverability.reachability import Obstacle
from storepost.people.deliverability.schemas import Suppression
from storepost.values.wire import Shape


class ChannelReachability(Shape):
    """What may be sent to the address that a profile shows for a channel."""

    channel: Channel = Field(description="`email` or `sms`.")
    address: str | None = Field(
        description="The address that the profile shows. Null where it shows none."
    )
    consent: ConsentState = Field(
        description="What is known of the person's wish for marketing at this address."
    )
    suppression: Suppression | None = Field(
        description="What suppresses the address; of several the first of `complaint`, "
        "`hard_bounce`, `invalid`, `manual`. Null where nothing does."
    )
    marketing: bool = Field(
        description="Whether marketing may be sent: the address is `subscribed`, and nothing "
        "suppresses it."
    )
    transactional: bool = Field(
        description="Whether what the person needs may be sent, such as an order's confirmation: "
        "there is an address, and nothing but a `manual` suppression."
    )
    why: list[Obstacle] = Field(
        description="All that prevents marketing. Empty where it may be sent."
    )

    @classmethod
    def of(cls, found: ChannelValue) -> "ChannelReachability":
        """Returns the channel in this shape."""
        suppression = found.suppression
        return cls.from_model(
            found,
            address=found.address.value if found.address else None,
            suppression=Suppression.from_model(suppression) if suppression else None,
            why=list(found.why),
        )


class Reachability(Shape):
    """What may be sent to a person, by channel."""

    channels: list[ChannelReachability] = Field(description="`email`, then `sms`; always both.")

    @classmethod
    def of(cls, found: Iterable[ChannelValue]) -> "Reachability":
        """Returns the channels in this shape."""
        return cls(channels=[ChannelReachability.of(each) for each in found])


class CheckedReachability(Shape):
    """What may be sent to an address."""

    channel: Channel = Field(
        description="The address's channel, as requested: `email`, or a phone number for `sms`."
    )
    address: str = Field(description="The address in the form that is compared.")
    marketing: bool = Field(
        description="Whether marketing may be sent: the address is `subscribed`, and nothing "
        "suppresses it."
    )
    transactional: bool = Field(
        description="Whether what the person needs may be sent, such as an order's confirmation: "
        "nothing but a `manual` suppression prevents it."
    )
    why: list[Obstacle] = Field(
        description="All that prevents marketing. Empty where it may be sent."
    )

    @classmethod
    def of(cls, found: ChannelValue) -> "CheckedReachability":
        """Returns what was found of an address in this shape."""
        return cls.from_model(
            found, address=found.address.value if found.address else "", why=list(found.why)
        )


class CheckedReachabilities(Shape):
    """What may be sent to each of the addresses."""

    items: list[CheckedReachability] = Field(description="One for each address, in their order.")

    @classmethod
    def of(cls, found: Iterable[ChannelValue]) -> "CheckedReachabilities":
        """Returns the addresses in this shape."""
        return cls(items=[CheckedReachability.of(each) for each in found])
