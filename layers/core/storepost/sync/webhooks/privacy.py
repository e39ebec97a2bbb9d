"""The three mandatory privacy topics, applied to every store that the shop was ever connected as.

They also arrive after the app was uninstalled.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from storepost.accounts.emails.messages import DataRequested
from storepost.accounts.emails.outgoing import send_email
from storepost.accounts.identity.repository import find_person
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.orders.model import Order
from storepost.orders.repository import OrderRepository
from storepost.orders.service import redact_order, redact_order_buyer
from storepost.orders.trees import OrderList
from storepost.people.customers.repository import CustomerRepository
from storepost.people.profiles.model import Identity, IdentityType, Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.platform.jobs.runs import Remaining, Run, run_once
from storepost.platform.messaging.email_tags import account_tags
from storepost.platform.messaging.messages import send
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.counted_tree import EVERYTHING, TreeEntry, behind
from storepost.shopify.claims import stores_of_shop
from storepost.stores.stores.model import Store
from storepost.stores.stores.repository import StoreRepository
from storepost.sync.records.reading import id_of, needed_id, part_of
from storepost.sync.webhooks.messages import ResumePoint, Webhook
from storepost.sync.webhooks.redacting import redact, redact_buyer
from storepost.values import clock
from storepost.values.pagination import PageRequest

REDACTED_AFTER = timedelta(hours=48)
"""Shopify requests the deletion of a shop's data this long after the app was uninstalled."""
_PAGE = 25


class _ConnectedAgain(Exception):  # noqa: N818 - it is what happened
    """The store was connected again: its data was imported since, and stays."""


def data_requested(webhook: Webhook, _remaining: Remaining) -> None:
    """Emails the owner of each workspace that knows the person of `customers/data_request`."""
    external_id = needed_id(part_of(webhook.body(), "customer"), "id")
    for store in _all_stores(webhook.shop):
        if profile := _profile_of(store, external_id):
            _email_owner(store, external_id, profile)


def customer_redacted(webhook: Webhook, _remaining: Remaining) -> None:
    """Redacts the shop's data of the person of `customers/redact`; orders lose the buyer."""
    body = webhook.body()
    external_id = needed_id(part_of(body, "customer"), "id")
    orders = body.get("orders_to_redact")
    for store in _all_stores(webhook.shop):
        for order in orders if isinstance(orders, list) else ():
            if found := id_of(order):
                _redact_buyer(store, found)
        redact(store, external_id, webhook.triggered_at)


def shop_redacted(webhook: Webhook, remaining: Remaining) -> None:
    """Redacts all data of the shop, two days after the app was uninstalled (`shop/redact`).

    A store that was disconnected less than two days ago waits until then: the webhook about the
    uninstallation may have been late. Nothing is deleted of a store that was connected again, even
    during the redaction; if it is disconnected later, Shopify may send the topic again. Each run
    queues the next message before its time is up.
    """
    run_once(_redact_shop, Run(webhook, 1, remaining))


def _redact_shop(run: Run[Webhook]) -> None:
    webhook, resume_point = run.message, run.message.resume_point
    stores = _all_stores(webhook.shop)
    disconnected = [s for s in stores if not s.is_active and s.connected_at <= webhook.triggered_at]
    waiting = [at for store in disconnected if (at := _redactable_at(store)) > clock.now()]
    # Sorted by id: the stores before the resume point's are done.
    for store in disconnected:
        if _redactable_at(store) > clock.now() or (
            resume_point and store.id < resume_point.store_id
        ):
            continue
        with suppress(_ConnectedAgain):
            resumed = resume_point if resume_point and resume_point.store_id == store.id else None
            _redact_all(run, store, resumed or ResumePoint(store.id))
    if waiting:
        again = replace(webhook, resume_point=None)
        commit_anew(lambda changes: send(changes, again, min(waiting)))


def _check_time(run: Run[Webhook], resume_point: ResumePoint) -> None:
    """Queues the next message from the resume point if time is up. Raises OutOfTime then."""
    if run.is_over():
        run.stop(replace(run.message, resume_point=resume_point))


def _redactable_at(store: Store) -> datetime:
    """When a disconnected store's data may be deleted: at the earliest after two days."""
    return (store.disconnected_at or store.connected_at) + REDACTED_AFTER


