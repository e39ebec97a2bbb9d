"""Statements of stores and imports, written without requests; a store that doesn't answer."""

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

from storepost.people.consent.from_stores import StoreConsent, assert_from_store
from storepost.people.consent.model import Address, ConsentOrigin, ConsentSource, Subject
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.profiles.consent_summary import subject_of
from storepost.people.profiles.model import Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.platform.fetching import FetchFailed
from storepost.platform.fetching.guard import Failure
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from tests.people.consent.asserting import assert_consent
from tests.people.consent.listening_store import EMAIL, Shop

SUBSCRIBED, UNSUBSCRIBED = ConsentState.SUBSCRIBED, ConsentState.UNSUBSCRIBED
NO_ANSWER = FetchFailed(Failure.TIMED_OUT)


def gave(shop: Shop, profile: Profile, store_id: UUID, state: ConsentState) -> None:
    """The store pushes its customer with another state and its own consent time."""
    changes = Changes()
    customer = shop.customer(profile, store_id)
    now = clock.now()
    assert_from_store(
        changes,
        subject_of(profile),
        Channel.EMAIL,
        before=StoreConsent(customer.email, customer.email_consent),
        after=StoreConsent(customer.email, state, now),
        updated_at=now,
        origin=ConsentOrigin(ConsentSource.API, store_id),
    )
    before = shop.profile(profile.id)
    ProfileRepository(shop.workspace).save(changes, before, replace(before, email_consent=state))
    changes.commit()
    shop.customer(profile, store_id, email_consent=state)


def past_statement(
    shop: Shop,
    profile: Profile,
    state: ConsentState,
    day: int,
    *,
    dated: bool = True,
    store_id: UUID | None = None,
) -> None:
    """A statement about a past day: an import's, or, undated, a store's."""
    changes, address = Changes(), Address(Channel.EMAIL, EMAIL)
    origin = ConsentOrigin(ConsentSource.IMPORT, None if dated else store_id)
    subject = Subject(shop.workspace, profile.id, profile.store_ids)
    at = clock.now() - timedelta(days=20 - day)
    assert_consent(changes, subject, address, state, origin, occurred_at=at, dated=dated)
    changes.commit()
