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
    """One statement about an address with what proves it, also where it changed nothing."""

    id: UUID = Field(
        description="Names this statement; other statements, also of the same change, "
        "have their own."
    )
    channel: Channel = Field(description="What it is for: marketing by `email`, or by `sms`.")
    address: str | None = Field(
        description="The email address or phone number that it is about. Null once it was erased."
    )
    state: ConsentState = Field(description="What the statement says.")
    occurred_at: Timestamp = Field(
        description="When the person stated it, as far as the statement says."
    )
    recorded_at: Timestamp = Field(description="When Storepost recorded it.")
    source: ConsentSource = Field(
        description="How it came, as in the history: `api`, `manual`, `shopify`, "
        "`import`, `unsubscribe_link` or `one_click`."
    )
    store: ConsentStore | None = Field(
        description="The store that stated it. Null where no store did, or where the store is gone."
    )
    proof: ConsentProof = Field(
        description="What the person did, as far as it was sent along, and which key "
        "or person recorded it."
    )
    text: str | None = Field(
        description="The wording that the person agreed to. Null where none was given."
    )
    text_version: str | None = Field(
        description="Which version of the wording it was, in the sender's own "
        "counting. Null where none was given."
    )
    url: str | None = Field(description="The page that had the form. Null where none was given.")
    opt_in_level: OptInLevel = Field(
        description="How sure it is that the person has the address: `confirmed` by a "
        "link that was sent to it, `single` without one, `unknown`."
    )
    change_id: UUID | None = Field(
        description="The change that this statement made in the history. Null where it made none."
    )

    @classmethod
    def of(cls, evidence: Evidence, stores: StoreNames) -> "ConsentEvidence":
        """Returns the evidence in this shape, its store by the name of now."""
        if evidence.id is None:
            raise ValueError("it isn't written yet")
        origin, details = evidence.origin, evidence.details
        name = stores.get(origin.store_id) if origin.store_id else None
        return cls.from_model(
            evidence,
            address=evidence.address.value if evidence.address else None,
            source=origin.source,
            store=ConsentStore(id=origin.store_id, name=name) if origin.store_id and name else None,
            proof=ConsentProof.of(origin.proof),
            text=details.text,
            text_version=details.text_version,
            url=details.url,
            opt_in_level=details.opt_in_level,
        )


class ErasedAddress(RequestBody):
    """An address whose person was erased."""

    channel: Channel = Field(
        description="What the address is: `email`, or a phone number for `sms`."
    )
    address: str = Field(
        max_length=LENGTH,
        description="The email address, or the phone number with its country code. "
        "Only who knows it finds what was kept.",
    )

    def value(self) -> Address:
        """Returns the address in the form that is compared. Raises ValidationFailed."""
        normalised = emails.normalised if self.channel is Channel.EMAIL else phones.normalised
        try:
            return Address(self.channel, normalised(self.address))
        except ValueError as error:
            raise ValidationFailed(errors=[FieldError("/address", str(error))]) from error


class ErasedConsentEvidence(SecretAnswer):
    """What was kept of an erased person's address."""

    items: list[ConsentEvidence] = Field(
        description="The statements about the address, the newest first, a thousand at "
        "most. Empty where nothing was kept or its time is over."
    )

    @classmethod
    def all_of(cls, evidence: Iterable[Evidence], stores: StoreNames) -> "ErasedConsentEvidence":
        """Returns the evidence in this shape."""
        return cls(items=[ConsentEvidence.of(each, stores) for each in evidence])


class ConsentSettings(Shape):
    """What the workspace has decided on consent."""

    evidence_retention_days: int = Field(
        description="For how many days the evidence of an erased person is kept, "
        "sealed. 0, unless it was set: none is kept."
    )

    @classmethod
    def of(cls, settings: Settings) -> "ConsentSettings":
        """Returns the settings in this shape."""
        return cls(evidence_retention_days=settings.evidence_retention_days)


class ConsentSettingsUpdate(RequestBody):
    """What the workspace decides on consent."""

    evidence_retention_days: Annotated[int, Field(strict=True, ge=0, le=MAX_RETENTION_DAYS)] = (
        Field(
            description="For how many days the evidence of a person is kept, sealed, who "
            "is erased from now on. 0 keeps none; the most is 3,650."
        )
    )

    def value(self) -> Settings:
        """Returns the value that the service works with."""
        return Settings(self.evidence_retention_days)
