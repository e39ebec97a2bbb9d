"""A workspace's locales as values; a change is decided on all of them together."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from storepost.values import ids
from storepost.values.locale_codes import parts
from storepost.values.scope import WorkspaceScope
from storepost.values.stored_enum import StoredEnum

MAX_LOCALES = 500


class WorkspaceLocaleOrigin(StoredEnum):
    """Where a locale of the workspace comes from. `store`: an active store has it. `manual`:
    somebody added it by hand, or no active store has it any more.
    """

    STORE = "store"
    MANUAL = "manual"


@dataclass(frozen=True)
class WorkspaceLocale:
    """One locale of a workspace."""

    id: UUID
    code: str
    label: str
    origin: WorkspaceLocaleOrigin
    is_default: bool
    created_at: datetime

    @property
    def language(self) -> str:
        """Returns the tag's language, such as `de`."""
        return parts(self.code).language

    @property
    def region(self) -> str | None:
        """Returns the tag's region, such as `AT`."""
        return parts(self.code).region


@dataclass(frozen=True)
class Locales:
    """All locales of a workspace."""

    workspace: WorkspaceScope
    by_code: Mapping[str, WorkspaceLocale]

    def with_id(self, locale_id: UUID) -> WorkspaceLocale | None:
        """Returns the locale with that id, or None."""
        return next((row for row in self.by_code.values() if row.id == locale_id), None)

    def put(self, locale: WorkspaceLocale) -> "Locales":
        """Returns the locales with this one; a new default replaces the old one."""
        rows = dict(self.by_code)
        if locale.is_default:
            rows = {code: replace(row, is_default=False) for code, row in rows.items()}
        rows[locale.code] = locale
        return replace(self, by_code=rows)

    def without(self, locale: WorkspaceLocale) -> "Locales":
        """Returns the locales without this locale."""
        rows = {code: row for code, row in self.by_code.items() if code != locale.code}
        return replace(self, by_code=rows)

    def new(
        self, code: str, label: str | None, origin: WorkspaceLocaleOrigin, now: datetime
    ) -> WorkspaceLocale:
        """Returns a new locale; a workspace's first one is the default."""
        return WorkspaceLocale(
            id=ids.derived_id(self.workspace.id, "locale", code, now.isoformat()),
            code=code,
            label=label or parts(code).label,
            origin=origin,
            is_default=not self.by_code,
            created_at=now,
        )

    def with_store_locales(self, codes: Iterable[str], now: datetime) -> "Locales":
        """Returns the locales after the active stores have exactly these, in this order.

        New ones are added, a manual one becomes the stores' and keeps its label, and one that no
        active store has any more becomes manual (docs/interface.md, section 4).
        """
        unique = list(dict.fromkeys(codes))
        after = self
        for code in unique:
            existing = after.by_code.get(code)
            row = replace(existing, origin=WorkspaceLocaleOrigin.STORE) if existing else None
            after = after.put(row or after.new(code, None, WorkspaceLocaleOrigin.STORE, now))
        for code in set(after.by_code) - set(unique):
            after = after.put(replace(after.by_code[code], origin=WorkspaceLocaleOrigin.MANUAL))
        return after
