"""What a request says of a person."""

from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from storepost.people.profiles.manual import IncomingPerson
from storepost.values.emails import EmailAddress
from storepost.values.locale_codes import LocaleCode
from storepost.values.phones import PhoneNumber
from storepost.values.placeholders import names_nobody
from storepost.values.wire import Id, Name, PartialUpdate, RequestBody, Text


def _somebodys(value: str) -> str:
    if names_nobody(value):
        raise ValueError("Must name one person, not be a placeholder such as `0` or `null`")
    return value


AnonymousId = Annotated[Text, AfterValidator(_somebodys)]
"""What a browser or device is known by before anybody signs in."""


class UpsertProfile(RequestBody):
    """Who the person is, by one identifier or more, and what is known of them. What is left out
    stays as it is.
    """

    email: EmailAddress | None = Field(
        default=None,
        description="The person's email address. It names them, and is shown from now "
        "on. Null counts as left out.",
    )
    phone: PhoneNumber | None = Field(
        default=None,
        description="The person's phone number with its country code, such as "
        "`+4915112345678`. It names them, and is shown from now on. Null "
        "counts as left out.",
    )
    anonymous_id: AnonymousId | None = Field(
        default=None,
        description="What your site calls a browser before anybody signs in. It joins "
        "the browser's history to the person. Words for nobody, such as "
        "`null` or `0`, are refused.",
    )
    first_name: Name | None = Field(
        default=None, description="The person's first name. Null counts as left out."
    )
    last_name: Name | None = Field(
        default=None, description="The person's last name. Null counts as left out."
    )
    locale: LocaleCode | None = Field(
        default=None,
        description="The person's language as a BCP 47 tag. It beats what orders and "
        "customers state. Null counts as left out.",
    )

    @model_validator(mode="after")
    def _names_somebody(self) -> "UpsertProfile":
        if not (self.email or self.phone or self.anonymous_id):
            raise ValueError("Must have an `email`, a `phone` or an `anonymousId`")
        return self

    def value(self) -> IncomingPerson:
        """Returns the person as the service takes it."""
        return self.to_model(IncomingPerson)


class ProfileUpdate(PartialUpdate):
    """What can be changed of a profile. What is left out stays as it is, and null clears."""

    email: EmailAddress | None = Field(
        default=None,
        description="The email address to show. It names the person from now on; the one that was "
        "shown before keeps naming them. Null shows none.",
    )
    phone: PhoneNumber | None = Field(
        default=None,
        description="The phone number to show, with its country code. It names the "
        "person from now on, as does the one before. Null shows none.",
    )
    first_name: Name | None = Field(
        default=None, description="The person's first name. Null clears it."
    )
    last_name: Name | None = Field(
        default=None, description="The person's last name. Null clears it."
    )
    locale: LocaleCode | None = Field(
        default=None,
        description="The person's language as a BCP 47 tag. It beats what orders and "
        "customers state; null leaves it to them again.",
    )


class MergeRequest(RequestBody):
    """The profile that becomes part of the one in the path."""

    profile_id: Id = Field(
        description="The id of the other profile. It leads to the surviving one from then on."
    )
