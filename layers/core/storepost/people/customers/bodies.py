"""Customers as a store puts them."""

from datetime import datetime

from pydantic import Field

from storepost.people.consent.bodies import EvidenceInput, ProofInput
from storepost.people.consent.states import ConsentState
from storepost.people.customers.lenient_fields import (
    LenientEmail,
    LenientLocale,
    LenientName,
    LenientPhone,
    phone_in,
)
from storepost.people.customers.model import IncomingConsent, IncomingCustomer
from storepost.stores.stores.model import Store
from storepost.values.wire import RequestBody, Timestamp, Url


class Customer(RequestBody):
    """A customer as the store has it now. What is left out, the store doesn't know: it is
    cleared, but for a consent.
    """

    email: LenientEmail = Field(
        default=None,
        description="The customer's email address. It names the person. Null, an empty "
        "text, and words for nobody such as `null` count as left out.",
    )
    phone: LenientPhone = Field(
        default=None,
        description="The customer's phone number with its country code, or as people write "
        "it in the store's country. It names the person. Null, an empty text, and words for "
        "nobody count as left out.",
    )
    first_name: LenientName = Field(
        default=None,
        description="The customer's first name. Null or an empty text counts as left out.",
    )
    last_name: LenientName = Field(
        default=None,
        description="The customer's last name. Null or an empty text counts as left out.",
    )
    locale: LenientLocale = Field(
        default=None,
        description="The customer's language as a BCP 47 tag. Null or an empty text "
        "counts as left out.",
    )
    email_marketing_consent: ConsentState | None = Field(
        default=None,
        description="Whether the store may send marketing to the email address. It is a statement "
        "only where it differs from what the store last sent or accepted. Null or left out: the "
        "store says nothing.",
    )
    sms_marketing_consent: ConsentState | None = Field(
        default=None,
        description="Whether the store may send marketing to the phone number, by the same rules.",
    )
    email_marketing_consent_updated_at: Timestamp | None = Field(
        default=None,
        description="When the person gave or withdrew this consent. Without it, "
        "`subscribed` never overrides `unsubscribed`.",
    )
    sms_marketing_consent_updated_at: Timestamp | None = Field(
        default=None,
        description="When the person gave or withdrew this consent. Without it, "
        "`subscribed` never overrides `unsubscribed`, as for emails.",
    )
    proof: ProofInput | None = Field(
        default=None,
        description="What proves the person's choice; it counts for each consent in this body.",
    )
    evidence: EvidenceInput | None = Field(
        default=None,
        description="What the person agreed to and where; it counts for each consent in this body.",
    )
    admin_url: Url | None = Field(
        default=None,
        description="Where people of the store see the customer. Null or left out: the "
        "store's `adminUrl`.",
    )
    external_created_at: Timestamp = Field(description="When the store created the customer.")
    external_updated_at: Timestamp = Field(
        description="When the store last changed the customer. One older than what is "
        "stored is 409 `stale_update`; an equal one is accepted."
    )

    def value(self, store: Store) -> IncomingCustomer:
        """Returns the customer as the service takes it. Raises ValidationFailed."""
        return self.to_model(
            IncomingCustomer,
            phone=phone_in(store, self.phone, "/phone"),
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
