"""Evidence of consent on the wire."""

from collections.abc import Iterable
from typing import Annotated
from uuid import UUID

from pydantic import Field

from storepost.people.consent.evidence import Evidence
from storepost.people.consent.model import Address, ConsentSource
from storepost.people.consent.settings import ConsentSettings as Settings
from storepost.people.consent.states import Channel, ConsentState, OptInLevel
from storepost.people.consent_changes.schemas import ConsentProof, ConsentStore, StoreNames
from storepost.values import emails, phones
from storepost.values.emails import LENGTH
from storepost.values.problems import FieldError, ValidationFailed
from storepost.values.wire import RequestBody, SecretAnswer, Shape, Timestamp

MAX_RETENTION_DAYS = 3650


class ConsentEvidence(Shape):
    """One statement about an address, with what proves it, also where it changed nothing.

    `changeId` is null where it isn't in the history.
    """

    id: UUID
    channel: Channel
    address: str | None
    state: ConsentState
    occurred_at: Timestamp
    recorded_at: Timestamp
    source: ConsentSource
    store: ConsentStore | None
    proof: ConsentProof
    text: str | None
    text_version: str | None
    url: str | None
    opt_in_level: OptInLevel
    change_id: UUID | None

    @classmethod
    def of(cls, evidence: Evidence, stores: StoreNames) -> "ConsentEvidence":
        """The evidence in this shape, its store by the name of now."""
        if evidence.id is None:
            raise ValueError("it isn't written yet")
        origin, details = evidence.origin, evidence.details
        name = stores.get(origin.store_id) if origin.store_id else None
        return cls(
            id=evidence.id,
            channel=evidence.channel,
            address=evidence.address.value if evidence.address else None,
            state=evidence.state,
            occurred_at=evidence.occurred_at,
            recorded_at=evidence.recorded_at,
            source=origin.source,
            store=ConsentStore(id=origin.store_id, name=name) if origin.store_id and name else None,
            proof=ConsentProof.of(origin.proof),
            text=details.text,
            text_version=details.text_version,
            url=details.url,
            opt_in_level=details.opt_in_level,
            change_id=evidence.change_id,
        )


class ErasedAddress(RequestBody):
    """An address whose person was erased."""

    channel: Channel
    address: str = Field(max_length=LENGTH)

    def value(self) -> Address:
        """The address in the form that is compared; raises ValidationFailed where it is none."""
        normalised = emails.normalised if self.channel is Channel.EMAIL else phones.normalised
        try:
            return Address(self.channel, normalised(self.address))
        except ValueError as error:
            raise ValidationFailed(errors=[FieldError("/address", str(error))]) from error


class ErasedConsentEvidence(SecretAnswer):
    """What is kept of an erased person's address, the newest first."""

    items: list[ConsentEvidence]

    @classmethod
    def all_of(cls, evidence: Iterable[Evidence], stores: StoreNames) -> "ErasedConsentEvidence":
        """The evidence in this shape."""
        return cls(items=[ConsentEvidence.of(each, stores) for each in evidence])


class ConsentSettings(Shape):
    """What the workspace decides on consent."""

    evidence_retention_days: int

    @classmethod
    def of(cls, settings: Settings) -> "ConsentSettings":
        """The settings in this shape."""
        return cls(evidence_retention_days=settings.evidence_retention_days)


class ConsentSettingsUpdate(RequestBody):
    """For how many days evidence of an erased person is kept, sealed; 0 keeps none."""

    evidence_retention_days: Annotated[int, Field(strict=True, ge=0, le=MAX_RETENTION_DAYS)]

    def value(self) -> Settings:
        """What the service is told."""
        return Settings(self.evidence_retention_days)
