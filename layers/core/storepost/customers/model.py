"""A store's customer as a value."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from storepost.consent.states import ConsentState


@dataclass(frozen=True)
class Customer:
    """A customer of one store, as that store gave it last."""

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
    """What the store gave last, or was last written to it: only a difference asserts anything."""
    sms_consent: ConsentState
    external_created_at: datetime
    external_updated_at: datetime
    deleted_at: datetime | None
