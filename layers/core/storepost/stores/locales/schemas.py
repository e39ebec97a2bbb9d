"""Workspace locales on the wire."""

from typing import Annotated, Literal
from uuid import UUID

from storepost.stores.locales.model import WorkspaceLocale as Value
from storepost.stores.locales.model import WorkspaceLocaleOrigin
from storepost.values.locale_codes import LocaleCode
from storepost.values.wire import NotNull, RequestBody, Shape, Text, Timestamp


class NewLocale(RequestBody):
    """A locale to add; without a label it gets its English name."""

    code: LocaleCode
    label: Text | None = None


class LocaleUpdate(RequestBody):
    """What may change; the default is given up by making another one the default."""

    label: Annotated[Text | None, NotNull()] = None
    is_default: Annotated[Literal[True] | None, NotNull()] = None


class WorkspaceLocale(Shape):
    """A locale of the workspace."""

    id: UUID
    code: str
    label: str
    language: str
    region: str | None
    origin: WorkspaceLocaleOrigin
    is_default: bool
    created_at: Timestamp

    @classmethod
    def of(cls, locale: Value) -> "WorkspaceLocale":
        """The locale in this shape."""
        return cls(
            id=locale.id,
            code=locale.code,
            label=locale.label,
            language=locale.language,
            region=locale.region,
            origin=locale.origin,
            is_default=locale.is_default,
            created_at=locale.created_at,
        )
