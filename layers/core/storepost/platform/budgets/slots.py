"""Limits operations that wait for an external server: a few at a time in each workspace.

Such an operation occupies its function for as long as the external server likes. Each run has a
lease that expires by itself after the function must have ended, so that a killed run doesn't block
others for long.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from math import ceil
from uuid import uuid4

from pynamodb.exceptions import PynamoDBException
from pynamodb.expressions.update import Action

from storepost.platform.budgets.problems import RateLimited
from storepost.platform.persistence.item import Item, Key, amend, find, remove
from storepost.platform.persistence.patience import patience, pause
from storepost.platform.persistence.records import Json
from storepost.values import clock
from storepost.values.logs import logger
from storepost.values.problems import Busy
from storepost.values.scope import WorkspaceScope

MAX_AT_ONCE = 4
MAX_WAIT_SECONDS = 15
"""As long as a preview reads: by then one of the running operations has ended."""
_MARGIN = 1000
_PATIENCE = 4000
_STORED_FOR = timedelta(days=1)
_TOO_MANY = (
    f"At most {MAX_AT_ONCE} previews and checks of a workspace run at once; wait for one to end."
)

type Leases = dict[str, int]
"""When each of the running operations must have ended, in milliseconds since 1970."""

type Changed = Callable[[Leases, int], Leases | None]
"""Returns the new leases of the running operations at a moment; None for no change."""


class FetchSlotsItem(Item, discriminator="fetch_slots"):
    """The workspace's operations that wait for an external server."""

    leases = Json()


def fetch_slots_key(workspace: WorkspaceScope) -> Key:
    """Returns the key of the row that counts the operations."""
    return (workspace.key, "fetch_slots")


@contextmanager
def fetch_slot(workspace: WorkspaceScope, remaining_milliseconds: int) -> Iterator[None]:
    """Runs the block in a slot; raises RateLimited if all slots are taken.

    `remaining_milliseconds` is how long the function may still take. If the table doesn't answer,
    the block runs.
    """
    slots = _Slots(workspace, str(uuid4()))
    slots.acquire(remaining_milliseconds + _MARGIN)
    try:
        yield
    finally:
        slots.release()


@dataclass(frozen=True)
class _Slots:
    """The workspace's slots, as one run sees them."""

    workspace: WorkspaceScope
    run: str

    def acquire(self, lasts: int) -> None:
        """Takes a slot for `lasts` milliseconds, unless the table doesn't answer."""

        def acquired(leases: Leases, now: int) -> Leases | None:
            if self.run in leases:  # it was written, but the response was lost
                return None
            if len(leases) >= MAX_AT_ONCE:
                wait = ceil((min(leases.values()) - now) / 1000)
                raise RateLimited(_TOO_MANY, retry_after=min(wait, MAX_WAIT_SECONDS))
            return {**leases, self.run: now + lasts}

        self._change(acquired)

    def release(self) -> None:
        """Releases the slot; if that can't be written, its lease expires."""

        def released(leases: Leases, _: int) -> Leases | None:
            rest = {run: ends for run, ends in leases.items() if run != self.run}
            return rest if self.run in leases else None

        self._change(released)

    def _change(self, changed: Changed) -> None:
        """Changes the leases, unless the table doesn't answer within a second."""
        try:
            with patience(_PATIENCE):
                for tries in count():
                    if self._changed_once(changed, tries):
                        return
        except (PynamoDBException, Busy) as error:
            logger.warning("fetch slots not counted", extra={"error": type(error).__qualname__})

    def _changed_once(self, changed: Changed, tries: int) -> bool:
        if tries:
            pause(tries)
        now = int(clock.now().timestamp() * 1000)
        row = find(FetchSlotsItem, fetch_slots_key(self.workspace))
        leases: Leases = row.leases if row else {}
        running = {name: ends for name, ends in leases.items() if ends > now}
        after = changed(running, now)
        if after is None:
            return True
        item = FetchSlotsItem(*fetch_slots_key(self.workspace))
        unchanged = FetchSlotsItem.leases == leases if row else FetchSlotsItem.pk.does_not_exist()
        if not after:
            return remove(item, unchanged)
        actions: list[Action] = [
            FetchSlotsItem.kind.set(FetchSlotsItem),
            FetchSlotsItem.leases.set(after),
            FetchSlotsItem.expiration.set(clock.now() + _STORED_FOR),
        ]
        return amend(item, actions, unchanged)
