"""Rows of suppressions."""

from typing import Any

from pynamodb.attributes import UnicodeAttribute

from storepost.people.consent.states import Channel
from storepost.people.suppressions.model import (
    AddressSuppressions,
    Suppression,
    SuppressionReason,
    SuppressionSource,
)
from storepost.platform.persistence.item import (
    Identifier,
    Item,
    Key,
    UtcDateTimeAttribute,
    VersionedItem,
)
from storepost.platform.persistence.mapping import as_row, as_value
from storepost.platform.persistence.records import Records
from storepost.values import clock
from storepost.values.ids import from_short, short

type _Row = list[Any]


class SuppressedAddressItem(VersionedItem, discriminator="suppressed_address"):
    """An address's suppressions, under its keyed hash.

    Every change of the address's suppressions writes it, so no two run concurrently. It stays after
    the last suppression has gone.
    """

    digest = UnicodeAttribute()
    channel = UnicodeAttribute()
    address = UnicodeAttribute(null=True)
    """None once the person with the address was erased."""
    stored = Records(
        *("reason", "id", "source", "created_at", "ends_at", "note", "by"), named_by=["id"]
    )


class SuppressionItem(Item, discriminator="suppression"):
    """A suppression under its id: in force or lifted."""

    id = Identifier()
    digest = UnicodeAttribute()
    channel = UnicodeAttribute()
    address = UnicodeAttribute(null=True)
    reason = UnicodeAttribute()
    source = UnicodeAttribute()
    note = UnicodeAttribute(null=True)
    by = UnicodeAttribute(null=True)
    created_at = UtcDateTimeAttribute()
    ends_at = UtcDateTimeAttribute(null=True)
    lifted_at = UtcDateTimeAttribute(null=True)
    lifted_by = UnicodeAttribute(null=True)
    lift_note = UnicodeAttribute(null=True)


class PastSuppressionItem(Item, discriminator="past_suppression"):
    """Names a lifted suppression in its address's partition; its id is in the sort key."""


class SuppressionDueItem(Item, discriminator="suppression_due"):
    """Records when a suppression ends by itself."""

    id = Identifier()
    workspace_id = Identifier()
    digest = UnicodeAttribute()


def address_row(key: Key, state: AddressSuppressions) -> SuppressedAddressItem:
    """Returns an address's suppressions as its row, with the version that was read."""
    item = SuppressedAddressItem(
        *key,
        digest=state.digest,
        channel=state.channel,
        address=state.address,
        stored=[_row(each) for each in state.stored],
    )
    if state.version is not None:
        item.version = state.version
    return item


def as_state(item: SuppressedAddressItem) -> AddressSuppressions:
    """Returns the suppressions that `address_row` wrote."""
    channel = Channel(item.channel)
    return AddressSuppressions(
        digest=item.digest,
        channel=channel,
        address=item.address,
        stored=tuple(_stored(channel, item.address, row) for row in item.stored),
        version=int(item.version),
    )


def suppression_row(key: Key, suppression: Suppression, digest: str) -> SuppressionItem:
    """Returns a suppression as its row."""
    return as_row(SuppressionItem, key, suppression, digest=digest)


def as_suppression(item: SuppressionItem) -> Suppression:
    """Returns the suppression that `suppression_row` wrote."""
    return as_value(Suppression, item)


def _row(suppression: Suppression) -> _Row:
    ends_at = suppression.ends_at
    return [
        suppression.reason,
        short(suppression.id),
        suppression.source,
        clock.to_text(suppression.created_at),
        clock.to_text(ends_at) if ends_at else None,
        suppression.note,
        suppression.by,
    ]


def _stored(channel: Channel, address: str | None, row: _Row) -> Suppression:
    reason, identifier, source, created_at, ends_at, note, by = row
    return Suppression(
        id=from_short(identifier),
        channel=channel,
        address=address,
        reason=SuppressionReason(reason),
        source=SuppressionSource(source),
        created_at=clock.from_text(created_at),
        ends_at=clock.from_text(ends_at) if ends_at else None,
        note=note,
        by=by,
    )
