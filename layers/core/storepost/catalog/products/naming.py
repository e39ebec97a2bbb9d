"""Names of variants, by which a row of a feed finds the variant that it is about.

A name's row has the first and the last variant that got the name. It is a hint: a reader checks in
the product whether the variant still has the name. So the row may be written after the product,
twice, or for nothing; it is never deleted, and it stays small if ten thousand variants share the
name.
"""

import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import batched
from typing import NamedTuple
from uuid import UUID

from pynamodb.expressions.operand import Path
from pynamodb.expressions.update import Action

from storepost.catalog.products.jobs import Job, JobKind
from storepost.catalog.products.keys import names_partition
from storepost.catalog.products.packing import first_of
from storepost.catalog.products.records import Layer, SourceValues
from storepost.catalog.products.repository import ProductRepository
from storepost.catalog.products.rows import NameItem
from storepost.platform.messaging.messages import send
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.item import Key, Raw, find_raw
from storepost.platform.persistence.loads.serializing import RowSerializer
from storepost.stores.stores.model import Store
from storepost.stores.stores.repository import StoreRepository
from storepost.values.ids import SHORT_LENGTH, from_short, short
from storepost.values.stored_enum import StoredEnum

SHARDS = 16
MAX_SKU_BYTES = 100_000
"""Bytes of a product's SKUs in its row, deflated: 2,000 of 50 random characters each fit."""
MAX_WITH_PRODUCT = 40
"""Names in the product's own transaction; a worker writes those of more variants after it."""
_AT_ONCE = 80
_KIND_MARK = "#"
_KIND = Path("kind").set("product_name")


class NameKind(StoredEnum):
    """What a name is."""

    EXTERNAL_ID = "v"
    SKU = "s"
    BARCODE = "b"


class Name(NamedTuple):
    """One name of a variant."""

    kind: NameKind
    value: str


class Called(NamedTuple):
    """A variant that has a name."""

    product: UUID
    variant: str
    """The variant's key in the product."""


def names_of(product_external_id: str, layers: Iterable[Layer]) -> dict[Name, str]:
    """Returns the names of a product's variants in any source, each with the variant's key.

    A variant with the product's own external id needs no row: the product is found by it.
    """
    names: dict[Name, str] = {}
    for layer in layers:
        for record in layer.records:
            if record.is_live:
                names |= {name: key for name, key in _called(record.values) if name not in names}
    names.pop(Name(NameKind.EXTERNAL_ID, product_external_id), None)
    return names


def skus_of(layers: Iterable[Layer]) -> tuple[str, ...]:
    """Returns the SKUs of a product's variants in any source, as many as fit into its row.

    Their order, by which they are cut off, means nothing.
    """
    skus = {
        sku
        for layer in layers
        for record in layer.records
        if record.is_live and record.values.variant is not None
        if (sku := record.values.fields.get("sku"))
    }
    return tuple(first_of(sorted(skus), MAX_SKU_BYTES))


def _called(source: SourceValues) -> Iterator[tuple[Name, str]]:
    if source.variant is None:
        return
    values = (source.variant, source.fields.get("sku"), source.fields.get("barcode"))
    for kind, value in zip(NameKind, values, strict=True):
        if value:
            yield Name(kind, value), source.variant


def name_key(store: Store, name: Name) -> Key:
    """Returns the key of a name's row."""
    digest = _digest(name)
    partition = names_partition(store.workspace, store.id, digest[0] % SHARDS)
    return (partition, _sort_key(name.kind, digest))


def name_bytes(name: Name) -> bytes:
    """Returns bytes that identify the name, in half the time that its sort key takes."""
    return name.kind.encode() + _digest(name)


def name_bytes_of(sort_key: str) -> bytes:
    """Returns the `name_bytes` of the name that has this sort key."""
    kind, _, digest = sort_key.partition(_KIND_MARK)
    return kind.encode() + urlsafe_b64decode(f"{digest}==")


def _digest(name: Name) -> bytes:
    return hashlib.blake2b(name.value.encode(), digest_size=16).digest()


def _sort_key(kind: NameKind, digest: bytes) -> str:
    return f"{kind}{_KIND_MARK}{urlsafe_b64encode(digest).rstrip(b'=').decode()}"


def candidates(item: NameItem) -> list[Called]:
    """Returns the variants that have or had the name."""
    return called_by((item.first, item.last))


