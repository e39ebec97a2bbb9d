"""Customers as a store puts them."""

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from storepost.people.consent.bodies import EvidenceInput, ProofInput
from storepost.people.consent.states import ConsentState
from storepost.people.customers.lenient_fields import (
    GivenEmail,
    GivenLocale,
    GivenName,
    GivenPhone,
    phone_in,
)
from storepost.people.customers.model import IncomingConsent, IncomingCustomer
from storepost.people.profiles.model import names_nobody
from storepost.stores.stores.model import Store
from storepost.values.wire import TEXT_LENGTH, RequestBody, Timestamp, Url


def _somebodys(external_id: str) -> str:
    if names_nobody(external_id):
        raise ValueError("Must be one customer's own id; this one stands for nobody")
    return external_id


CustomerExternalId = Annotated[
    str,
    StringConstraints(min_length=1, max_length=TEXT_LENGTH),
    AfterValidator(_somebodys),
]
"""What a store calls a customer. Guests share ids like 0, which name nobody."""


class Customer(RequestBody):
    """A customer as a store has it now; what is left out, it doesn't know.

    `proof` and `evidence` are about each consent that is given.
    """

    email: GivenEmail = None
    phone: GivenPhone = None
    first_name: GivenName = None
    last_name: GivenName = None
    locale: GivenLocale = None
    email_marketing_consent: ConsentState | None = None
    sms_marketing_consent: ConsentState | None = None
    email_marketing_consent_updated_at: Timestamp | None = None
    sms_marketing_consent_updated_at: Timestamp | None = None
    proof: ProofInput | None = None
    evidence: EvidenceInput | None = None
    admin_url: Url | None = None
    external_created_at: Timestamp
    external_updated_at: Timestamp

    def value(self, store: Store) -> IncomingCustomer:
        """Returns the customer as the service takes it. Raises ValidationFailed."""
        return IncomingCustomer(
            external_created_at=self.external_created_at,
            external_updated_at=self.external_updated_at,
            email=self.email,
            phone=phone_in(store, self.phone, "/phone"),
            first_name=self.first_name,
            last_name=self.last_name,
            locale=self.locale,
            admin_url=self.admin_url,
            email_consent=self._consent(
                self.email_marketing_consent, self.email_marketing_consent_updated_at
            ),
            sms_consent=self._consent(
                self.sms_marketing_consent, self.sms_marketing_consent_updated_at
            ),
        )

    def _consent(self, state: ConsentState | None, updated_at: datetime | None) -> IncomingConsent:
        return IncomingConsent(
            state,
            updated_at,
            proof=self.proof.value() if self.proof else None,
            evidence=self.evidence.value() if self.evidence else None,
        )
