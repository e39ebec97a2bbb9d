"""An order with its store, its buyer and a link to its customer."""

from dataclasses import dataclass

from storepost.orders.model import Order
from storepost.people.profiles.model import Profile
from storepost.stores.stores.model import Store


@dataclass(frozen=True)
class OrderDetails:
    """An order with everything that its answer shows."""

    order: Order
    store: Store
    buyer: Profile | None
    customer_admin_url: str | None
