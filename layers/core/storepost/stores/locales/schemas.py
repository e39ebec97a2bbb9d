"""Workspace locales on the wire."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BeforeValidator, Field

from storepost.stores.locales.model import WorkspaceLocaleOrigin
from storepost.values.locale_codes import LocaleCode
from storepost.values.wire import Name, NotNull, RequestBody, Shape, Timestamp


class NewLocale(RequestBody):
    """A locale to add to the workspace by hand."""

    code: LocaleCode = Field(
        description="The language as a BCP 47 tag, such as `de` or `pt-BR`. It is kept "
        "in its canonical form: `de-at` becomes `de-AT`."
    )
    label: Name | None = Field(
        default=None,
        description="What the locale is called for people. Null or left out: its name "
        "in English, such as `German (Austria)`.",
    )


def _only_true(value: object) -> object:
    """Refuses 1 as well: it equals `True` in Python, and isn't `true` in JSON."""
    if value is not True:
        raise ValueError("Must be `true`")
    return value


class LocaleUpdate(RequestBody):
    """What can be changed of a workspace's locale. What is left out stays as it is."""

    label: Annotated[Name | None, NotNull()] = Field(
        default=None, description="What the locale is called for people."
    )
    is_default: Annotated[
        Annotated[Literal[True], BeforeValidator(_only_true)] | None, NotNull()
    ] = Field(
        default=None,
        description="`true` makes this the default and takes that from the one that was. There is "
        "no other way to end a default.",
    )


class WorkspaceLocale(Shape):
    """A language that the workspace writes in, from a store or added by hand."""

    id: UUID = Field(description="The locale's id, which the paths of locales take.")
    code: str = Field(
        description="The language as a BCP 47 tag in its canonical form, such as "
        "`de-AT`. Each is there once."
    )
    label: str = Field(
        description="What the locale is called for people; its name in English unless "
        "somebody chose another."
    )
    language: str = Field(description="The language alone, such as `de` of `de-AT`.")
    region: str | None = Field(
        description="The country or region alone, such as `AT` of `de-AT`. Null where "
        "the tag has none."
    )
    origin: WorkspaceLocaleOrigin = Field(
        description="`store`: an active store has it, so it can't be deleted. "
        "`manual`: somebody added it, or the store that had it doesn't any "
        "more."
    )
    is_default: bool = Field(
        description="Whether it is the workspace's default: exactly one is, the first "
        "one until another is chosen."
    )
    created_at: Timestamp = Field(description="When the locale came into the workspace.")
