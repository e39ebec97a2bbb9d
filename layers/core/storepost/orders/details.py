"""An order with the store, the buyer and the customer that it names."""

from dataclasses import dataclass

from storepost.orders.model import Order
from storepost.people.profiles.model import Profile
from storepost.stores.stores.model import Store


@dataclass(frozen=True)
class OrderDetails:
    """An order whole."""

    order: Order
    store: Store
    buyer: Profile | None
    customer_admin_url: str | None
