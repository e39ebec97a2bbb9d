"""Delivers a change: to a shop by its Admin API, to any other store at its own address."""

from collections.abc import Callable
from dataclasses import dataclass

from storepost.people.consent.missed_write_backs import (
    Precondition,
    has_address,
    is_connected_since,
)
from storepost.people.consent.model import ConsentChange
from storepost.people.consent_changes.requests import (
    WriteBackOutcome,
    WriteBackRefusal,
    post_change,
)
from storepost.people.consent_changes.shops import update_shop
from storepost.platform.attempts.posting import Stopwatch
from storepost.stores.stores.model import Store
from storepost.stores.stores.write_back import WriteBackConfig, WriteBackRepository
from storepost.values.scope import WorkspaceScope


class NotTaken(Exception):  # noqa: N818 - it is what happened
    """The decision is out of date: the queue delivers the message again."""


@dataclass(frozen=True)
class Delivery:
    """How one store gets consent changes: a shop by the Admin API, others at their own address."""

    store: Store
    config: WriteBackConfig | None
    """None for a shop."""

    @property
    def is_unchanged(self) -> Precondition:
        """Returns the precondition that the store's address, or a shop's connection, is the same.

        With another one it was just sent what it had missed.
        """
        workspace, store = self.store.workspace, self.store
        if self.config is None:
            return is_connected_since(workspace, store.id, store.connected_at)
        return has_address(workspace, store.id, self.config.url)

    def deliver(
        self,
        change: ConsentChange,
        external_ids: list[str],
        is_same: Callable[[str | None], bool] | None = None,
        *,
        is_confirmed: bool = False,
    ) -> WriteBackOutcome:
        """Writes the change to the store; this is one attempt.

        `is_same` returns whether a shop's customer has the address, for a change without its
        address. `is_confirmed` is whether the opt-in was confirmed, which a shop is sent.
        """
        if self.config is None:
            watch = Stopwatch()
            reason = update_shop(
                self.store, change, external_ids, is_same, is_confirmed=is_confirmed
            )
            error = reason.error if isinstance(reason, WriteBackRefusal) else None
            return WriteBackOutcome(watch.attempt(None, error), reason)
        return post_change(self.config, change, self.store.id, external_ids)


def delivery_to(workspace: WorkspaceScope, store: Store | None) -> Delivery | None:
    """Returns how the store gets changes; None where it accepts none."""
    if store is None or not store.takes_consent:
        return None
    if not store.is_custom:
        return Delivery(store, None)
    config = WriteBackRepository(workspace).get(store.id)
    return Delivery(store, config) if config else None
