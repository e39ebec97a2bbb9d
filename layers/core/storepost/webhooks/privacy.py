"""The three topics that the law asks for, about every store that the shop ever was.

They come after the app was removed, too.
"""

from collections.abc import Callable, Iterable, Iterator
from uuid import UUID

from storepost import clock
from storepost.customers.repository import CustomerRepository
from storepost.emails.messages import DataRequested
from storepost.emails.outgoing import send_email
from storepost.identity.repository import find_person
from storepost.orders.model import Order
from storepost.orders.repository import OrderRepository
from storepost.orders.service import forget_buyer, forget_order
from storepost.orders.trees import OrderList
from storepost.pagination import PageRequest
from storepost.persistence.changes import commit_anew
from storepost.profiles.repository import ProfileRepository
from storepost.shop_records.reading import id_of, needed_id, part_of
from storepost.stores.model import Store
from storepost.webhooks.messages import Webhook
from storepost.webhooks.redacting import redact, redact_buyer
from storepost.webhooks.stores import all_stores, knows
from storepost.workspaces.repository import WorkspaceRepository

type Remaining = Callable[[], int]

MARGIN_MILLISECONDS = 20_000
_PAGE = 25


class NotDone(Exception):  # noqa: N818 - it is what happened
    """Time is up: the queue brings the message again, and what is done stays done."""


def data_requested(webhook: Webhook, _remaining: Remaining) -> None:
    """`customers/data_request`: the owner of each workspace that knows the person is told."""
    external_id = needed_id(part_of(webhook.body(), "customer"), "id")
    for store in all_stores(webhook.shop):
        if knows(store, external_id):
            _tell_owner(store, external_id)


def customer_redacted(webhook: Webhook, _remaining: Remaining) -> None:
    """`customers/redact`: nothing that the shop told of the person stays; orders lose the buyer."""
    body = webhook.body()
    external_id = needed_id(part_of(body, "customer"), "id")
    orders = body.get("orders_to_redact")
    for store in all_stores(webhook.shop):
        for order in orders if isinstance(orders, list) else ():
            if found := id_of(order):
                _forget_buyer(store, found)
        redact(store, external_id, webhook.triggered_at)


def shop_redacted(webhook: Webhook, remaining: Remaining) -> None:
    """`shop/redact`, two days after the app was removed: all that the shop brought goes.

    Nothing goes where the shop was connected again; one that comes back later may bring it again.
    Raises NotDone.
    """
    for store in all_stores(webhook.shop):
        if store.is_active:
            continue
        _redact_people(store, remaining)  # before the orders, which lead to buyers
        _remove_orders(store, remaining)


def _tell_owner(store: Store, external_id: str) -> None:
    customer = CustomerRepository(store.workspace).get(store.id, external_id)
    workspaces = WorkspaceRepository(store.workspace)
    workspace, membership = workspaces.get(), workspaces.owner()
    owner = find_person(membership.person) if membership else None
    if customer is None or workspace is None or owner is None:
        return
    profile, to = str(customer.profile_id), owner.email
    asked = DataRequested(workspace.name, store.name, external_id, profile, clock.now())
    commit_anew(lambda changes: send_email(changes, to, asked))


def _forget_buyer(store: Store, external_id: str) -> None:
    commit_anew(lambda changes: forget_buyer(store, external_id, changes))


def _remove_orders(store: Store, remaining: Remaining) -> None:
    orders = OrderList(store.workspace, store.id)
    while items := orders.tree.page(PageRequest(1, _PAGE)).items:
        for each in OrderRepository(store.workspace).get_many(o.id for o in items):
            _check(remaining)
            _remove(each, store)


def _remove(order: Order, store: Store) -> None:
    commit_anew(lambda changes: forget_order(store, order.external_id, changes))


def _redact_people(store: Store, remaining: Remaining) -> None:
    """Page by page; whoever is erased leaves the list, and others come to the page."""
    tree, number = ProfileRepository(store.workspace).lists.of_store(store.id), 1
    while items := tree.page(PageRequest(number, _PAGE)).items:
        found = list(_redacted(store, [entry.id for entry in items], remaining))
        if not any(found):
            number += 1


def _redacted(store: Store, ids: Iterable[UUID], remaining: Remaining) -> Iterator[bool]:
    """Redacts these people; whether anything of each customer, or buyer, went."""
    customers = CustomerRepository(store.workspace)
    for profile in ProfileRepository(store.workspace).get_many(ids):
        own = customers.of_profile(profile, store.id)
        for customer in own:
            _check(remaining)
            yield redact(store, customer.external_id)
        if not own:
            _check(remaining)
            yield redact_buyer(store, profile.id)


def _check(remaining: Remaining) -> None:
    if remaining() < MARGIN_MILLISECONDS:
        raise NotDone
