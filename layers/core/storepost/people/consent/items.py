"""Items of consent in the table."""

from typing import Any

from pynamodb.attributes import JSONAttribute, MapAttribute, UnicodeAttribute

from storepost.platform.persistence.item import (
    Identifier,
    Item,
    UtcDateTimeAttribute,
    VersionedItem,
)
from storepost.platform.persistence.records import Record, Records
from storepost.platform.persistence.write_marks import MarkedItem

_EFFECTIVE = ("state", "as_of", "profile_id", "change_id", "awaits_answer")
_CUSTOMER = ("store_id", "external_id")


class ConsentAddressItem(VersionedItem, discriminator="consent_address"):
    """An address's state."""

    dated = Record(*_EFFECTIVE, null=True)
    undated = Record(*_EFFECTIVE, null=True)
    erased_at = UtcDateTimeAttribute(null=True)
    other_customers = Records(*_CUSTOMER, named_by=_CUSTOMER, null=True)
    confirmed_at = UtcDateTimeAttribute(null=True)
    unsubscribed_at = UtcDateTimeAttribute(null=True)
    last_statement = UnicodeAttribute(null=True)


class ConsentChangeItem(MarkedItem, discriminator="consent_change"):
    """A recorded change with its write-backs."""

    id = Identifier()
    profile_id = Identifier()
    channel = UnicodeAttribute()
    state = UnicodeAttribute()
    source = UnicodeAttribute()
    store_id = Identifier(null=True)
    proof = JSONAttribute()
    by = UnicodeAttribute(null=True)
    address = UnicodeAttribute(null=True)
    occurred_at = UtcDateTimeAttribute()
    recorded_at = UtcDateTimeAttribute()
    write_backs: MapAttribute[str, Any] = MapAttribute()  # type: ignore[no-untyped-call]
    """By the stores' short ids: status, skip_reason, error, done_at, is_certain, pending_since,
    telling, resends.
    """
    follows = Record("profile_id", "change_id", null=True)
    """The change that held before, by short ids."""
    superseded = UnicodeAttribute(null=True, attr_name="late")
    """`y` where it didn't hold once its transaction was written: short, as reading a history costs
    by its bytes.
    """
    restored = Record("profile_id", "change_id", null=True)
    """The change that this one makes hold again, by short ids."""
    evidence = Record("number", "id", "wording", "text_version", "url", "opt_in_level", null=True)
    """The evidence, where it has no row of its own; the id is short, the wording a hash."""


class ErasedAddressItem(Item, discriminator="erased_address"):
    """Records the erasure of a person who had an address, which can't be read from the row."""

    at = UtcDateTimeAttribute()
    """When the last such person was erased."""
