"""A store's customer as a value."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from storepost.people.consent.decision import CustomerRef
from storepost.people.consent.evidence import EvidenceDetails, digest_of_proof
from storepost.people.consent.model import Proof
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.customers.contradictions import NO_CONTRADICTIONS, Contradictions
from storepost.people.profiles.model import Identity, IdentityType
from storepost.people.profiles.resolution import identities_of
from storepost.stores.stores.model import Store
from storepost.values import clock
from storepost.values.ids import derived_id


def customer_id(store_id: UUID, external_id: str) -> UUID:
    """Returns the id of a store's customer, derived from the store's own id of them."""
    return derived_id(store_id, "customer", external_id)


@dataclass(frozen=True)
class IncomingConsent:
    """A store's consent data for one channel; a state of None states nothing."""

    state: ConsentState | None = None
    updated_at: datetime | None = None
    """The store's own consent time."""
    sent_at: datetime | None = None
    """When the store sent it, if that isn't known by the record's `externalUpdatedAt`."""
    is_of_address: bool = False
    """Whether it states that the address is invalid, and nothing about the person's wish."""
    proof: Proof | None = None
    evidence: EvidenceDetails | None = None
    """The evidence, if the store sends any."""

    @property
    def digest(self) -> str | None:
        """Returns the digest of its proof and evidence."""
        return digest_of_proof(self.proof, self.evidence)

    def occurred_at(self, now: datetime) -> datetime | None:
        """Returns the store's own consent time; None for a time in the future.

        Otherwise all later data of the store would be older until then.
        """
        return self.updated_at if self.updated_at and self.updated_at <= now else None


@dataclass(frozen=True)
class IncomingCustomer:
    """A customer as a store sends it; a field is None where the store states nothing."""

    external_created_at: datetime
    external_updated_at: datetime
    email: str | None = None
    phone: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    locale: str | None = None
    admin_url: str | None = None
    email_consent: IncomingConsent = IncomingConsent()
    sms_consent: IncomingConsent = IncomingConsent()
    has_locale_field: bool = True
    """False where the record's format has no locale: then the stored locale stays."""

    def consent(self, channel: Channel) -> IncomingConsent:
        """Returns the consent data of a channel."""
        return self.email_consent if channel is Channel.EMAIL else self.sms_consent

    def address(self, channel: Channel) -> str | None:
        """Returns the address of a channel."""
        return self.email if channel is Channel.EMAIL else self.phone

    def without_old_consent(self, stored: "Customer | None") -> "IncomingCustomer":
        """Returns the record without consents that are older than the stored ones.

        Only a consent of the same address is compared. A record of equal time, or an export that is
        hours old, has the store's state from before it changed the consent or accepted a
        write-back. A newer record's `subscribed` stays after the store's `unsubscribed`: the store
        may have it again.
        """
        if stored is None:
            return self
        consents = {channel: self.consent(channel) for channel in Channel}
        for channel in Channel:
            is_same = stored.address(channel) == self.address(channel)
            if is_same and (self._is_older(stored, channel) or self._is_of_before(stored, channel)):
                consents[channel] = IncomingConsent()
        return replace(
            self, email_consent=consents[Channel.EMAIL], sms_consent=consents[Channel.SMS]
        )

    def _is_older(self, stored: "Customer", channel: Channel) -> bool:
        since, consent = stored.consent_at(channel), self.consent(channel)
        moments = (self.external_updated_at, consent.updated_at, consent.sent_at)
        is_old = since is not None and max(each for each in moments if each) < since
        return is_old and not self._resubscribes(stored, channel)

    def _resubscribes(self, stored: "Customer", channel: Channel) -> bool:
        is_newer = self.external_updated_at > stored.external_updated_at
        states = (stored.consent(channel), self.consent(channel).state)
        return is_newer and states == (ConsentState.UNSUBSCRIBED, ConsentState.SUBSCRIBED)

    def _is_of_before(self, stored: "Customer", channel: Channel) -> bool:
        """Whether it is the store's state from before it accepted a written-back `subscribed`.

        It is a `not_subscribed` whose record isn't newer than the last one, nor its consent time.
        """
        consent, since = self.consent(channel), stored.consent_at(channel)
        if consent.state is not ConsentState.NOT_SUBSCRIBED or stored.delivered(channel) is None:
            return False
        is_newer = self.external_updated_at > stored.external_updated_at
        return not (is_newer or (consent.updated_at and since and consent.updated_at > since))

    def identities(self, store: Store, external_id: str) -> tuple[Identity, ...]:
        """Returns the identities of the customer with this external id."""
        return identities_of(
            store_id=store.id, customer_id=external_id, email=self.email, phone=self.phone
        )

    def seen(self, identities: Iterable[Identity]) -> dict[Identity, tuple[datetime, ...]]:
        """Returns when the record shows each identity.

        The store's own id counts as seen since the customer's creation.
        """
        created, updated = self.external_created_at, self.external_updated_at
        own = IdentityType.PLATFORM_CUSTOMER_ID
        return {
            identity: (created, updated) if identity.type is own else (updated,)
            for identity in identities
        }


