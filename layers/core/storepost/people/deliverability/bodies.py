"""What requests say of suppressions."""

from typing import Annotated

from pydantic import Field, ValidationInfo, field_validator

from storepost.people.consent.model import Address
from storepost.people.consent.states import Channel
from storepost.people.suppressions.model import SuppressionReason
from storepost.values import emails, phones
from storepost.values.emails import LENGTH
from storepost.values.wire import RequestBody, Text

MAX_ADDRESSES = 500


class AddressInput(RequestBody):
    """An email address or a phone number."""

    channel: Channel = Field(
        description="What the address is: `email`, or a phone number for `sms`."
    )
    address: Annotated[str, Field(max_length=LENGTH)] = Field(
        description="The email address, or the phone number with its country code.",
        examples=["ada@example.com"],
    )

    @field_validator("address")
    @classmethod
    def _as_compared(cls, value: str, info: ValidationInfo) -> str:
        channel = info.data.get("channel")
        if channel is None:  # that is wrong already
            return value
        return emails.normalised(value) if channel is Channel.EMAIL else phones.normalised(value)

    @property
    def value(self) -> Address:
        """Returns the address in the form that is compared."""
        return Address(self.channel, self.address)


class SuppressionInput(AddressInput):
    """An address that nothing is to be sent to any more, and why."""

    reason: SuppressionReason = Field(
        description="Why nothing is to be sent there. Enter bounces and complaints of your own "
        "sender, too."
    )
    note: Text | None = Field(
        default=None,
        description="What is worth knowing of it, such as the server's answer to an email. It is "
        "removed when the person is erased. Null or left out: nothing.",
    )


class AddressesToCheck(RequestBody):
    """Addresses to check before something is sent to them."""

    addresses: Annotated[list[AddressInput], Field(min_length=1, max_length=MAX_ADDRESSES)] = Field(
        description="1 to 500 addresses. The answer has them in this order."
    )

    @property
    def values(self) -> list[Address]:
        """Returns the addresses in the form that is compared."""
        return [each.value for each in self.addresses]
