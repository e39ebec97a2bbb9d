"""Email addresses: trimmed and lower-cased for comparison (docs/interface.md, section 2)."""

from functools import partial
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

LENGTH = 254


def normalised(address: str, *, reachable: bool = False) -> str:
    """Returns the address as it is compared and stored. Raises ValueError for an invalid one.

    `reachable` requires one that emails can be sent to: only ASCII before its @.
    """
    from email_validator import EmailNotValidError, validate_email  # noqa: PLC0415 - 36 ms

    try:
        checked = validate_email(
            address.strip(),
            allow_smtputf8=not reachable,
            check_deliverability=False,
            strict=True,  # before the @ at most 64 characters
            test_environment=True,
        )
    except EmailNotValidError as error:
        raise ValueError("Must be an email address, like `name@example.com`") from error
    return checked.normalized.lower()


def masked(address: str) -> str:
    """Returns the address as its owner recognizes it: its first character and its domain."""
    local, _, domain = address.rpartition("@")
    return f"{local[:1]}•••@{domain}"


EmailAddress = Annotated[
    str,
    StringConstraints(max_length=LENGTH, min_length=3),
    AfterValidator(normalised),
    Field(json_schema_extra={"format": "email", "examples": ["ada@example.com"]}),
]
"""An address in a request."""

ReachableAddress = Annotated[
    str,
    StringConstraints(max_length=LENGTH, min_length=3),
    AfterValidator(partial(normalised, reachable=True)),
    Field(json_schema_extra={"format": "email", "examples": ["ada@example.com"]}),
]
"""An address in a request to which emails are sent."""
