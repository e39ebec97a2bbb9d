"""The texts of a wrong field's errors: our own words, never a library's."""

import re
from collections.abc import Iterator
from datetime import date
from enum import StrEnum
from typing import Annotated, Any, Literal, get_args
from uuid import UUID

import pytest
from pydantic import (
    BaseModel,
    Discriminator,
    Field,
    StrictInt,
    StringConstraints,
    TypeAdapter,
    ValidationError,
)
from pydantic_core.core_schema import ErrorType

from storepost.api.reference.documents import interface
from storepost.definitions.definitions.kinds import KINDS, schema_of
from storepost.values.emails import EmailAddress
from storepost.values.error_texts import AMOUNT_FORM, PATTERNS, error_text
from storepost.values.field_errors import errors_of_record, field_errors
from storepost.values.wire import Id, MoneyShape, Timestamp, Url

LIBRARYS = re.compile(
    r"input|should|valid (string|integer|dictionary|boolean)|<\w+\.|\bNone\b|dict|tuple|python|"
    r"pydantic|tag|extra|type=",
    re.IGNORECASE,
)
OWN_VALIDATORS = {"value_error", "assertion_error"}
"""What our own validators raise, in their own words."""


class Color(StrEnum):
    """An enumeration."""

    RED = "red"
    BLUE = "blue"


class Cat(BaseModel):
    """One of two shapes."""

    kind: Literal["cat"]


class Dog(BaseModel):
    """The other one."""

    kind: Literal["dog"]


class Everything(BaseModel):
    """A field of each type that requests have."""

    model_config = {"extra": "forbid"}

    text: Annotated[str, StringConstraints(min_length=1, max_length=5)] = "a"
    name: Annotated[str, StringConstraints(min_length=2)] = "ab"
    country: Annotated[str, StringConstraints(pattern="^[A-Z]{2}$")] = "AT"
    color: Color = Color.RED
    colors: Annotated[list[Color], Field(min_length=1, max_length=2)] = [Color.RED]
    role: Literal["admin", "member"] = "admin"
    one: Literal["custom"] = "custom"
    count: Annotated[StrictInt, Field(ge=0, le=9)] = 0
    page: Annotated[int, Field(ge=1)] = 1
    price: MoneyShape | None = None
    flag: bool = False
    day: date = date(2026, 1, 31)
    moment: Timestamp | None = None
    id: Id | None = None
    key: UUID | None = None
    url: Url = "https://example.com"
    email: EmailAddress | None = None
    anything: dict[str, Any] = {}
    pet: Annotated[Cat | Dog, Discriminator("kind")] = Cat(kind="cat")


def text_of(value: dict[str, Any]) -> str:
    """The error's text for a body with one mistake."""
    with pytest.raises(ValidationError) as raised:
        Everything.model_validate(value)
    [error] = field_errors(
        ({**each, "loc": ("body", *each["loc"])} for each in raised.value.errors()),
        value,
        Everything,
    )
    return error.message


@pytest.mark.parametrize(
    ("named", "error"),
    [
        ({"abcd": "x"}, ("/abcd", "Its name must have at most 3 characters")),
        ({"": "x"}, ("/", "Its name must not be empty")),
        ({"a/bc": "x"}, ("/a~1bc", "Its name must have at most 3 characters")),
        ({"abc": 5}, ("/abc", "Must be a string")),
        ({"key": 5, "a": "b"}, ("/key", "Must be a string")),
    ],
)
def test_wrong_name_is_reported_at_its_field(named: dict[str, Any], error: tuple[str, str]) -> None:
    names = Annotated[str, StringConstraints(min_length=1, max_length=3)]
    with pytest.raises(ValidationError) as raised:
        TypeAdapter(dict[names, str]).validate_python(named)
    found = errors_of_record(raised.value.errors(include_url=False), named, dict)
    assert [(each.path, each.message) for each in found] == [error]


