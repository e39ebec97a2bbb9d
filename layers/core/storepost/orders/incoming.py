"""An order as a store sends it, before its buyer and its currency are determined."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from storepost.orders.keys import order_id
from storepost.orders.model import (
    Amounts,
    FinancialStatus,
    FulfillmentStatus,
    LineItem,
    Order,
    RecordedEvents,
)
from storepost.people.profiles.model import Identity
from storepost.people.profiles.resolution import identities_of
from storepost.stores.stores.model import Store
from storepost.stores.stores.problems import CurrencyMismatch
from storepost.values.problems import FieldError


@dataclass(frozen=True)
class IncomingBuyer:
    """The buyer, as far as the store knows them."""

    external_id: str | None = None
    email: str | None = None
    phone: str | None = None
    first_name: str | None = None
    last_name: str | None = None


@dataclass(frozen=True)
class IncomingOrder:
    """An order as its store sends it."""

    external_id: str
    number: str
    placed_at: datetime
    updated_at: datetime
    financial_status: FinancialStatus
    fulfillment_status: FulfillmentStatus
    cancelled_at: datetime | None
    is_test: bool
    locale: str | None
    source_name: str | None
    admin_url: str | None
    buyer: IncomingBuyer | None
    amounts: Amounts
    line_items: tuple[LineItem, ...]
    discount_codes: tuple[str, ...]
    currencies: Mapping[str, str]
    """The currency of each amount, by the amount's JSON Pointer."""

    def identities(self, store: Store) -> tuple[Identity, ...]:
        """Returns the identities of the buyer; none where the order has no buyer."""
        buyer = self.buyer or IncomingBuyer()
        return identities_of(
            store_id=store.id, customer_id=buyer.external_id, email=buyer.email, phone=buyer.phone
        )

    def check_currency(self, store: Store, stored: Order | None) -> None:
        """Raises CurrencyMismatch, naming each amount that isn't in the store's currency.

        An order that is stored in the store's former currency may keep that currency.
        """
        if stored and set(self.currencies.values()) == {stored.currency}:
            return
        errors = [
            FieldError(f"{pointer}/currency", f"Must be {store.currency}, the store's currency")
            for pointer, currency in self.currencies.items()
            if currency != store.currency
        ]
        if errors:
            raise CurrencyMismatch(errors=errors)

    def as_order(self, store: Store, recorded: RecordedEvents) -> Order:
        """Returns the order of that store, without a buyer, with the events recorded so far."""
        return Order(
            id=order_id(store.id, self.external_id),
            store_id=store.id,
            external_id=self.external_id,
            number=self.number,
            placed_at=self.placed_at,
            updated_at=self.updated_at,
            financial_status=self.financial_status,
            fulfillment_status=self.fulfillment_status,
            cancelled_at=self.cancelled_at,
            is_test=self.is_test,
            locale=self.locale,
            source_name=self.source_name,
            admin_url=self.admin_url or store.admin_url,
            currency=next(iter(self.currencies.values()), store.currency),
            amounts=self.amounts,
            line_items=self.line_items,
            discount_codes=self.discount_codes,
            customer_external_id=self.buyer.external_id if self.buyer else None,
            profile_id=None,
            recorded=recorded,
        )
