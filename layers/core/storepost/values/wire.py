"""What all shapes on the wire have in common, and their shared field types."""

import re
from dataclasses import dataclass
from datetime import date, datetime
from inspect import cleandoc
from typing import TYPE_CHECKING, Annotated, Any, Self, get_args
from uuid import UUID

from pydantic import (
    AfterValidator,
    AnyUrl,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainSerializer,
    StrictInt,
    StringConstraints,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticKnownError, core_schema

from storepost.values import clock
from storepost.values.error_texts import DAY_FORM, MOMENT_FORM, UUID_FORM
from storepost.values.money import CurrencyCode, Money
from storepost.values.text import visible

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

TEXT_LENGTH = 255
URL_LENGTH = 2048
_UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
MAX_FIELDS = 100
"""How many fields an object in a request may have; none of ours has half as many."""
MAX_MINOR_UNITS = 10**15


def _describe_generic(schema: dict[str, Any], model: type[BaseModel]) -> None:
    """Adds to the schema of a parametrized generic class the class's description and its items."""
    generic = model.__pydantic_generic_metadata__
    if generic["origin"] and "description" not in schema:
        items = ", ".join(f"`{each.__name__}`" for each in generic["args"])
        text = cleandoc(generic["origin"].__doc__ or "")
        schema["description"] = f"{text} The items are {items}."


class Shape(BaseModel):
    """A shape in an answer: camelCase names, every field present."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        defer_build=True,
        frozen=True,
        json_schema_extra=_describe_generic,
    )

    @classmethod
    def from_model(cls, model: object, /, **others: Any) -> Self:  # noqa: ANN401 - each field's type
        """Returns the shape with a model's values by the fields' own names, but for the others.

        Raises AttributeError where the model lacks a field that isn't among the others.
        """
        return cls(**cls._same_named(model, others), **others)

    @classmethod
    def of_stored(cls, model: object = None, /, **others: Any) -> Self:  # noqa: ANN401 - as above
        """Returns what `from_model` does, of stored values.

        They aren't validated as a request is: the rules for requests change, and stored values
        stay.
        """
        return cls.model_construct(**cls._same_named(model, others), **others)

    @classmethod
    def _same_named(cls, model: object, others: dict[str, Any]) -> dict[str, Any]:
        return {name: getattr(model, name) for name in cls.model_fields if name not in others}


def _with_few_fields(value: object) -> object:
    """Refuses too many fields: each unknown one is an error that takes a hundred times its size."""
    if isinstance(value, dict) and len(value) > MAX_FIELDS:
        raise ValueError(f"Must have at most {MAX_FIELDS} fields")
    return value


class RequestBody(Shape):
    """A shape in a request: unknown fields are refused, and so are ours by their names in code."""

    model_config = ConfigDict(extra="forbid", populate_by_name=False)

    def __repr__(self) -> str:
        """Returns the class's name alone.

        Powertools formats each body for its debug log, whether or not that is on: of a batch with
        500 records this took a third of the request's time.
        """
        return f"{type(self).__name__}()"

    def to_model[T: "DataclassInstance"](self, kind: type[T], /, **others: Any) -> T:  # noqa: ANN401 - as above
        """Returns the model of a class, with the request's fields of the same names and the others.

        Raises TypeError where a field of the model without a default is in neither.
        """
        shared = type(self).model_fields.keys() & kind.__dataclass_fields__.keys() - others.keys()
        return kind(**{name: getattr(self, name) for name in shared}, **others)

    @model_validator(mode="before")
    @classmethod
    def _has_few_fields(cls, value: object) -> object:
        return _with_few_fields(value)


def few_names(limit: int) -> BeforeValidator:
    """Returns a validator that refuses an object with more names before any of them is validated.

    A field's `max_length` alone is checked only after each of them has had its errors.
    """

    def check(value: object) -> object:
        if isinstance(value, dict) and len(value) > limit:
            about = {"field_type": "Object", "max_length": limit, "actual_length": len(value)}
            raise PydanticKnownError("too_long", about)
        return value

    return BeforeValidator(check)


class PartialUpdate(RequestBody):
    """A request that changes the fields that it has: what it leaves out stays."""

    def fields(self) -> dict[str, Any]:
        """Returns the fields that the request has, by their names in the model."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class SecretRequest(RequestBody):
    """A request that holds a password: only a keyed hash of it is kept to recognize its retry."""


class SecretAnswer(Shape):
    """An answer that holds a secret: kept for retries only sealed under the caller's token."""

    @staticmethod
    def is_behind(annotation: object) -> bool:
        """Returns whether a route's return annotation is such an answer, or a response of one."""
        return any(
            isinstance(candidate, type) and issubclass(candidate, SecretAnswer)
            for candidate in (annotation, *get_args(annotation))
        )


def _checked_url(text: str) -> str:
    AnyUrl(text)  # raises pydantic's error
    return text


def _in_utc(moment: datetime) -> datetime:
    try:
        return clock.to_milliseconds(moment)
    except OverflowError:
        raise ValueError("Must be in one of UTC's years 1 to 9999") from None


def _no_number(value: object) -> object:
    """Returns what isn't a number: pydantic would read a number as seconds since 1970."""
    try:
        float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return value
    except OverflowError:
        pass  # a whole number beyond every float
    raise ValueError(MOMENT_FORM)


Timestamp = Annotated[
    AwareDatetime,
    BeforeValidator(_no_number),
    AfterValidator(_in_utc),
    PlainSerializer(clock.to_text),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""A moment: any offset in, UTC with milliseconds and `Z` out."""


def _as_day(value: object) -> object:
    """Refuses other forms that pydantic accepts: seconds since 1970, and midnight at any offset."""
    if isinstance(value, str) and not _DAY.fullmatch(value):
        raise ValueError(DAY_FORM)
    return value


Day = Annotated[date, BeforeValidator(_as_day)]
"""A day in a request."""


def _as_answered(value: object) -> object:
    """Refuses other forms that pydantic accepts: `urn:uuid:…`, braces, upper case, or no dashes."""
    if isinstance(value, str) and not _UUID.fullmatch(value):
        raise ValueError(UUID_FORM)
    return value


Id = Annotated[UUID, BeforeValidator(_as_answered)]
"""An id in a request's body."""

Text = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=TEXT_LENGTH)
]
"""A non-empty string in a request."""


