"""Phone numbers in E.164, the form in which they are compared and stored."""

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, Field, StringConstraints

from storepost.values.error_texts import PHONE_FORM

if TYPE_CHECKING:
    from phonenumbers import PhoneNumber as PhoneNumberParts


def normalised(number: str, country: str | None = None) -> str:
    """Returns the number in E.164. Raises ValueError if it can't be one person's own number.

    A number without country code is read as people write it in `country`, an ISO 3166 code. E.164
    has no extensions: a number without its extension would make one person of a whole switchboard.
    A number without its area code would match people in every area.
    """
    import phonenumbers  # noqa: PLC0415 - 22 ms

    parsed = _parsed(number.strip(), country)
    if parsed.extension:
        raise ValueError("Must be a phone number without an extension")
    if country and not number.strip().startswith("+") and not phonenumbers.is_valid_number(parsed):
        raise ValueError(f"{PHONE_FORM}, or as people write it in {country}")
    possible = phonenumbers.is_possible_number_with_reason(parsed)
    if possible != phonenumbers.ValidationResult.IS_POSSIBLE:
        raise ValueError("Must be a phone number that can exist in its country")
    return str(phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164))


def _parsed(number: str, country: str | None) -> "PhoneNumberParts":
    """Returns the first reading that is valid in its country, else the first that can be parsed."""
    import phonenumbers  # noqa: PLC0415 - 22 ms

    parsed = list["PhoneNumberParts"]()
    for reading in _readings(number, country):
        with suppress(phonenumbers.NumberParseException):
            parsed.append(phonenumbers.parse(reading, country))
            if phonenumbers.is_valid_number(parsed[-1]):
                return _with_plus(number, parsed[-1])
    if not parsed:
        raise ValueError(PHONE_FORM)
    return parsed[0]


def _with_plus(number: str, parsed: "PhoneNumberParts") -> "PhoneNumberParts":
    """Returns the number with a plus before it, if only so it is a mobile phone of its country.

    Exports write `4915112345678`, which could also be a landline behind the area code 04915.
    """
    import phonenumbers  # noqa: PLC0415 - 22 ms

    kind, mobile = phonenumbers.number_type, phonenumbers.PhoneNumberType.MOBILE
    if not number.startswith(str(parsed.country_code)) or kind(parsed) == mobile:
        return parsed
    other = phonenumbers.parse(f"+{number}")
    return other if kind(other) == mobile else parsed


def _readings(number: str, country: str | None) -> Iterator[str]:
    yield number
    if "(0)" in number:  # people write it also where their country has no such prefix
        yield number.replace("(0)", "", 1)
    if country and number.startswith("00"):  # the prefix of numbers abroad in most countries
        yield f"+{number.removeprefix('00')}"


def international(number: str) -> str:
    """Returns the number in E.164 if it begins with a country code, else as it is."""
    return normalised(number) if number.lstrip().startswith("+") else number


LenientNumber = Annotated[
    str,
    StringConstraints(max_length=32, min_length=3),
    AfterValidator(international),
    Field(json_schema_extra={"format": "phone", "examples": ["+14155550123"]}),
]
"""A number in a request: in E.164 with a country code, else as written in its store's country."""
PhoneNumber = Annotated[
    str,
    StringConstraints(max_length=32, min_length=3),
    AfterValidator(normalised),
    Field(json_schema_extra={"format": "phone", "examples": ["+14155550123"]}),
]
"""A number in a request."""
