"""The records of an import, in processing order: customers, then orders; or products."""

from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from storepost.catalog.products.incoming import IncomingProduct
from storepost.catalog.products.service import write_product
from storepost.catalog.products.writing import keys_behind as layer_keys
from storepost.catalog.products.writing import keys_of as product_keys
from storepost.coupons.using import keys_of_codes
from storepost.orders.buyers import redactable_customer
from storepost.orders.incoming import IncomingOrder
from storepost.orders.keys import order_id, order_key
from storepost.orders.service import write_order
from storepost.people.consent.keys import address_key
from storepost.people.consent.model import Address, ConsentOrigin
from storepost.people.consent.states import Channel
from storepost.people.customers.model import IncomingCustomer
from storepost.people.customers.repository import customer_key, redacted_key
from storepost.people.customers.service import write_customer
from storepost.people.profiles.keys import profile_key
from storepost.people.profiles.model import Identity
from storepost.people.profiles.resolution import claim_keys, keys_behind
from storepost.people.suppressions.keys import digest_of, suppressed_key
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Key
from storepost.platform.persistence.reads import ReadAhead
from storepost.stores.imports.model import ImportStage
from storepost.stores.stores.model import Store
from storepost.values.problems import ValidationFailed


@dataclass(frozen=True)
class Sender:
    """The store that the records belong to, and the origin of their consents."""

    store: Store
    origin: ConsentOrigin


@dataclass(frozen=True)
class _StoreRecord[Incoming]:
    """A record that a store sends."""

    sender: Sender
    index: int
    external_id: str
    """The store's id of it."""
    size: int
    """Its bytes as JSON."""
    incoming: Incoming
    """The value that the service works with."""


class CustomerRecord(_StoreRecord[IncomingCustomer]):
    """A customer that a store sends."""

    stage = ImportStage.CUSTOMERS

    @cached_property
    def _claims(self) -> dict[Identity, Key]:
        store = self.sender.store
        return claim_keys(store.workspace, self.incoming.identities(store, self.external_id))

    @cached_property
    def _asserted(self) -> list[Key]:
        """The consent rows of the addresses with a state, and the suppressions of invalid ones."""
        workspace, incoming = self.sender.store.workspace, self.incoming
        addresses = {
            channel: Address(channel, value)
            for channel in Channel
            if (value := incoming.address(channel)) and incoming.consent(channel).state
        }
        invalid = (
            address
            for channel, address in addresses.items()
            if incoming.consent(channel).is_of_address
        )
        return [
            *(address_key(workspace, each) for each in addresses.values()),
            *(suppressed_key(workspace, digest_of(workspace, each)) for each in invalid),
        ]

    @cached_property
    def keys(self) -> list[Key]:
        """Returns the keys of its stored rows, and of its identities' claims."""
        store = self.sender.store
        own = customer_key(store.workspace, store.id, self.external_id)
        bars = (
            [] if store.is_custom else [redacted_key(store.workspace, store.id, self.external_id)]
        )
        return [own, *bars, *self._claims.values()]

    def keys_behind(self, reads: ReadAhead) -> list[Key]:
        """Returns the keys of further rows for its decision, once those were read."""
        workspace = self.sender.store.workspace
        return [*self._asserted, *keys_behind(workspace, self._claims, reads)]

    def write(self, changes: Changes) -> None:
        """Adds its changes, as its own PUT would."""
        sender = self.sender
        write_customer(sender.store, self.external_id, self.incoming, sender.origin, changes)


class OrderRecord(_StoreRecord[IncomingOrder]):
    """An order that a store sends."""

    stage = ImportStage.ORDERS

    @cached_property
    def _claims(self) -> dict[Identity, Key]:
        store = self.sender.store
        return claim_keys(store.workspace, self.incoming.identities(store))

    @property
    def identities(self) -> tuple[Identity, ...]:
        """Returns the identities of its buyer."""
        return tuple(self._claims)

    @cached_property
    def _own(self) -> Key:
        store = self.sender.store
        return order_key(store.workspace, order_id(store.id, self.external_id))

    @cached_property
    def bars(self) -> list[Key]:
        """Returns the keys of the rows that don't exist for a new order."""
        store = self.sender.store
        customer = redactable_customer(store, self.incoming)
        bars = [redacted_key(store.workspace, store.id, customer)] if customer else []
        return [self._own, *bars]

    @cached_property
    def own_keys(self) -> list[Key]:
        """Returns the keys of its stored rows, and of its discount codes."""
        return [*self.bars, *keys_of_codes(self.sender.store, self.incoming.discount_codes)]

    @cached_property
    def keys(self) -> list[Key]:
        """Returns the keys of its stored rows, its identities' claims and its discount codes."""
        return [*self.own_keys, *self._claims.values()]

    def is_of_somebody_new(self, reads: ReadAhead) -> bool:
        """Returns whether its buyer is new: none of the claims, once read, names a profile."""
        keys = self._claims.values()
        return bool(keys) and not any(reads.text(key, "profile_id") for key in keys)

    def buyer_keys(self, reads: ReadAhead) -> list[Key]:
        """Returns the keys of all rows that its buyer depends on, once the claims were read."""
        return [*self._claims.values(), *self.keys_behind(reads)]

    def keys_behind(self, reads: ReadAhead) -> list[Key]:
        """Returns the keys of further rows for its decision, once those were read."""
        workspace = self.sender.store.workspace
        former = reads.text(self._own, "profile_id")
        former_buyer = [profile_key(workspace, UUID(former))] if former else []
        return [*former_buyer, *keys_behind(workspace, self._claims, reads)]

    def write(self, changes: Changes) -> None:
        """Adds its changes, as its own PUT would."""
        write_order(self.sender.store, self.incoming, changes)


class ProductRecord(_StoreRecord[IncomingProduct]):
    """A product that a store sends."""

    stage = ImportStage.PRODUCTS

    @cached_property
    def keys(self) -> list[Key]:
        """Returns the keys of its stored rows, and of the rules in force."""
        return product_keys(self.sender.store, [self.external_id])

    def keys_behind(self, reads: ReadAhead) -> list[Key]:
        """Returns the keys of its sources' layers."""
        return layer_keys(self.sender.store, [self.external_id], reads)

    def write(self, changes: Changes) -> None:
        """Adds its changes, as its own PUT would."""
        write_product(self.sender.store, self.incoming, changes)


@dataclass(frozen=True)
class UnreadableRecord:
    """An item that isn't a readable record: it becomes a problem of the import."""

    stage: ImportStage
    index: int
    external_id: str | None
    """None where not even the id can be read."""
    problem: ValidationFailed
    size: int = 0
    keys: tuple[Key, ...] = ()

    def keys_behind(self, _reads: ReadAhead) -> list[Key]:
        """Returns no keys."""
        return []

    def write(self, _changes: Changes) -> None:
        """Raises ValidationFailed."""
        raise self.problem


type Record = CustomerRecord | OrderRecord | ProductRecord | UnreadableRecord
