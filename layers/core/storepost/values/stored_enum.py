"""Values of fixed sets that rows and messages store; another release's values are preserved."""

from enum import StrEnum
from typing import Self

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticKnownError, core_schema


class StoredEnum(StrEnum):
    """A set of values that rows keep, and that a later release may add to.

    A stored value that this release doesn't know is read as a member with the name `UNKNOWN`. It
    equals no other, goes into answers as it is, and is saved as it was. Requests may have the known
    ones alone.
    """

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, str):
            return None
        unknown = str.__new__(cls, value)
        unknown._name_, unknown._value_ = "UNKNOWN", value
        return unknown

    @property
    def is_known(self) -> bool:
        """Returns whether this release has the value."""
        return self._value_ in type(self)._value2member_map_

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Keeps `_missing_` out of requests, where Pydantic would accept whatever it accepts."""
        return core_schema.no_info_before_validator_function(cls._refuse_unknown, handler(source))

    @classmethod
    def _refuse_unknown(cls, value: object) -> object:
        if isinstance(value, str) and value not in cls and not isinstance(value, cls):
            *others, last = (repr(str(each)) for each in cls)
            expected = f"{', '.join(others)} or {last}" if others else last
            raise PydanticKnownError("enum", {"expected": expected})
        return value
