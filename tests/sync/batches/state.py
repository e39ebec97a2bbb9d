"""The rows of a store's records, without ids and moments that differ by chance."""

from collections import Counter
from collections.abc import Mapping, Set
from typing import Any
from uuid import UUID

from storepost.orders.repository import OrderItem
from storepost.people.consent.items import ConsentAddressItem, ConsentChangeItem
from storepost.people.customers.repository import CustomerItem
from storepost.people.events.rows import OrderPointerItem
from storepost.people.profiles.rows import IdentityItem, ProfileItem
from storepost.platform.persistence.item import Item
from storepost.values.ids import from_short
from tests.sync.batches.batch_store import Shop

type Who = frozenset[tuple[str, str]]
"""A person by what identifies them."""

_BY_CHANCE = {"pk", "sk", "id", "store_id", "profile_id", "version", "kind"}
_BY_WAY = {"written_by", "search_entry", "answer"}
"""What says that an import wrote a row, and not a request; and what its last write changed, which
differs where several records were written at once."""


def state_of(shop: Shop) -> dict[str, object]:
    """The rows by kind, each person named by their identities."""
    rows = shop.world.rows(shop.workspace.key)
    people = {row.id: _who(row) for row in rows if isinstance(row, ProfileItem)}
    return {
        "profiles": Counter(_profile(row) for row in rows if isinstance(row, ProfileItem)),
        "claims": Counter(
            (_value_of(row.pk), people[row.profile_id], *_plain(row))
            for row in rows
            if isinstance(row, IdentityItem)
        ),
        "customers": Counter(
            (people[row.profile_id], *_plain(row)) for row in rows if isinstance(row, CustomerItem)
        ),
        "orders": Counter(
            (people.get(row.profile_id), *_plain(row)) for row in rows if isinstance(row, OrderItem)
        ),
        "pointers": Counter(
            (people[from_short(row.pk.rpartition("#")[2])], row.sk.split("#")[1])
            for row in rows
            if isinstance(row, OrderPointerItem)
        ),
        "addresses": Counter(
            (_value_of(row.pk), _statement(row.dated, people), _statement(row.undated, people))
            for row in rows
            if isinstance(row, ConsentAddressItem)
        ),
        "changes": Counter(
            (
                people[row.profile_id],
                *(row.channel, row.state, row.source, row.address, str(row.occurred_at)),
                row.by == shop.owner.name,
                len(row.write_backs.attribute_values),
            )
            for row in rows
            if isinstance(row, ConsentChangeItem)
        ),
    }


def _who(row: ProfileItem) -> Who:
    return frozenset((kind, value) for kind, value, *_ in row.identities)


def _profile(row: ProfileItem) -> tuple[object, ...]:
    links = [link for link in row.links.values()]
    source = row.locale_source and [row.locale_source[0], *row.locale_source[2:]]
    ours = {"identities", "former", "links", "locale_source"}
    former = frozenset((kind, value) for kind, value, _ in row.former)
    return (_who(row), former, str(links), str(source), *_plain(row, ours))


def _plain(row: Item, but: Set[str] = frozenset()) -> tuple[str, ...]:
    """The row's own attributes, without ids."""
    values: Mapping[str, Any] = row.attribute_values
    attributes = {**values, "deleted_at": values.get("deleted_at") is not None}
    return tuple(
        f"{name}={attributes[name]}"
        for name in sorted(attributes.keys() - _BY_CHANCE - _BY_WAY - but)
    )


def _value_of(partition: str) -> tuple[str, str]:
    parts = partition.split("#")
    return parts[3], parts[-1]


def _statement(row: list[Any] | None, people: dict[UUID, Who]) -> tuple[object, ...] | None:
    if row is None:
        return None
    state, as_of, profile_id, _, awaits_answer = row
    return state, as_of, people[UUID(profile_id)], awaits_answer