MOMENT = "Must be a date-time with an offset, like `2026-01-31T09:30:00Z`"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"text": 5}, "Must be a string"),
        ({"text": None}, "Must be a string"),
        ({"text": ""}, "Must not be empty"),
        ({"text": "abcdef"}, "Must have at most 5 characters"),
        ({"name": "a"}, "Must have at least 2 characters"),
        ({"country": "at"}, "Must be two capital letters, like `AT`"),
        ({"color": "green"}, "Must be `red` or `blue`"),
        ({"colors": []}, "Must have at least 1 item"),
        ({"colors": ["red"] * 3}, "Must have at most 2 items"),
        ({"colors": "red"}, "Must be a list"),
        ({"role": "owner"}, "Must be `admin` or `member`"),
        ({"one": "shopify"}, "Must be `custom`"),
        ({"count": "1"}, "Must be a whole number"),
        ({"count": 1.5}, "Must be a whole number"),
        ({"count": -1}, "Must be at least 0"),
        ({"count": 10}, "Must be at most 9"),
        ({"price": {"amount": 49.9, "currency": "EUR"}}, AMOUNT_FORM),
        ({"price": {"amount": "4990", "currency": "EUR"}}, AMOUNT_FORM),
        ({"page": "one"}, "Must be a whole number"),
        ({"page": "1" * 5000}, "Must be a whole number"),
        ({"flag": "maybe"}, "Must be `true` or `false`"),
        ({"day": "31.1.2026"}, "Must be a date, like `2026-01-31`"),
        ({"moment": "2026-01-31"}, MOMENT),
        ({"moment": "2026-01-31T09:30:00"}, MOMENT),
        ({"moment": "soon"}, MOMENT),
        ({"moment": 5}, MOMENT),
        ({"id": "x"}, "Must be an id as answers have it: in lower case, with dashes"),
        ({"key": "x"}, "Must be an id as answers have it: in lower case, with dashes"),
        ({"url": "ftp://example.com"}, "Must begin with `http://` or `https://`"),
        ({"url": "https://"}, "Must be a web address, like `https://example.com/`"),
        ({"email": "ann"}, "Must be an email address, like `name@example.com`"),
        ({"email": "ann@"}, "Must be an email address, like `name@example.com`"),
        ({"anything": 5}, "Must be an object"),
        ({"pet": 5}, "Must be an object"),
        ({"pet": {"kind": "cow"}}, "Must be `cat` or `dog`"),
        ({"pet": {}}, "Required: it says which kind of object this is"),
        ({"unknown": 1}, "There is no such field"),
    ],
)
def test_each_kind_of_error_has_a_plain_message(value: dict[str, Any], text: str) -> None:
    assert text_of(value) == text


def test_missing_field_is_required() -> None:
    assert error_text({"type": "missing", "loc": ("body", "name"), "msg": "Field required"}) == (
        "Required"
    )


def test_error_of_a_query_explains_how_to_escape_plus() -> None:
    error = {"type": "datetime_from_date_parsing", "loc": ("query", "placedFrom"), "msg": "…"}
    assert error_text(error) == f"{MOMENT}. In a URL write `+` as `%2B`"


def test_each_regex_pattern_has_a_message() -> None:
    """Those of definitions' content have the texts of their own schemas."""
    of_definitions = {
        each for info in KINDS for each in patterns(schema_of(info.kind, info.schema_version))
    }
    assert set(patterns(interface())) | of_definitions == set(PATTERNS) | of_definitions


def patterns(value: Any) -> Iterator[str]:
    """The patterns of schemas; examples show schemas of other things."""
    if isinstance(value, list):
        value = dict(enumerate(value))
    if not isinstance(value, dict):
        return
    if isinstance(value.get("pattern"), str):
        yield value["pattern"]
    for name in value.keys() - {"example", "examples"}:
        yield from patterns(value[name])


@pytest.mark.parametrize("kind", sorted({*get_args(ErrorType)} - OWN_VALIDATORS))
def test_pydantic_messages_are_never_shown(kind: str) -> None:
    words = "Input should be a valid dictionary or instance of <Thing.A: 'a'>"
    context = {"expected": "<Thing.A: 'a'> or 'b'", "pattern": "^[a-z]+$", "error": words}
    text = error_text({"type": kind, "loc": ("body", "a"), "msg": words, "ctx": context})
    assert not LIBRARYS.search(text), text
    assert text[0].isupper()
    assert not text.endswith(".")