@dataclass(frozen=True)
class Customer:
    """A customer of one store, as that store last sent it."""

    id: UUID
    store_id: UUID
    external_id: str
    profile_id: UUID
    admin_url: str
    first_name: str | None
    last_name: str | None
    email: str | None
    phone: str | None
    locale: str | None
    email_consent: ConsentState
    """The state that the store last sent, or last accepted: only a difference asserts anything."""
    sms_consent: ConsentState
    external_created_at: datetime
    external_updated_at: datetime
    deleted_at: datetime | None
    email_consent_at: datetime | None = None
    """The store's own consent time of that state, if it sent one."""
    sms_consent_at: datetime | None = None
    email_refused_at: datetime | None = None
    """When a former address of the customer was last unsubscribed."""
    sms_refused_at: datetime | None = None
    email_contradictions: Contradictions = NO_CONTRADICTIONS
    sms_contradictions: Contradictions = NO_CONTRADICTIONS
    email_delivery: str | None = field(default=None, compare=False)
    """The id of the last delivery of a consent change that the store accepted for this address."""
    sms_delivery: str | None = field(default=None, compare=False)
    email_proof: str | None = None
    """The digest of the proof that the store last sent."""
    sms_proof: str | None = None
    email_invalid_at: datetime | None = None
    """When the store first stated that the address is invalid; None where it doesn't."""
    sms_invalid_at: datetime | None = None

    @property
    def ref(self) -> CustomerRef:
        """Returns the customer's reference: the store and its own id of them."""
        return CustomerRef(self.store_id, self.external_id)

    def delivered(self, channel: Channel) -> str | None:
        """Returns the id of the last delivery that the store accepted for their address."""
        return self.email_delivery if channel is Channel.EMAIL else self.sms_delivery

    def address(self, channel: Channel) -> str | None:
        """Returns the customer's own address of a channel."""
        return self.email if channel is Channel.EMAIL else self.phone

    def consent(self, channel: Channel) -> ConsentState:
        """Returns the state of a channel that the store last sent or accepted."""
        return self.email_consent if channel is Channel.EMAIL else self.sms_consent

    def consent_at(self, channel: Channel) -> datetime | None:
        """Returns the store's own time of a channel's last state."""
        return self.email_consent_at if channel is Channel.EMAIL else self.sms_consent_at

    def proof(self, channel: Channel) -> str | None:
        """Returns the digest of the proof that the store last sent for a channel."""
        return self.email_proof if channel is Channel.EMAIL else self.sms_proof

    def invalid_at(self, channel: Channel) -> datetime | None:
        """Returns when the store first stated that a channel's address is invalid, if it does."""
        return self.email_invalid_at if channel is Channel.EMAIL else self.sms_invalid_at

    def newly_invalid_at(self, stored: "Customer | None", channel: Channel) -> datetime | None:
        """Returns that time if the store hasn't stated it of this address before."""
        is_same = stored is not None and stored.address(channel) == self.address(channel)
        known = stored.invalid_at(channel) if stored and is_same else None
        at = self.invalid_at(channel)
        return at if at != known else None

    def refused_at(self, channel: Channel) -> datetime | None:
        """Returns when a former address of a channel was last unsubscribed."""
        return self.email_refused_at if channel is Channel.EMAIL else self.sms_refused_at

    def refused_until(self, refused: Mapping[Channel, datetime | None]) -> "Customer":
        """Returns the customer with the times at which former addresses were unsubscribed."""
        email, sms = refused.get(Channel.EMAIL), refused.get(Channel.SMS)
        return replace(self, email_refused_at=email, sms_refused_at=sms)

    def contradictions(self, channel: Channel) -> Contradictions:
        """Returns how often the store has contradicted an unsubscription that it accepted."""
        is_email = channel is Channel.EMAIL
        return self.email_contradictions if is_email else self.sms_contradictions

    def following(self, stored: "Customer | None", now: datetime) -> "Customer":
        """Returns the customer with the store's contradictions counted."""
        if stored is None:
            return self
        email, sms = (self._contradictions(stored, channel, now) for channel in Channel)
        return replace(self, email_contradictions=email, sms_contradictions=sms)

    def _contradictions(
        self, stored: "Customer", channel: Channel, now: datetime
    ) -> Contradictions:
        known = stored.contradictions(channel)
        is_same = stored.address(channel) == self.address(channel)
        took_opt_out = (
            stored.delivered(channel) is not None
            and stored.consent(channel) is ConsentState.UNSUBSCRIBED
        )
        return (
            known.with_one(now)
            if is_same and took_opt_out and self._is_opted_in(channel)
            else known
        )

    def _is_opted_in(self, channel: Channel) -> bool:
        return self.consent(channel) in {ConsentState.SUBSCRIBED, ConsentState.PENDING}

    def holds_newer_than(self, updated_at: datetime) -> bool:
        """Returns whether an update of that time is too old.

        A deleted customer accepts only newer updates, others equal ones too.
        """
        if self.deleted_at is not None:
            return updated_at <= self.external_updated_at
        return updated_at < self.external_updated_at

    def deleted(self, now: datetime, at: datetime | None = None) -> "Customer":
        """Returns the customer as deleted by the store.

        `at` is the store's time of the deletion, if known.
        """
        updated_at = max(self.external_updated_at, at or self.external_updated_at)
        return replace(self, deleted_at=now, external_updated_at=updated_at)


