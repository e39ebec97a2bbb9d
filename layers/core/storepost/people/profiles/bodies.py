"""What a request says of a person."""

from typing import Annotated, Any

from pydantic import AfterValidator, model_validator

from storepost.people.profiles.manual import IncomingPerson
from storepost.people.profiles.model import names_nobody
from storepost.values.emails import EmailAddress
from storepost.values.locale_codes import LocaleCode
from storepost.values.phones import PhoneNumber
from storepost.values.wire import Id, RequestBody, Text


def _somebodys(value: str) -> str:
    if names_nobody(value):
        raise ValueError("Must name one person; this value stands for nobody")
    return value


AnonymousId = Annotated[Text, AfterValidator(_somebodys)]
"""What a browser or device is known by before anybody signs in."""


class UpsertProfile(RequestBody):
    """Who it is, by one identifier or more, and what is known of the person."""

    email: EmailAddress | None = None
    phone: PhoneNumber | None = None
    anonymous_id: AnonymousId | None = None
    first_name: Text | None = None
    last_name: Text | None = None
    locale: LocaleCode | None = None

    @model_validator(mode="after")
    def _names_somebody(self) -> "UpsertProfile":
        if not (self.email or self.phone or self.anonymous_id):
            raise ValueError("Must have an email, a phone or an anonymousId")
        return self

    def value(self) -> IncomingPerson:
        """Returns the person as the service takes it."""
        return IncomingPerson(
            email=self.email,
            phone=self.phone,
            anonymous_id=self.anonymous_id,
            first_name=self.first_name,
            last_name=self.last_name,
            locale=self.locale,
        )


class ProfileUpdate(RequestBody):
    """What may change; null clears, what is left out stays."""

    email: EmailAddress | None = None
    phone: PhoneNumber | None = None
    first_name: Text | None = None
    last_name: Text | None = None
    locale: LocaleCode | None = None

    def given(self) -> dict[str, Any]:
        """Returns the fields that the request has, by the names of the model."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class MergeRequest(RequestBody):
    """The profile that becomes part of the one in the path."""

    profile_id: Id
