"""Customers as a shop tells of them.

Webhooks come late, twice and out of order. A whole record is guarded by its own time; what is told
of one channel by the time of that consent. What a body leaves open, the shop is asked for.
"""

from dataclasses import replace
from datetime import datetime

from storepost.people.consent.model import Origin, Source
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.customers.model import Customer, GivenConsent, GivenCustomer
from storepost.people.customers.repository import CustomerRepository
from storepost.people.customers.service import bury_customer, remove_customer, write_customer
from storepost.platform.persistence.changes import Changes, LostRace, commit_anew
from storepost.shopify import documents
from storepost.shopify.admin import admin_of
from storepost.shopify.errors import AccessDenied, NeedsReauth
from storepost.stores.stores.model import Store
from storepost.stores.stores.problems import StaleUpdate
from storepost.sync.records import nodes, rest
from storepost.sync.records.reading import email_of, needed_id, phone_of
from storepost.sync.webhooks.messages import Webhook
from storepost.sync.webhooks.stores import write_unless_stale
from storepost.values.problems import NotFound

GID = "gid://shopify/Customer/"
_REFUSALS = frozenset({ConsentState.UNSUBSCRIBED, ConsentState.NOT_SUBSCRIBED})
_MERGED = frozenset({"completed", "success", "succeeded"})


def customer_changed(store: Store, webhook: Webhook) -> None:
    """`customers/create` and `customers/update`."""
    external_id, given = rest.customer_of(store, webhook.body())
    held = _held(store, external_id)
    if not _leaves_open(held, given):
        _write(store, external_id, given)
        return
    try:
        _ask(store, external_id, webhook.triggered_at)
    except (NeedsReauth, AccessDenied):
        _write(store, external_id, given)


def customer_deleted(store: Store, webhook: Webhook) -> None:
    """`customers/delete`."""
    _bury(store, needed_id(webhook.body(), "id"), webhook.triggered_at)


def customers_merged(store: Store, webhook: Webhook) -> None:
    """`customers/merge`: one of two is gone; the shop is asked for the other one as it is now."""
    body = webhook.body()
    if str(body.get("status")).lower() not in _MERGED:
        return
    gone = needed_id(body, "admin_graphql_api_customer_deleted_id")
    kept = needed_id(body, "admin_graphql_api_customer_kept_id")
    _bury(store, gone, webhook.triggered_at)
    _ask(store, kept, webhook.triggered_at)


def email_consent_changed(store: Store, webhook: Webhook) -> None:
    """`customers_email_marketing_consent/update`."""
    body = webhook.body()
    given = rest.said_consent(body, rest.EMAIL_CONSENT)
    _consent_changed(store, webhook, Channel.EMAIL, email_of(body.get("email_address")), given)


def sms_consent_changed(store: Store, webhook: Webhook) -> None:
    """`customers_marketing_consent/update`."""
    body = webhook.body()
    given = rest.said_consent(body, rest.SMS_CONSENT)
    _consent_changed(store, webhook, Channel.SMS, phone_of(body.get("phone")), given)


class _NotHeld(Exception):  # noqa: N818 - it is what happened
    """It was told before the customer was, or of an address that isn't known to be theirs."""


def _consent_changed(
    store: Store, webhook: Webhook, channel: Channel, address: str | None, given: GivenConsent
) -> None:
    external_id = needed_id(webhook.body(), "customer_id", "id")
    told = _dated(given, webhook.triggered_at)

    def tell(changes: Changes) -> None:
        held = _held(store, external_id)
        if held is None or held.deleted_at is not None or held.address(channel) != address:
            raise _NotHeld
        since = held.consent_at(channel)
        if told.state is None or (since and told.updated_at and told.updated_at < since):
            return
        try:
            _add(changes, store, external_id, _as_held(held, channel, told))
        except StaleUpdate as error:
            # The customer was written since they were read here: what is told is as new as it was.
            raise LostRace from error

    try:
        commit_anew(tell)
    except _NotHeld:
        _ask(store, external_id, webhook.triggered_at)


def _dated(given: GivenConsent, at: datetime) -> GivenConsent:
    """An undated refusal happened when it was told; an undated consent stays undated."""
    refuses = given.state in _REFUSALS and given.updated_at is None
    return replace(given, updated_at=at) if refuses else given


def _as_held(held: Customer, channel: Channel, given: GivenConsent) -> GivenCustomer:
    """The customer as they are held, with what was told of one channel."""
    told = {channel: given}
    return GivenCustomer(
        external_created_at=held.external_created_at,
        external_updated_at=held.external_updated_at,
        email=held.email,
        phone=held.phone,
        first_name=held.first_name,
        last_name=held.last_name,
        admin_url=held.admin_url,
        email_consent=told.get(Channel.EMAIL, GivenConsent()),
        sms_consent=told.get(Channel.SMS, GivenConsent()),
        says_locale=False,
    )


def _leaves_open(held: Customer | None, given: GivenCustomer) -> bool:
    """Whether nothing is known of what the person wants at an address that is new here."""
    if held is None or held.deleted_at is not None:
        return given.email_consent.state is None
    return any(
        given.consent(channel).state is None and address not in {None, held.address(channel)}
        for channel, address in {Channel.EMAIL: given.email, Channel.SMS: given.phone}.items()
    )


def _ask(store: Store, external_id: str, at: datetime) -> None:
    """Writes the customer as the shop has them now; one that it hasn't any more is deleted."""
    with admin_of(store) as admin:
        node = admin.run(documents.CUSTOMER, id=GID + external_id)["customer"]
    if node is None:
        _remove(store, external_id, at)
    else:
        _write(store, *nodes.customer_of(store, node))


def _held(store: Store, external_id: str) -> Customer | None:
    return CustomerRepository(store.workspace).get(store.id, external_id)


def _write(store: Store, external_id: str, given: GivenCustomer) -> None:
    write_unless_stale(lambda changes: _add(changes, store, external_id, given))


def _add(changes: Changes, store: Store, external_id: str, given: GivenCustomer) -> None:
    write_customer(store, external_id, given, Origin(Source.SHOPIFY, store.id), changes)


def _bury(store: Store, external_id: str, at: datetime) -> None:
    commit_anew(lambda changes: bury_customer(store, external_id, changes, at))


def _remove(store: Store, external_id: str, at: datetime) -> None:
    try:
        commit_anew(lambda changes: remove_customer(store, external_id, changes, at))
    except NotFound:
        return  # never brought here, and the shop says so when it is asked