def customer_of(
    store: Store,
    external_id: str,
    profile_id: UUID,
    before: Customer | None,
    incoming: IncomingCustomer,
) -> Customer:
    """Returns the customer as the store sends it now; only a consent that it leaves out stays."""
    return Customer(
        id=customer_id(store.id, external_id),
        store_id=store.id,
        external_id=external_id,
        profile_id=profile_id,
        admin_url=incoming.admin_url or store.admin_url,
        first_name=incoming.first_name,
        last_name=incoming.last_name,
        email=incoming.email,
        phone=incoming.phone,
        locale=incoming.locale if incoming.has_locale_field or before is None else before.locale,
        email_consent=_consent(Channel.EMAIL, before, incoming.email, incoming.email_consent),
        sms_consent=_consent(Channel.SMS, before, incoming.phone, incoming.sms_consent),
        external_created_at=incoming.external_created_at,
        external_updated_at=incoming.external_updated_at,
        deleted_at=None,
        email_consent_at=_consent_at(Channel.EMAIL, before, incoming.email, incoming.email_consent),
        sms_consent_at=_consent_at(Channel.SMS, before, incoming.phone, incoming.sms_consent),
        email_proof=_proof(Channel.EMAIL, before, incoming),
        sms_proof=_proof(Channel.SMS, before, incoming),
        email_invalid_at=_invalid_at(Channel.EMAIL, before, incoming),
        sms_invalid_at=_invalid_at(Channel.SMS, before, incoming),
    )


def _consent(
    channel: Channel, before: Customer | None, address: str | None, incoming: IncomingConsent
) -> ConsentState:
    """The state that is sent; left out, the last one, if it is of the same address."""
    if incoming.state is not None:
        return incoming.state
    if before is not None and before.address(channel) == address:
        return before.consent(channel)
    return ConsentState.NOT_SUBSCRIBED


def _consent_at(
    channel: Channel, before: Customer | None, address: str | None, incoming: IncomingConsent
) -> datetime | None:
    if incoming.state is not None:
        return incoming.occurred_at(clock.now())
    if before is not None and before.address(channel) == address:
        return before.consent_at(channel)
    return None


def _proof(channel: Channel, before: Customer | None, incoming: IncomingCustomer) -> str | None:
    """The digest of the proof; left out, the last one's, if it is of the same address."""
    consent = incoming.consent(channel)
    if consent.digest is not None or before is None:
        return consent.digest
    is_same = before.address(channel) == incoming.address(channel)
    return before.proof(channel) if is_same else None


def _invalid_at(
    channel: Channel, before: Customer | None, incoming: IncomingCustomer
) -> datetime | None:
    """When the store first stated that the address is invalid.

    A repetition doesn't change the time, but a later consent time does: the store found it invalid
    again.
    """
    consent, address = incoming.consent(channel), incoming.address(channel)
    is_same = before is not None and before.address(channel) == address
    known = before.invalid_at(channel) if before and is_same else None
    if consent.state is None:
        return known
    if not consent.is_of_address:
        return None
    now = clock.now()
    moments = [each for each in (known, consent.occurred_at(now)) if each]
    return max(moments, default=min(incoming.external_updated_at, now))
