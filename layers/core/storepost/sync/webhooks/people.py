"""Handles webhooks about customers.

Webhooks arrive late, twice and out of order. A whole record is compared by its own time, and the
consent of one channel by its own time. Data that a body lacks is read from the shop.
"""

from dataclasses import replace
from datetime import datetime

from storepost.people.consent.model import ConsentOrigin, ConsentSource
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.customers.model import Customer, IncomingConsent, IncomingCustomer
from storepost.people.customers.repository import CustomerRepository
from storepost.people.customers.service import (
    delete_customer_of,
    tombstone_customer,
    write_customer,
)
from storepost.platform.persistence.changes import Changes, LostRace, commit_anew
from storepost.shopify import documents
from storepost.shopify.admin import admin_of
from storepost.shopify.errors import AccessDenied, NeedsReauth
from storepost.stores.stores.model import Store
from storepost.stores.stores.problems import StaleUpdate
from storepost.sync.records import nodes, rest
from storepost.sync.records.reading import email_of, needed_id, phone_of
from storepost.sync.webhooks.messages import Webhook
from storepost.sync.webhooks.records import write_unless_stale
from storepost.values.problems import NotFound

GID = "gid://shopify/Customer/"
_REFUSALS = frozenset({ConsentState.UNSUBSCRIBED, ConsentState.NOT_SUBSCRIBED})
_MERGED = frozenset({"completed", "success", "succeeded"})


def customer_changed(store: Store, webhook: Webhook) -> None:
    """Writes the customer of `customers/create` and `customers/update`."""
    external_id, incoming = rest.customer_of(store, webhook.body())
    stored = _stored(store, external_id)
    if not _lacks_consent(stored, incoming):
        _write(store, external_id, incoming)
        return
    try:
        _ask(store, external_id, webhook.triggered_at)
    except (NeedsReauth, AccessDenied):
        _write(store, external_id, incoming)


def customer_deleted(store: Store, webhook: Webhook) -> None:
    """Deletes the customer of `customers/delete`."""
    _tombstone(store, needed_id(webhook.body(), "id"), webhook.triggered_at)


def customers_merged(store: Store, webhook: Webhook) -> None:
    """Deletes one customer of `customers/merge`; reads the other one from the shop."""
    body = webhook.body()
    if str(body.get("status")).lower() not in _MERGED:
        return
    deleted_id = needed_id(body, "admin_graphql_api_customer_deleted_id")
    kept_id = needed_id(body, "admin_graphql_api_customer_kept_id")
    _tombstone(store, deleted_id, webhook.triggered_at)
    _ask(store, kept_id, webhook.triggered_at)


def email_consent_changed(store: Store, webhook: Webhook) -> None:
    """Writes the consent of `customers_email_marketing_consent/update`."""
    body = webhook.body()
    consent = rest.consent_in(body, rest.EMAIL_CONSENT)
    _consent_changed(store, webhook, Channel.EMAIL, email_of(body.get("email_address")), consent)


def sms_consent_changed(store: Store, webhook: Webhook) -> None:
    """Writes the consent of `customers_marketing_consent/update`."""
    body = webhook.body()
    consent = rest.consent_in(body, rest.SMS_CONSENT)
    _consent_changed(store, webhook, Channel.SMS, phone_of(body.get("phone")), consent)


class _UnknownCustomer(Exception):  # noqa: N818 - it is what happened
    """The webhook arrived before the customer, or its address isn't known as theirs."""


def _consent_changed(
    store: Store, webhook: Webhook, channel: Channel, address: str | None, consent: IncomingConsent
) -> None:
    external_id = needed_id(webhook.body(), "customer_id", "id")
    dated = _dated(consent, webhook.triggered_at)

    def write(changes: Changes) -> None:
        stored = _stored(store, external_id)
        if stored is None or stored.deleted_at is not None or stored.address(channel) != address:
            raise _UnknownCustomer
        since = stored.consent_at(channel)
        if dated.state is None or (since and dated.updated_at and dated.updated_at < since):
            return
        try:
            _add(changes, store, external_id, _as_incoming(stored, channel, dated))
        except StaleUpdate as error:
            # The customer was written since they were read here: the consent is still new.
            raise LostRace from error

    try:
        commit_anew(write)
    except _UnknownCustomer:
        _ask(store, external_id, webhook.triggered_at)


def _dated(consent: IncomingConsent, at: datetime) -> IncomingConsent:
    """Dates an undated refusal by the webhook's time; an undated opt-in stays undated.

    But a shop that goes back to `subscribed` sends that now: it isn't as old as the stored record.
    """
    if consent.updated_at is not None:
        return consent
    if consent.state is ConsentState.SUBSCRIBED:
        return replace(consent, sent_at=at)
    return replace(consent, updated_at=at) if consent.state in _REFUSALS else consent


def _as_incoming(stored: Customer, channel: Channel, consent: IncomingConsent) -> IncomingCustomer:
    """The stored customer, with the consent of one channel that was sent."""
    consents = {channel: consent}
    return IncomingCustomer(
        external_created_at=stored.external_created_at,
        external_updated_at=stored.external_updated_at,
        email=stored.email,
        phone=stored.phone,
        first_name=stored.first_name,
        last_name=stored.last_name,
        admin_url=stored.admin_url,
        email_consent=consents.get(Channel.EMAIL, IncomingConsent()),
        sms_consent=consents.get(Channel.SMS, IncomingConsent()),
        has_locale_field=False,
    )


def _lacks_consent(stored: Customer | None, incoming: IncomingCustomer) -> bool:
    """Whether the consent of an address that is new here is unknown."""
    if stored is None or stored.deleted_at is not None:
        return incoming.email_consent.state is None
    return any(
        incoming.consent(channel).state is None and address not in {None, stored.address(channel)}
        for channel, address in {Channel.EMAIL: incoming.email, Channel.SMS: incoming.phone}.items()
    )


def _ask(store: Store, external_id: str, at: datetime) -> None:
    """Writes the customer as the shop has them now; deletes one that the shop no longer has."""
    with admin_of(store) as admin:
        node = admin.run(documents.CUSTOMER, id=GID + external_id)["customer"]
    if node is None:
        _delete(store, external_id, at)
    else:
        _write(store, *nodes.customer_of(store, node))


def _stored(store: Store, external_id: str) -> Customer | None:
    return CustomerRepository(store.workspace).get(store.id, external_id)


def _write(store: Store, external_id: str, incoming: IncomingCustomer) -> None:
    write_unless_stale(lambda changes: _add(changes, store, external_id, incoming))


def _add(changes: Changes, store: Store, external_id: str, incoming: IncomingCustomer) -> None:
    write_customer(
        store, external_id, incoming, ConsentOrigin(ConsentSource.SHOPIFY, store.id), changes
    )


def _tombstone(store: Store, external_id: str, at: datetime) -> None:
    commit_anew(lambda changes: tombstone_customer(store, external_id, changes, at))


def _delete(store: Store, external_id: str, at: datetime) -> None:
    try:
        commit_anew(lambda changes: delete_customer_of(store, external_id, changes, at))
    except NotFound:
        return  # never imported, and the shop doesn't have them either