def _redact_all(run: Run[Webhook], store: Store, resume_point: ResumePoint) -> None:
    # Before the orders, which lead to buyers.
    last = _redact_people(run, store, resume_point)
    _redact_orders(run, store, last)


def _all_stores(shop: str) -> list[Store]:
    """Returns every store that the shop was ever connected as, in any workspace."""
    found = [StoreRepository(workspace).get(store) for workspace, store in stores_of_shop(shop)]
    return [store for store in found if store]


def _profile_of(store: Store, external_id: str) -> Profile | None:
    """The profile of the shop's customer id, even if only orders name it."""
    customers, profiles = CustomerRepository(store.workspace), ProfileRepository(store.workspace)
    own = Identity(IdentityType.PLATFORM_CUSTOMER_ID, external_id, store.id)
    holders = (customers.get(store.id, external_id), profiles.claims_of([own]).get(own))
    found = (profiles.get(holder.profile_id) for holder in holders if holder)
    return next((profile for profile in found if profile), None)


def _email_owner(store: Store, external_id: str, profile: Profile) -> None:
    workspaces = WorkspaceRepository(store.workspace)
    workspace, membership = workspaces.get(), workspaces.owner()
    owner = find_person(membership.person) if membership else None
    if workspace is None or owner is None:
        return
    to, tags, profile_id = owner.email, account_tags(owner.id), str(profile.id)
    email = DataRequested(workspace.name, store.name, external_id, profile_id, clock.now())
    commit_anew(lambda changes: send_email(changes, to, email, tags))


def _redact_buyer(store: Store, external_id: str) -> None:
    commit_anew(lambda changes: redact_order_buyer(store, external_id, changes))


def _redact_orders(run: Run[Webhook], store: Store, resume_point: ResumePoint) -> None:
    """Redacts the store's orders; `resume_point` is after its people, who are done."""
    orders = OrderList(store.workspace, store.id)
    while items := orders.tree.page(PageRequest(1, _PAGE)).items:
        for each in OrderRepository(store.workspace).get_many(o.id for o in items):
            _check_time(run, resume_point)
            _redact_order(each, store)


def _redact_order(order: Order, store: Store) -> None:
    def write(changes: Changes) -> None:
        redact_order(store, order.external_id, changes)
        _expect_uninstalled(store, changes)

    commit_anew(write)


def _expect_uninstalled(store: Store, changes: Changes) -> None:
    """Expects that the shop wasn't connected again since the store was read."""
    StoreRepository(store.workspace).expect_connection(changes, store, _ConnectedAgain())


def _redact_people(run: Run[Webhook], store: Store, resume_point: ResumePoint) -> ResumePoint:
    """Redacts the store's people one by one, and repeats until a pass finds nothing.

    Meanwhile people leave the list, and a person whose first sighting becomes earlier moves to the
    part that is done. Returns the resume point at the end of the list.
    """
    while (items := _behind(store, resume_point.after)) or resume_point.is_more:
        if not items:
            resume_point = ResumePoint(store.id)
            continue
        for redacted in _redactions(store, [entry.id for entry in items]):
            _check_time(run, resume_point)
            resume_point = replace(resume_point, is_more=redacted() or resume_point.is_more)
        resume_point = replace(resume_point, after=items[-1].key)
    return resume_point


def _behind(store: Store, key: str | None) -> Sequence[TreeEntry]:
    """The next page in the list of the store's people."""
    tree = ProfileRepository(store.workspace).lists.of_store(store.id)
    return tree.page(PageRequest(1, _PAGE), within=behind(key) if key else EVERYTHING).items


def _redactions(store: Store, ids: Iterable[UUID]) -> Iterator[Callable[[], bool]]:
    """Functions that redact these people; each returns whether it deleted any data."""
    customers, precondition = (
        CustomerRepository(store.workspace),
        partial(_expect_uninstalled, store),
    )
    for profile in ProfileRepository(store.workspace).get_many(ids):
        own = customers.of_profile(profile, store.id)
        for customer in own:
            yield partial(redact, store, customer.external_id, precondition=precondition)
        if not own:
            yield partial(redact_buyer, store, profile.id, precondition=precondition)


PRIVACY_TOPICS: dict[str, Callable[[Webhook, Remaining], None]] = {
    "customers/data_request": data_requested,
    "customers/redact": customer_redacted,
    "shop/redact": shop_redacted,
}
"""The function for each mandatory topic, whether or not the shop is still connected."""
