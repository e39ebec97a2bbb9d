"""The compared fields of a profile are those of its own answer, except when it was seen last."""

from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from storepost.people.consent.evidence import Series
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.profiles.model import (
    Identity,
    IdentityType,
    LocaleOrigin,
    LocaleSignal,
    LocaleSource,
    Profile,
    Sighting,
    StoreLink,
    visible_fields,
)
from storepost.people.profiles.schemas import Profile as ProfileShape
from storepost.values.scope import WorkspaceScope

ID = UUID(int=1)
NOW = datetime(2026, 3, 1, tzinfo=UTC)
LATER = datetime(2026, 4, 1, tzinfo=UTC)
IDENTITY = Identity(IdentityType.EMAIL, "eve@example.com")
PROFILE = Profile(ID, WorkspaceScope(ID), NOW, NOW)
CHANGES: dict[str, Any] = {
    "first_seen_at": LATER,
    "last_seen_at": LATER,
    "first_name": "Eve",
    "last_name": "Adams",
    "email": "eve@example.com",
    "phone": "+436601234567",
    "locale": "de-AT",
    "locale_source": LocaleSource(LocaleOrigin.ORDER, ID, LocaleSignal.HARD, NOW),
    "email_consent": ConsentState.SUBSCRIBED,
    "sms_consent": ConsentState.SUBSCRIBED,
    "suppressed": frozenset({Channel.EMAIL}),
    "sightings": {IDENTITY: Sighting(NOW, NOW)},
    "former": frozenset({IDENTITY}),
    "links": {ID: StoreLink(orders=1)},
    "orders": 1,
    "spent": {"EUR": 100},
    "consent_changes": 1,
    "histories": (ID,),
    "evidence": {(ID, Channel.EMAIL): Series(1, ())},
    "events": 1,
    "merges": 1,
    "pending_sources": (ID,),
    "version": 1,
}


def shown(profile: Profile) -> dict[str, Any]:
    """What the answer shows."""
    return {**ProfileShape.of(profile, ()).model_dump(), "last_seen_at": None}


def test_every_profile_field_is_tested() -> None:
    assert {each.name for each in fields(Profile)} == {*CHANGES, "id", "workspace"}


@pytest.mark.parametrize("name", CHANGES)
def test_differs_exactly_when_response_differs(name: str) -> None:
    other = replace(PROFILE, **{name: CHANGES[name]})
    assert (visible_fields(other) != visible_fields(PROFILE)) is (shown(other) != shown(PROFILE))
