"""Suppresses addresses, and reads their suppressions.

A worker that learns about an address calls `suppress`; a caller that is about to write to one calls
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
    """Suppresses an address in its own transaction; returns whether the suppression is new.

    The address is normalised. Repeating a suppression changes nothing. A complaint also
    unsubscribes the address of the profile that has it, which is written back to the stores. With
    `ends_at` the suppression ends by itself; if one with that reason is in force, the later end
    counts. Raises Conflict.
    """
    of, new = Address(channel, address), NewSuppression(reason, source, at, note, by, ends_at)
    return commit_anew(lambda changes: add_suppression(changes, scope, of, new))


def suppression_of(scope: WorkspaceScope, channel: Channel, address: str) -> Suppression | None:
    """Returns the suppression of an address, the strongest of several, or None."""
    return suppressions_of(scope, [(channel, address)])[channel, address]


def suppressions_of(
    scope: WorkspaceScope, addresses: Iterable[tuple[Channel, str]]
) -> dict[tuple[Channel, str], Suppression | None]:
    """Returns the suppression of each of the addresses; a hundred per call, strongly consistent."""
    by_channel = {(channel, value): Address(channel, value) for channel, value in addresses}
    states, now = SuppressionRepository(scope).states_of(by_channel.values()), clock.now()
    return {each: states[address].shown(now) for each, address in by_channel.items()}
