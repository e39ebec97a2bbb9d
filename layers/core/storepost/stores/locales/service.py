"""Adds, changes and deletes locales, and updates them when stores' locales change."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from storepost.platform.persistence.changes import Changes
from storepost.stores.locales.model import (
    MAX_LOCALES,
    Locales,
    WorkspaceLocale,
    WorkspaceLocaleOrigin,
)
from storepost.stores.locales.problems import (
    LocaleDefault,
    LocaleExists,
    LocaleFromStore,
    LocaleLimit,
)
from storepost.stores.locales.repository import LocaleRepository
from storepost.values import clock
from storepost.values.pagination import Listing, PageRequest, cut
from storepost.values.problems import NotFound, needed
from storepost.values.scope import WorkspaceScope
from storepost.values.text import matches


def list_locales(
    workspace: WorkspaceScope,
    q: str | None,
    origins: Iterable[WorkspaceLocaleOrigin] | None,
    page: PageRequest,
) -> Listing[WorkspaceLocale]:
    """Returns the locales, newest first."""
    allowed = set(origins or WorkspaceLocaleOrigin)
    rows = [
        row
        for row in LocaleRepository(workspace).get().by_code.values()
        if row.origin in allowed and (q is None or matches(q, row.code, row.label))
    ]
    rows.sort(key=lambda row: (row.created_at, row.id), reverse=True)
    return cut(rows, page)


def add_locale(
    workspace: WorkspaceScope, code: str, label: str | None, changes: Changes
) -> WorkspaceLocale:
    """Adds a manual locale; the first of a workspace is its default."""
    repository = LocaleRepository(workspace)
    locales = repository.get()
    if code in locales.by_code:
        raise LocaleExists()
    _room_for(len(locales.by_code) + 1)
    locale = locales.new(code, label, WorkspaceLocaleOrigin.MANUAL, clock.now())
    repository.save(changes, locales.put(locale))
    return locale


def get_locale(workspace: WorkspaceScope, locale_id: UUID) -> WorkspaceLocale:
    """Returns the locale. Raises NotFound."""
    return _found(LocaleRepository(workspace).get(), locale_id)


def update_locale(
    workspace: WorkspaceScope,
    locale_id: UUID,
    label: str | None,
    changes: Changes,
    *,
    make_default: bool,
) -> WorkspaceLocale:
    """Changes the label, or makes the locale the default, replacing the old one."""
    repository = LocaleRepository(workspace)
    locales = repository.get()
    locale = _found(locales, locale_id)
    changed = replace(
        locale, label=label or locale.label, is_default=locale.is_default or make_default
    )
    repository.save(changes, locales.put(changed))
    return changed


def delete_locale(workspace: WorkspaceScope, locale_id: UUID, changes: Changes) -> None:
    """Deletes a manual locale that isn't the default."""
    repository = LocaleRepository(workspace)
    locales = repository.get()
    locale = _found(locales, locale_id)
    if locale.is_default:
        raise LocaleDefault()
    if locale.origin is WorkspaceLocaleOrigin.STORE:
        raise LocaleFromStore()
    repository.save(changes, locales.without(locale))


@dataclass(frozen=True)
class LocalesOfStores:
    """The locales of the active stores after one store changed."""

    codes: Sequence[str]
    """Each store's primary locale first."""
    differ: bool
    """Whether the changed store's locales differ from before."""


def update_locales(
    workspace: WorkspaceScope, read: Callable[[], LocalesOfStores], changes: Changes
) -> None:
    """Updates the locales to those of the active stores, which `read` reads.

    Raises LocaleLimit.
    """
    _room_for(len(_update(workspace, read, changes).by_code))


def release_locales(
    workspace: WorkspaceScope, read: Callable[[], LocalesOfStores], changes: Changes
) -> None:
    """Updates the locales after a store's disconnection; they stay, so there are never more."""
    _update(workspace, read, changes)


def _update(
    workspace: WorkspaceScope, read: Callable[[], LocalesOfStores], changes: Changes
) -> Locales:
    """Updates the locales; of two concurrent changes of stores, one is decided again.

    For that, the row is read before the stores, and written even if it stays the same: if two
    stores each drop a locale that the other still seems to have, neither would change the row.
    """
    repository = LocaleRepository(workspace)
    locales = repository.get()
    stores = read()
    after = locales.with_store_locales(stores.codes, clock.now())
    if stores.differ or after != locales:
        repository.save(changes, after)
    return after


def _room_for(count: int) -> None:
    if count > MAX_LOCALES:
        raise LocaleLimit()


def _found(locales: Locales, locale_id: UUID) -> WorkspaceLocale:
    return needed(locales.with_id(locale_id), NotFound.of("locale"))
