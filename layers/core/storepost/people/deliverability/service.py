"""Suppressing addresses, and asking which ones are suppressed.

What a worker knows of an address comes by `suppress`; whoever is about to write to one asks
`suppression_of` first.
"""

from collections.abc import Iterable
from datetime import datetime

from storepost.people.consent.model import Address
from storepost.people.consent.states import Channel
from storepost.people.deliverability.suppressing import NewSuppression, add_suppression
from storepost.people.suppressions.model import Suppression, SuppressionReason, SuppressionSource
from storepost.people.suppressions.repository import SuppressionRepository
from storepost.platform.persistence.changes import commit_anew
from storepost.values import clock
from storepost.values.scope import WorkspaceScope


def suppress(  # noqa: PLR0913 - what a suppression says, each by its name
    scope: WorkspaceScope,
    channel: Channel,
    address: str,
    reason: SuppressionReason,
    source: SuppressionSource,
    *,
    note: str | None = None,
    by: str | None = None,
    at: datetime,
    ends_at: datetime | None = None,
) -> tuple[Suppression, bool]:
    """Suppresses an address in a transaction of its own; returns whether the suppression is new.

    The address is in the form that is compared. The same again changes nothing. A complaint also
    unsubscribes the address of the profile that has it, and that is written back to the stores.
    With `ends_at` the suppression ends by itself; where one of that reason holds, the later end
    counts. Raises Conflict.
    """
    of, new = Address(channel, address), NewSuppression(reason, source, at, note, by, ends_at)
    return commit_anew(lambda changes: add_suppression(changes, scope, of, new))


def suppression_of(scope: WorkspaceScope, channel: Channel, address: str) -> Suppression | None:
    """Returns what suppresses an address now, the strongest where it is several; else None."""
    return suppressions_of(scope, [(channel, address)])[channel, address]


def suppressions_of(
    scope: WorkspaceScope, addresses: Iterable[tuple[Channel, str]]
) -> dict[tuple[Channel, str], Suppression | None]:
    """Returns what suppresses each of the addresses now, a hundred a call, strongly consistent."""
    by_channel = {(channel, value): Address(channel, value) for channel, value in addresses}
    states, now = SuppressionRepository(scope).states_of(by_channel.values()), clock.now()
    return {each: states[address].shown(now) for each, address in by_channel.items()}
