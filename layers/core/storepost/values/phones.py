"""Phone numbers in E.164, which is how they are compared and kept."""

from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints


def normalised(number: str, country: str | None = None) -> str:
    """The number in E.164. Raises ValueError where it is none that is a person's own.

    One without its country's code is read as people write it in `country`, an ISO 3166 code.
    E.164 has no place for an extension: without it, all of a switchboard would be one person. A
    number that lacks its area code is everybody's who has it in theirs.
    """
    import phonenumbers  # noqa: PLC0415 - 22 ms

    try:
        parsed = phonenumbers.parse(number.strip(), country)
    except phonenumbers.NumberParseException as error:
        raise ValueError(
            "Must be a phone number with its country code, like +14155550123"
        ) from error
    if parsed.extension:
        raise ValueError("Must be a phone number without an extension")
    if country and not number.strip().startswith("+") and not phonenumbers.is_valid_number(parsed):
        raise ValueError("Must be a phone number that its country has")
    possible = phonenumbers.is_possible_number_with_reason(parsed)
    if possible != phonenumbers.ValidationResult.IS_POSSIBLE:
        raise ValueError("Must be a phone number that can exist in its country")
    return str(phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164))


PhoneNumber = Annotated[
    str,
    StringConstraints(max_length=32, min_length=3),
    AfterValidator(normalised),
    Field(json_schema_extra={"format": "phone", "examples": ["+14155550123"]}),
]
"""A number in a request."""
