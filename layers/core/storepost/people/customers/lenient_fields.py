"""Lenient fields of people that stores send.

Stores export unknown values as empty texts or placeholders: both count as left out.
"""

from typing import Annotated

from pydantic import BeforeValidator

from storepost.stores.stores.model import Store
from storepost.values import phones
from storepost.values.emails import EmailAddress
from storepost.values.locale_codes import LocaleCode
from storepost.values.placeholders import placeholder_to_none
from storepost.values.problems import FieldError, ValidationFailed
from storepost.values.text import visible
from storepost.values.wire import Name


def _nothing_for_blank(value: object) -> object:
    return None if isinstance(value, str) and not visible(value) else value


def phone_in(store: Store, number: str | None, pointer: str) -> str | None:
    """Returns a LenientPhone in E.164; without a country's code, the store's country is assumed.

    Raises ValidationFailed, with the number's JSON Pointer.
    """
    if number is None or number.startswith("+"):
        return number
    try:
        return phones.normalised(number, store.country)
    except ValueError as error:
        raise ValidationFailed(errors=[FieldError(pointer, str(error))]) from error


LenientEmail = Annotated[EmailAddress | None, BeforeValidator(placeholder_to_none)]
LenientPhone = Annotated[phones.LenientNumber | None, BeforeValidator(placeholder_to_none)]
"""A store's phone number, in E.164 if it has a country's code; see `phone_in`."""
LenientName = Annotated[Name | None, BeforeValidator(_nothing_for_blank)]
LenientLocale = Annotated[LocaleCode | None, BeforeValidator(_nothing_for_blank)]
