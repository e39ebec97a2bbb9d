"""Whether the rows agree with a model: in all by which two models could differ later.

Rows of erased people don't count: a worker may still have to remove them.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any
from uuid import UUID

from storepost.orders.repository import OrderItem
from storepost.people.consent.items import ConsentChangeItem
from storepost.people.customers.repository import CustomerItem
from storepost.people.profiles.rows import MergeItem, ProfileItem, as_profile
from storepost.platform.persistence.item import Item
from storepost.values.ids import from_short
from storepost.values.scope import WorkspaceScope
from tests.people.matching.model import Model
from tests.people.matching.model_records import CHANNELS, Person


def agrees(workspace: WorkspaceScope, rows: Sequence[Item], model: Model) -> bool:
    """Whether the rows and the model agree on people, customers, orders, merges and consent."""
    comparisons: list[Callable[[], bool]] = [
        lambda: _people_of(workspace, rows) == _people(model),
        lambda: _are_same_orders(rows, model),
        lambda: _customers_of(rows, model) == _customers(model),
        lambda: _merges_of(rows, model) == Counter(chain(*(p.merged for p in _all(model)))),
        lambda: _are_same_changes(rows, model),
    ]
    return all(is_same() for is_same in comparisons)


def _people_of(workspace: WorkspaceScope, rows: Sequence[Item]) -> dict[str, tuple[object, ...]]:
    profiles = [as_profile(workspace, row) for row in rows if isinstance(row, ProfileItem)]
    return {
        str(each.id): (
            *(each.first_seen_at, each.last_seen_at, each.first_name, each.last_name),
            *(each.email, each.phone, str(each.email_consent), str(each.sms_consent), each.locale),
            (source := each.locale_source)
            and (str(source.source), str(source.store_id), str(source.signal), source.at),
            {identity: (seen.first, seen.last) for identity, seen in each.sightings.items()},
        )
        for each in profiles
    }


def _people(model: Model) -> dict[str, tuple[object, ...]]:
    return {
        each.id: (
            *(each.first_seen, each.last_seen, each.first_name, each.last_name),
            *(each.email, each.phone),
            *(model.state("email", each.email), model.state("sms", each.phone)),
            each.locale.code if each.locale else None,
            each.locale.source if each.locale else None,
            each.seen,
        )
        for each in _all(model)
    }


def _customers_of(rows: Sequence[Item], model: Model) -> dict[tuple[str, str], object]:
    owners = {row.key: _now(model, row.profile_id) for row in _each(rows, CustomerItem)}
    return {
        (str(row.store_id), row.external_id): (
            *(owners[row.key], row.deleted_at is not None),
            *(row.external_created_at, row.external_updated_at),
            *(row.first_name, row.email, row.phone, row.locale),
            {"email": row.email_consent, "sms": row.sms_consent},
            {"email": row.email_consent_at, "sms": row.sms_consent_at},
            {"email": row.email_refused_at, "sms": row.sms_refused_at},
        )
        for row in _each(rows, CustomerItem)
        if owners[row.key] not in model.gone
    }


def _customers(model: Model) -> dict[tuple[str, str], object]:
    return {
        key: (
            *(each.owner, each.deleted, each.created, each.updated),
            *(each.body.get(name) for name in ("firstName", "email", "phone", "locale")),
            {channel: each.states[channel] for channel in CHANNELS},
            {channel: each.since[channel] for channel in CHANNELS},
            {channel: each.refused.get(channel) for channel in CHANNELS},
        )
        for key, each in model.customers.items()
    }


def _are_same_orders(rows: Sequence[Item], model: Model) -> bool:
    stored = {(str(row.store_id), row.external_id): row for row in _each(rows, OrderItem)}
    if stored.keys() != model.orders.keys():
        return False
    for key, own in model.orders.items():
        row = stored[key]
        is_deleted = row.deleted_at is not None
        if (row.updated_at, is_deleted) != (own.updated, own.deleted):
            return False
        if not is_deleted and (row.placed_at, row.amounts[0]) != (own.placed, own.spent):
            return False
        if _now(model, row.profile_id) not in {own.owner, *model.gone}:
            return False
    return True


def _merges_of(rows: Sequence[Item], model: Model) -> Counter[tuple[str, str, str | None]]:
    return Counter(
        (str(row.merged_profile_id), row.source, row.reference)
        for row in _each(rows, MergeItem)
        if str(row.merged_profile_id) in model.survivors
    )


def _are_same_changes(rows: Sequence[Item], model: Model) -> bool:
    """Each names the stores that had the address or the person; of a later yes also others."""
    stored, named = Counter[tuple[object, ...]](), dict[tuple[object, ...], set[str]]()
    for row in _each(rows, ConsentChangeItem):
        if (owner := _now(model, row.profile_id)) not in model.gone:
            store = str(row.store_id) if row.store_id else None
            change = (owner, row.channel, row.address, row.state, row.occurred_at, store)
            stored[change] += 1
            stores = {str(from_short(each)) for each in row.write_backs.attribute_values}
            named.setdefault(change, set()).update(stores)
    counted, knew = Counter[tuple[object, ...]](), dict[tuple[object, ...], set[str]]()
    for person in _all(model):
        for c in person.history:
            change = (person.id, c.channel, c.address, c.state, c.at, c.store)
            counted[change] += 1
            knew.setdefault(change, set()).update(c.write_back_stores)
    return stored == counted and all(
        least <= named[change] <= least | model.had.get((str(change[1]), str(change[2])), set())
        for change, least in knew.items()
    )


def _all(model: Model) -> list[Person]:
    return list(model.people.values())


def _each[T: Item](rows: Sequence[Item], kind: type[T]) -> list[T]:
    return [row for row in rows if isinstance(row, kind)]


def _now(model: Model, profile_id: UUID | None) -> Any:
    return model.survivors.get(str(profile_id), str(profile_id)) if profile_id else None
