"""A pretend shop's customers, and the changes of consent that it accepts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from storepost.values import clock

GID = "gid://shopify/Customer/"


@dataclass
class Consent:
    """A customer's consent for one channel; its fields are named as the Admin API's."""

    marketing_state: str = "NOT_SUBSCRIBED"
    marketing_updated_at: datetime | None = None
    marketing_opt_in_level: str | None = field(default=None, compare=False)


@dataclass
class ShopCustomer:
    """A customer as the shop stores it."""

    number: int
    email: str | None = None
    phone: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    locale: str = "en"
    created_at: datetime = field(default_factory=clock.now)
    updated_at: datetime = field(default_factory=clock.now)
    email_consent: Consent = field(default_factory=Consent)
    sms_consent: Consent = field(default_factory=Consent)

    def node(self) -> dict[str, Any]:
        """Returns it as the Admin API does."""
        return {
            "id": f"{GID}{self.number}",
            "createdAt": clock.to_text(self.created_at),
            "updatedAt": clock.to_text(self.updated_at),
            "firstName": self.first_name,
            "lastName": self.last_name,
            "locale": self.locale,
            "defaultEmailAddress": {"emailAddress": self.email, **_node(self.email_consent)}
            if self.email
            else None,
            "defaultPhoneNumber": {"phoneNumber": self.phone, **_node(self.sms_consent)}
            if self.phone
            else None,
        }


def found(customers: Iterable[ShopCustomer], gid: str) -> ShopCustomer | None:
    """Returns the customer with that id, or None."""
    return next((c for c in customers if f"{GID}{c.number}" == gid), None)


def update_email_consent(
    customers: Iterable[ShopCustomer], payload: Mapping[str, Any]
) -> dict[str, Any]:
    """`customerEmailMarketingConsentUpdate`."""
    customer = found(customers, payload["customerId"])
    consent = payload["emailMarketingConsent"]
    if customer is None or not customer.email:
        return _refused("emailMarketingConsent")
    return _updated(customer, customer.email_consent, consent)


def update_sms_consent(
    customers: Iterable[ShopCustomer], payload: Mapping[str, Any]
) -> dict[str, Any]:
    """`customerSmsMarketingConsentUpdate`."""
    customer = found(customers, payload["customerId"])
    consent = payload["smsMarketingConsent"]
    if customer is None or not customer.phone:
        return _refused("smsMarketingConsent")
    return _updated(customer, customer.sms_consent, consent)


def _updated(
    customer: ShopCustomer, stored: Consent, statement: Mapping[str, Any]
) -> dict[str, Any]:
    """Updates a consent; one that is older than the stored one changes nothing, without error."""
    if statement["marketingState"] not in {"SUBSCRIBED", "UNSUBSCRIBED", "PENDING"}:
        return _refused("marketingState", "INCLUSION")
    stated_at = statement.get("consentUpdatedAt")
    at = datetime.fromisoformat(stated_at) if stated_at else clock.now()
    if at > clock.now() + timedelta(minutes=5):
        return _refused("consentUpdatedAt")
    if stored.marketing_updated_at is None or at >= stored.marketing_updated_at:
        stored.marketing_state, stored.marketing_updated_at = statement["marketingState"], at
        stored.marketing_opt_in_level = statement.get(
            "marketingOptInLevel", stored.marketing_opt_in_level
        )
        customer.updated_at = clock.now()
    return {"customer": customer.node(), "userErrors": []}


def _refused(field_name: str, code: str = "INVALID") -> dict[str, Any]:
    error = {"field": ["input", field_name], "message": f"{field_name} is invalid", "code": code}
    return {"customer": None, "userErrors": [error]}


def _node(consent: Consent) -> dict[str, Any]:
    at = consent.marketing_updated_at
    return {
        "marketingState": consent.marketing_state,
        "marketingOptInLevel": consent.marketing_opt_in_level,
        "marketingUpdatedAt": clock.to_text(at) if at else None,
    }
