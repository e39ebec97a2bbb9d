"""Rows of a bulk request, which are validated one by one: an unreadable row fails alone."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from pydantic import BaseModel, Field, GetCoreSchemaHandler, ValidationError
from pydantic_core import CoreSchema, core_schema

from storepost.values.wire import Shape

MAX_ROWS = 500
"""How many rows one request may have."""


class RowFault(StrEnum):
    """What can be wrong with a row: a code, how to correct it, and the field that it is about.

    A kind of rows has its own faults in the order in which they count. Two have no field, and no
    kind lacks them: `not_an_object` and `unknown_field`.
    """

    remedy: str
    """Contains nothing of a row: answers are stored for a day, and their size is limited."""
    field: str | None

    def __new__(cls, code: str, remedy: str = "", field: str | None = None) -> Self:
        """Makes the fault that equals its code; called with only a code, Enum looks it up."""
        fault = str.__new__(cls, code)
        fault._value_, fault.remedy, fault.field = code, remedy, field
        return fault

    @classmethod
    def at(cls, location: tuple[int | str, ...]) -> Self:
        """Returns the fault for an error that pydantic reports at a place in the row."""
        if not location:
            return cls("not_an_object")
        return next((each for each in cls if each.field == location[0]), cls("unknown_field"))


@dataclass(frozen=True)
class UnreadableRow[Fault: RowFault]:
    """Replaces, in a request, a row that can't be read."""

    faults: tuple[Fault, ...]
    """At least one; the first is its code."""


@dataclass(frozen=True)
class ReadAlone[Fault: RowFault]:
    """Marks a row's type: an unreadable row is an UnreadableRow, and no error of the request."""

    model: type[BaseModel]
    faults: type[Fault]
    further: Callable[[object], Iterable[Fault]] | None = None
    """Returns faults of a row that its model doesn't find."""

    def __get_pydantic_core_schema__(
        self, source: object, schema_of: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Validates a row as its model does; the API's description shows only the model."""
        return core_schema.no_info_wrap_validator_function(self._read, schema_of(self.model))

    def _read(self, value: object, read: core_schema.ValidatorFunctionWrapHandler) -> object:
        faults, row = set(self.further(value)) if self.further else set(), None
        try:
            row = read(value)
        except ValidationError as error:
            faults |= {self.faults.at(each["loc"]) for each in error.errors(include_url=False)}
        if not faults:
            return row
        return UnreadableRow(tuple(each for each in self.faults if each in faults))


def unreadable[Fault: RowFault](
    rows: Iterable[BaseModel | UnreadableRow[Fault]],
) -> Iterator[tuple[int, tuple[Fault, ...]]]:
    """Yields the index and the faults of each row that can't be read."""
    for index, row in enumerate(rows):
        if isinstance(row, UnreadableRow):
            yield index, row.faults


class FailedRow[Fault: RowFault](Shape):
    """A row of a request that nothing was done with."""

    index: int = Field(description="Its place in the request, counted from 0.")
    code: Fault = Field(
        description="Names the cause for programs; where several things are wrong, the first in "
        "the order of the codes."
    )
    detail: str = Field(description="How to correct everything that is wrong with it, for people.")

    @classmethod
    def of(cls, index: int, faults: tuple[Fault, ...]) -> Self:
        """Returns the row in this shape; the detail says how to correct all of it."""
        detail = " ".join(fault.remedy for fault in faults)
        return cls(index=index, code=faults[0], detail=detail)
