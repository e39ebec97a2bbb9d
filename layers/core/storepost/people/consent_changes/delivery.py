"""How a change is written back: to a shop by its Admin API, to any other store at its address."""

from collections.abc import Callable
from dataclasses import dataclass

from storepost.people.consent.missed_write_backs import Precondition, has_address
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
    """What was decided doesn't hold any more: the queue delivers the message again."""


@dataclass(frozen=True)
class Delivery:
    """Says how one store gets consent changes: as a shop by the Admin API,
    else at its own address.
    """

    store: Store
    config: WriteBackConfig | None
    """None for a shop."""

    @property
    def is_unchanged(self) -> Precondition | None:
        """Returns the demand that the store's address is still this one;
        None for a shop, which has none.
        """
        if self.config is None:
            return None
        return has_address(self.store.workspace, self.store.id, self.config.url)

    def deliver(
        self,
        change: ConsentChange,
        external_ids: list[str],
        is_same: Callable[[str | None], bool] | None = None,
        *,
        is_confirmed: bool = False,
    ) -> WriteBackOutcome:
        """Writes the change to the store; this is one attempt.

        `is_same` says whether a shop's customer has the address, where the change doesn't name it.
        `is_confirmed` is whether somebody confirmed the opt-in, which a shop is sent.
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
    """Returns how the store gets changes; None where nobody may write to it."""
    if store is None or not store.takes_consent:
        return None
    if not store.is_custom:
        return Delivery(store, None)
    config = WriteBackRepository(workspace).get(store.id)
    return Delivery(store, config) if config else None