def called_by(refs: Iterable[str]) -> list[Called]:
    """Returns the variants that a row has as first and last."""
    return [
        Called(from_short(ref[:SHORT_LENGTH]), ref[SHORT_LENGTH:]) for ref in dict.fromkeys(refs)
    ]


class _Book:
    """The names that one unit of work adds."""

    def __init__(self, changes: Changes, store: Store) -> None:
        self._changes = changes
        self._store = store
        self._names: dict[Name, list[Called]] = {}
        changes.before_commit(self._write, lambda: len(self._names))

    def give(self, name: Name, called: Called) -> None:
        self._names.setdefault(name, []).append(called)

    def _write(self) -> None:
        for name, called in self._names.items():
            item = NameItem(*name_key(self._store, name))
            self._changes.update(item, _actions(called))


class NewNames:
    """Names of new products' variants, which are written before the products exist."""

    def __init__(self, store: Store) -> None:
        """Begins with none."""
        self._partitions = list(all_partitions(store))
        self._rows = RowSerializer(NameItem)
        self._names: dict[Key, list[Called]] = {}

    def add(self, product: UUID, names: Iterable[tuple[Name, str]]) -> None:
        """Adds the names of one product's variants."""
        for (kind, value), variant in names:
            digest = hashlib.blake2b(value.encode(), digest_size=16).digest()
            key = (self._partitions[digest[0] % SHARDS], _sort_key(kind, digest))
            self._names.setdefault(key, []).append(Called(product, variant))

    def new(self, changes: Changes, known: Collection[Key], *, asks: bool) -> list[Raw]:
        """Returns the rows of names that are new, and adds updates of the others to the unit.

        Names in `known` exist. If it `asks`, it reads which of the others do; else their rows are
        to be inserted, which fails if one exists. A name that has these variants already isn't
        updated: if an earlier try wrote it, the update could overwrite a variant that another
        writer added since.
        """
        stored = find_raw(self._names) if asks else {}
        rows = []
        for key, called in self._names.items():
            row = self._rows.row(key, {"first": _ref(called[0]), "last": _ref(called[-1])})
            if key in stored and _has_ends(stored[key], row):
                continue
            if key in stored or key in known:
                changes.update(NameItem(*key), _actions(called))
            else:
                rows.append(row)
        return rows


def _has_ends(stored: Raw, row: Raw) -> bool:
    """Returns whether a stored name has both the first and the last variant of this row."""
    ends = (stored.get("first"), stored.get("last"))
    return row["first"] in ends and row["last"] in ends


def give_names(
    changes: Changes, store: Store, product: UUID, names: Iterable[tuple[Name, str]]
) -> None:
    """Adds new names of a product's variants; if they are many, it queues a job for them."""
    called_by_name = {name: Called(product, key) for name, key in names}
    if len(called_by_name) > MAX_WITH_PRODUCT:
        send(changes, Job(JobKind.NAMES, store.workspace.id, store.id, product))
        return
    for name, called in called_by_name.items():
        changes.shared(("product_names", store.id), lambda: _Book(changes, store)).give(
            name, called
        )


def name_variants(job: Job) -> None:
    """Writes the names of all variants of a product that has many."""
    store = StoreRepository(job.workspace).get(job.store_id)
    repository = ProductRepository(job.workspace)
    product = repository.get(job.id)
    if store is None or product is None:
        return
    names = names_of(product.external_id, repository.layers(product).values())
    keys = {name_key(store, name): Called(product.id, key) for name, key in names.items()}
    known = find_raw(keys)
    for some in batched(keys.items(), _AT_ONCE, strict=False):
        commit_anew(partial(_write_some, some=some, known=known))


def _write_some(
    changes: Changes, some: Iterable[tuple[Key, Called]], known: Collection[Key]
) -> None:
    for key, called in some:
        if key in known:
            changes.update(NameItem(*key), _actions([called]))
        else:
            # This overwrites the first variant with the name, if another writer has just added one.
            changes.save(NameItem(*key, first=_ref(called), last=_ref(called)))


def _actions(called: Sequence[Called]) -> list[Action]:
    first, last = _ref(called[0]), _ref(called[-1])
    return [_KIND, NameItem.first.set(NameItem.first | first), NameItem.last.set(last)]


def _ref(called: Called) -> str:
    return f"{short(called.product)}{called.variant}"


def all_partitions(store: Store) -> Iterator[str]:
    """Returns the partitions of a store's names."""
    for shard in range(SHARDS):
        yield names_partition(store.workspace, store.id, shard)
