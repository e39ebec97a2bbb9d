"""A store's ids of its records: one type for customers, orders, products, variants and stores."""

import re
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, StringConstraints

from storepost.values.placeholders import names_nobody, placeholder_to_none

MAX_LENGTH = 255
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_UNDECODED = "\ufffd"
"""Replaces bytes that aren't UTF-8, as `%ff` in a URL: different ids would become equal."""


def checked(external_id: str) -> str:
    """Returns the id as it is: case counts, and nothing is trimmed.

    Raises ValueError if it can't identify one record among all, or can't be part of a URL.
    """
    if names_nobody(external_id):
        raise ValueError("Must be the id of one record, not a placeholder such as `0` or `null`")
    if external_id in {".", ".."}:
        raise ValueError("Must not be `.` or `..`: they change the address that they stand in")
    if _CONTROL.search(external_id):
        raise ValueError("Must not have control characters")
    if _UNDECODED in external_id:
        raise ValueError("Must be text in UTF-8")
    return external_id


def is_usable(external_id: str) -> bool:
    """Returns whether it can be a record's id."""
    try:
        return bool(checked(external_id))
    except ValueError:
        return False


ExternalId = Annotated[
    str, StringConstraints(min_length=1, max_length=MAX_LENGTH), AfterValidator(checked)
]
"""A store's own id of a record, in a request."""

LenientExternalId = Annotated[ExternalId | None, BeforeValidator(placeholder_to_none)]
"""The same for a record that may have none: a placeholder counts as no id."""