def _seen(value: object) -> object:
    return visible(value) if isinstance(value, str) else value


SEEN = BeforeValidator(_seen)
"""Takes control characters and marks of direction out of a name in a request."""

Name = Annotated[Text, SEEN]
"""A name in a request, without control characters and marks of direction."""

Url = Annotated[
    str,
    StringConstraints(max_length=URL_LENGTH, pattern=r"^https?://"),
    AfterValidator(_checked_url),
    Field(json_schema_extra={"format": "uri"}),
]
"""A web address in a request."""

Uri = Annotated[str, Field(json_schema_extra={"format": "uri"})]
"""A web address in an answer."""


@dataclass(frozen=True)
class NotNull:
    """Marks a field of a change that may be left out, but not be null: None is only its default."""

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        """Refuses null, which the field's type must allow for its default."""
        return core_schema.no_info_after_validator_function(_not_null, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Returns the description of the field's type without null."""
        [option] = [each for each in handler(schema)["anyOf"] if each != {"type": "null"}]
        return dict(option)


def _not_null[T](value: T | None) -> T:
    if value is None:
        raise ValueError("Must not be null")
    return value


class MoneyShape(Shape):
    """An amount of money in one currency, as a whole number of that currency's minor units."""

    model_config = ConfigDict(extra="forbid", title="Money")

    @model_validator(mode="before")
    @classmethod
    def _has_few_fields(cls, value: object) -> object:
        return _with_few_fields(value)

    amount: StrictInt = Field(
        ge=-MAX_MINOR_UNITS,
        le=MAX_MINOR_UNITS,
        description="A whole number of the currency's minor units: `4990` is 49.90 EUR, and 4,990 "
        "JPY, which has none.",
    )
    currency: CurrencyCode = Field(
        description="The ISO 4217 code in capitals. A request may have small letters."
    )

    @classmethod
    def of(cls, money: Money) -> "MoneyShape":
        """Returns the shape of an amount of money."""
        return cls.of_stored(amount=money.amount, currency=money.currency)

    def value(self) -> Money:
        """Returns the amount as the value that the service calculates with."""
        return Money(self.amount, self.currency)


def _not_negative(money: MoneyShape) -> MoneyShape:
    if money.amount < 0:
        raise ValueError("Must not be negative")
    return money


NOT_NEGATIVE = AfterValidator(_not_negative)
NonNegativeMoney = Annotated[MoneyShape, NOT_NEGATIVE]
"""An amount of an order, or a price, in a request."""


def not_in_the_future(moment: datetime) -> datetime:
    """Returns the moment; raises ValueError if it is in the future."""
    if moment > clock.now():
        raise ValueError("Must not be in the future")
    return moment


def not_before(first: str) -> AfterValidator:
    """Returns a validator that refuses the end of a time that is before its beginning.

    `first` is the name in code of the field with the beginning, which is declared before the end.
    """

    def check(last: datetime, info: ValidationInfo) -> datetime:
        beginning = info.data.get(first)
        if beginning and last < beginning:
            raise ValueError(f"Must not be before `{to_camel(first)}`")
        return last

    return AfterValidator(check)


type Json = dict[str, Any]
