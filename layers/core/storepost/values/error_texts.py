"""Texts for invalid fields, in plain words: one for each type of error that pydantic has."""

import re
from collections.abc import Mapping
from typing import Any

type Error = Mapping[str, Any]
"""An error of pydantic's: its `type`, `loc`, `msg` and perhaps `ctx`."""

UUID_FORM = "Must be an id as answers have it: in lower case, with dashes"
MOMENT_FORM = "Must be a date-time with an offset, like `2026-01-31T09:30:00Z`"
DAY_FORM = "Must be a date, like `2026-01-31`"
PHONE_FORM = "Must be a phone number with its country code, like +14155550123"
BOOLEAN_FORM = "Must be `true` or `false`"
NUMBER_FORM = "Must be a whole number"
AMOUNT_FORM = "Must be a whole number of the currency's smallest unit: for 49.90 EUR it is `4990`"
NO_BODY = "Required: the request has no body"
_URL_FORM = "Must be a web address, like `https://example.com/`"
_OWN = "Value error, "
"""What pydantic writes before the message of our own validators."""

_TEXTS = {
    "missing": "Required",
    "extra_forbidden": "There is no such field",
    "string_type": "Must be a string",
    "string_unicode": "Must be a string in UTF-8",
    "list_type": "Must be a list",
    "bool_type": BOOLEAN_FORM,
    "bool_parsing": BOOLEAN_FORM,
    "model_type": "Must be an object",
    "model_attributes_type": "Must be an object",
    "dict_type": "Must be an object",
    "union_tag_not_found": "Required: it says which kind of object this is",
    "greater_than": "Must be more than {gt}",
    "greater_than_equal": "Must be at least {ge}",
    "less_than": "Must be less than {lt}",
    "less_than_equal": "Must be at most {le}",
    "string_too_long": "Must have at most {max_length} characters",
    "string_too_short": "Must have at least {min_length} characters",
    "too_long": "Must have at most {max_length} items",
    "too_short": "Must have at least {min_length} items",
}
_BEGINNINGS = {
    "int_": NUMBER_FORM,
    "float_": "Must be a number",
    "finite_": "Must be a number",
    "datetime_": MOMENT_FORM,
    "timezone_": MOMENT_FORM,
    "date_": DAY_FORM,
    "uuid_": UUID_FORM,
    "url_": _URL_FORM,
}
PATTERNS = {
    r"^(/([^~]|~[01])*)?$": "Must be a JSON Pointer, like `/name`",
    "^[A-Za-z0-9_-]{1,32}$": "Must have 1 to 32 letters, digits, `-` and `_`",
    "^[a-z][a-z0-9_]{0,63}$": "Must have at most 64 small letters, digits and `_`, a letter first",
    "^[A-Z]{2}$": "Must be two capital letters, like `AT`",
    r"^https?://": "Must begin with `http://` or `https://`",
}
_CHOICES = {"enum": "expected", "literal_error": "expected", "union_tag_invalid": "expected_tags"}
_CHOICE = re.compile(r"'([^']*)'|\b(\d+)\b")
_OTHERWISE = "This value isn't accepted here: see the field's description in the reference"


def error_text(error: Error) -> str:
    """Returns the text of an error; the message of our own validators is used as it is."""
    kind, context = str(error["type"]), error.get("ctx") or {}
    if kind == "value_error":
        text = str(error["msg"]).removeprefix(_OWN)
        return text[:1].upper() + text[1:] + _of_query(text, error)
    if kind in _CHOICES:
        return _one_of(str(context.get(_CHOICES[kind], "")))
    if kind == "string_pattern_mismatch":
        return PATTERNS.get(str(context["pattern"]), _OTHERWISE)
    text = _of_place(kind, tuple(error["loc"])) or _TEXTS.get(kind) or _by_beginning(kind)
    return _counted(text, context) + _of_query(text, error)


def _of_place(kind: str, place: tuple[str | int, ...]) -> str | None:
    """Returns the text where the place tells more than the type of the error does."""
    if kind == "missing" and place == ("body",):
        return NO_BODY
    if kind.startswith("int_") and place[-1:] == ("amount",):
        return AMOUNT_FORM
    return None


def _by_beginning(kind: str) -> str:
    return next((text for name, text in _BEGINNINGS.items() if kind.startswith(name)), _OTHERWISE)


def _one_of(expected: str) -> str:
    """Returns the choices of pydantic's text, `<Role.ADMIN: 'admin'> or 'member'` or `10 or 25`."""
    values = [f"`{text or number}`" for text, number in _CHOICE.findall(expected)]
    if not values:
        return _OTHERWISE
    return "Must be " + " or ".join(filter(None, [", ".join(values[:-1]), values[-1]]))


def _counted(text: str, context: Mapping[str, Any]) -> str:
    """Returns the text with its number, singular for 1; at least 1 character is "not empty"."""
    bounds = {"min_length": "…", "max_length": "…", "gt": "…", "ge": "…", "lt": "…", "le": "…"}
    filled = text.format_map(bounds | dict(context))
    if filled == "Must have at least 1 characters":
        return "Must not be empty"
    return re.sub(r"\b(1 \w+)s$", r"\1", filled)


def _of_query(text: str, error: Error) -> str:
    is_in_query = error["loc"][:1] == ("query",)
    has_plus = text in {MOMENT_FORM, PHONE_FORM}
    return ". In a URL write `+` as `%2B`" if is_in_query and has_plus else ""
