"""What a store says of a person.

It exports what it doesn't know as empty texts, or as words for nobody: both count as left out.
"""

from typing import Annotated

from pydantic import BeforeValidator, StringConstraints

from storepost.people.profiles.model import nothing_for_nobody
from storepost.values.emails import EmailAddress
from storepost.values.locale_codes import LocaleCode
from storepost.values.phones import PhoneNumber
from storepost.values.wire import TEXT_LENGTH, Text


def _nothing_for_blank(value: object) -> object:
    return None if isinstance(value, str) and not value.strip() else value


GivenEmail = Annotated[EmailAddress | None, BeforeValidator(nothing_for_nobody)]
GivenPhone = Annotated[PhoneNumber | None, BeforeValidator(nothing_for_nobody)]
GivenName = Annotated[Text | None, BeforeValidator(_nothing_for_blank)]
GivenLocale = Annotated[LocaleCode | None, BeforeValidator(_nothing_for_blank)]
GivenExternalId = Annotated[
    Annotated[str, StringConstraints(min_length=1, max_length=TEXT_LENGTH)] | None,
    BeforeValidator(nothing_for_nobody),
]
