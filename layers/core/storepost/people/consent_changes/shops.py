"""Writes a change of consent to a shop by the Admin API (docs/semantics.md, section 2.6)."""

from collections.abc import Callable, Iterable
from typing import Any

from storepost.people.consent.model import ConsentChange, SkipReason
from storepost.people.consent.states import Channel
from storepost.people.consent_changes.requests import WriteBackRefusal
from storepost.shopify import documents
from storepost.shopify.admin import AdminClient, admin_of
from storepost.shopify.answers import whole_answer
from storepost.shopify.documents import Document
from storepost.shopify.errors import (
    AccessDenied,
    MutationRefused,
    NeedsReauth,
    RequestRefused,
    ShopUnavailable,
)
from storepost.stores.stores.model import Store
from storepost.values import clock, emails, phones

PATIENCE_SECONDS = 15.0
"""For all waits together: after that, the queue delivers the message again."""
GID = "gid://shopify/Customer/"
SINGLE, CONFIRMED = "SINGLE_OPT_IN", "CONFIRMED_OPT_IN"


def update_shop(
    store: Store,
    change: ConsentChange,
    external_ids: Iterable[str],
    is_same: Callable[[str | None], bool] | None = None,
    *,
    is_confirmed: bool = False,
) -> WriteBackRefusal | SkipReason | None:
    """Writes the change to the shop; returns None once it has the state, or why it hasn't.

    `is_same` returns whether a customer has the address, for a change without its address.
    `is_confirmed` is whether the opt-in was confirmed. Sending a change twice changes nothing more
    at the shop, which compares consent times.
    """
    try:
        with admin_of(store, patience_seconds=PATIENCE_SECONDS) as admin, whole_answer():
            matches = is_same or (lambda address: address == change.address)
            reasons = [
                _update_customer(admin, change, GID + each, matches, is_confirmed=is_confirmed)
                for each in external_ids
            ]
    except AccessDenied:
        return SkipReason.PERMISSION_MISSING
    except NeedsReauth:
        error = "Somebody has to approve the app in the shop again."
        return WriteBackRefusal(error, lasts=True, needs_people=True)
    except MutationRefused as refused:
        codes = ", ".join(error.code or "without a code" for error in refused.errors)
        return WriteBackRefusal(f"The shop refused it: {codes}.", lasts=True)
    except RequestRefused:
        return WriteBackRefusal("The shop didn't understand the request.", lasts=True)
    except ShopUnavailable as unavailable:
        return WriteBackRefusal(
            f"The change couldn't be sent to the shop: {unavailable}.", lasts=False
        )
    return next((reason for reason in reasons if reason), None)


def _update_customer(
    admin: AdminClient,
    change: ConsentChange,
    gid: str,
    matches: Callable[[str | None], bool],
    *,
    is_confirmed: bool,
) -> SkipReason | None:
    """Updates one customer, whose address is read first: the change belongs to the address."""
    node = admin.run(documents.CUSTOMER, id=gid)["customer"]
    if node is None:
        return SkipReason.CUSTOMER_DELETED
    if not matches(_address(node, change.channel)):
        return SkipReason.NO_EMAIL
    document, name, field = _MUTATIONS[change.channel]
    consent = {
        "marketingState": change.state.upper(),
        "marketingOptInLevel": CONFIRMED
        if is_confirmed or _keeps_confirmation(node, change)
        else SINGLE,
        "consentUpdatedAt": clock.to_text(change.occurred_at),
    }
    answer = admin.run(document, input={"customerId": gid, field: consent})[name]
    after = _consent_node(answer["customer"] or {}, change.channel).get("marketingState")
    return None if after == change.state.upper() else SkipReason.SUPERSEDED


def _keeps_confirmation(node: dict[str, Any], change: ConsentChange) -> bool:
    """Whether the shop has a confirmed opt-in that the change doesn't replace with another one."""
    current = _consent_node(node, change.channel)
    is_unchanged = current.get("marketingState") == change.state.upper()
    is_confirmed = current.get("marketingOptInLevel") == CONFIRMED
    return is_confirmed and (is_unchanged or change.is_opt_out)


_MUTATIONS: dict[Channel, tuple[Document, str, str]] = {
    Channel.EMAIL: (
        documents.EMAIL_CONSENT,
        "customerEmailMarketingConsentUpdate",
        "emailMarketingConsent",
    ),
    Channel.SMS: (
        documents.SMS_CONSENT,
        "customerSmsMarketingConsentUpdate",
        "smsMarketingConsent",
    ),
}


def _consent_node(node: dict[str, Any], channel: Channel) -> dict[str, Any]:
    name = "defaultEmailAddress" if channel is Channel.EMAIL else "defaultPhoneNumber"
    return node.get(name) or {}


def _address(node: dict[str, Any], channel: Channel) -> str | None:
    """The customer's address, normalised."""
    consent = _consent_node(node, channel)
    try:
        if channel is Channel.EMAIL:
            return emails.normalised(consent["emailAddress"])
        return phones.normalised(consent["phoneNumber"])
    except (KeyError, ValueError):
        return None
