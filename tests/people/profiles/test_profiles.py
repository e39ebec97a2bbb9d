"""Profiles, an operation a class."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.people.profiles.keys import profile_key
from storepost.people.profiles.manual import IncomingPerson, upsert_profile
from storepost.people.profiles.merges import MergeCause
from storepost.people.profiles.model import Identity, IdentityType
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.resolution import MAX_IDENTITIES
from storepost.people.profiles.rows import IdentityItem, ProfileItem
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.values import clock
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope
from tests.harness.world import CANARY, Someone, World
from tests.people.profiles.rows import claims

EMAIL = f"ann.{CANARY}@example.com"
OTHER = f"bob.{CANARY}@example.com"
PHONE = "+14155550123"


def upsert(by: Someone, **body: object) -> dict[str, Any]:
    """A profile that was just created or updated."""
    answer = by.call("POST", "/profiles", body)
    assert answer.status in {200, 201}, answer.body
    made: dict[str, Any] = answer.json
    return made


def stored(world: World) -> list[dict[str, Any]]:
    """All profiles and claims."""
    rows = [row for row in world.rows() if isinstance(row, ProfileItem | IdentityItem)]
    return [row.attribute_values for row in rows]


class TestUpsert:
    """POST /profiles."""

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, [""]),
            ({"firstName": "Ann", "email": None}, [""]),
            ({"email": "nobody"}, ["/email"]),
            ({"email": ""}, ["/email"]),
            ({"phone": "0664 123"}, ["/phone"]),
            ({"anonymousId": "null"}, ["/anonymousId"]),
            ({"anonymousId": "0000"}, ["/anonymousId"]),
            ({"anonymousId": "a" * 256}, ["/anonymousId"]),
            ({"email": EMAIL, "firstName": "a" * 256}, ["/firstName"]),
            ({"email": EMAIL, "locale": "not a tag"}, ["/locale"]),
            ({"email": EMAIL, "name": "Ann"}, ["/name"]),
            ([], [""]),
        ],
    )
    def test_bad_input(self, world: World, owner: Someone, body: object, paths: list[str]) -> None:
        assert owner.call("POST", "/profiles", body).error_paths() == paths
        assert not [row for row in world.rows() if isinstance(row, ProfileItem | IdentityItem)]

    def test_creates_profile(self, world: World, owner: Someone) -> None:
        before = clock.now()
        answer = owner.call(
            "POST",
            "/profiles",
            {
                "email": f" {EMAIL.upper()} ",
                "phone": "+1 (415) 555-0123",
                "anonymousId": f"browser-{CANARY}",
                "firstName": " Ann ",
                "lastName": CANARY,
                "locale": "de-at",
            },
        )
        assert answer.status == 201
        body = answer.json
        seen = clock.from_text(body["firstSeenAt"])
        assert before <= seen <= clock.now()
        assert body == {
            "id": str(UUID(body["id"])),
            "name": f"Ann {CANARY}",
            "firstName": "Ann",
            "lastName": CANARY,
            "email": EMAIL,
            "phone": PHONE,
            "locale": "de-AT",
            "localeSource": None,
            "storeIds": [],
            "stores": [],
            "isCustomer": False,
            "emailMarketingConsent": "not_subscribed",
            "smsMarketingConsent": "not_subscribed",
            "firstSeenAt": clock.to_text(seen),
            "lastSeenAt": clock.to_text(seen),
            "orders": 0,
            "spent": [],
        }
        assert claims(world) == {
            f"email#{EMAIL}": (UUID(body["id"]), seen, seen),
            f"phone#{PHONE}": (UUID(body["id"]), seen, seen),
            f"anonymous_id#browser-{CANARY}": (UUID(body["id"]), seen, seen),
        }

    def test_known_identity_updates_profile_and_adds_identities(
        self, world: World, owner: Someone
    ) -> None:
        first = upsert(owner, anonymousId="b1")
        world.advance(seconds=90)
        answer = owner.call("POST", "/profiles", {"anonymousId": "b1", "email": EMAIL})
        assert answer.status == 200
        seen = clock.from_text(answer.json["lastSeenAt"])
        assert seen >= clock.from_text(first["firstSeenAt"]) + timedelta(seconds=90)
        assert answer.json == {**first, "email": EMAIL, "lastSeenAt": answer.json["lastSeenAt"]}
        identifier = UUID(first["id"])
        began = clock.from_text(first["firstSeenAt"])
        assert claims(world) == {
            "anonymous_id#b1": (identifier, began, seen),
            f"email#{EMAIL}": (identifier, seen, seen),
        }

    def test_later_values_replace_shown_ones(self, owner: Someone) -> None:
        made = upsert(owner, email=EMAIL, phone=PHONE, firstName="Ann", locale="de")
        more = upsert(
            owner, phone=PHONE, email=EMAIL, firstName="Anna", lastName="Lee", locale="fr"
        )
        assert more == {
            **made,
            "name": "Anna Lee",
            "firstName": "Anna",
            "lastName": "Lee",
            "locale": "fr",
            "lastSeenAt": more["lastSeenAt"],
        }
        again = upsert(owner, email=EMAIL)
        assert again == {**more, "lastSeenAt": again["lastSeenAt"]}
        second = upsert(owner, email=EMAIL, phone="+14155550124")
        assert second == {**more, "phone": "+14155550124", "lastSeenAt": second["lastSeenAt"]}

    def test_identities_of_two_profiles_are_conflict(self, world: World, owner: Someone) -> None:
        upsert(owner, email=EMAIL)
        upsert(owner, phone=PHONE, email=OTHER)
        rows_before = stored(world)
        answer = owner.call("POST", "/profiles", {"email": EMAIL, "phone": PHONE})
        assert answer.problem() == (409, "identity_conflict")
        assert stored(world) == rows_before

    @pytest.mark.parametrize("weak", ["phone", "anonymousId"])
    def test_other_email_with_known_weaker_identity_is_conflict(
        self, owner: Someone, weak: str
    ) -> None:
        upsert(owner, email=EMAIL, **{weak: PHONE})
        answer = owner.call("POST", "/profiles", {"email": OTHER, weak: PHONE})
        assert answer.problem() == (409, "identity_conflict")

    def test_profiles_are_separate_per_workspace(self, world: World, owner: Someone) -> None:
        made = upsert(owner, email=EMAIL)
        stranger = world.person()
        world.workspace(stranger)
        answer = stranger.call("POST", "/profiles", {"email": EMAIL})
        assert answer.status == 201
        assert answer.json["id"] != made["id"]

    def test_identity_limit(self, world: World, owner: Someone) -> None:
        made = upsert(owner, email=EMAIL)
        workspace = _workspace_of(world)
        repository, changes = ProfileRepository(workspace), Changes()
        before = repository.get(UUID(made["id"]))
        assert before is not None
        many = [Identity(IdentityType.ANONYMOUS_ID, f"b{n}") for n in range(MAX_IDENTITIES - 2)]
        repository.save(changes, before, before.identified(dict.fromkeys(many, (clock.now(),))))
        changes.commit()
        upsert(owner, email=EMAIL, anonymousId="the last one")
        answer = owner.call("POST", "/profiles", {"email": EMAIL, "anonymousId": "x"})
        assert answer.problem() == (409, "identity_limit")

    def test_concurrent_upserts_create_one_profile(self, world: World, owner: Someone) -> None:
        incoming, workspace = IncomingPerson(email=EMAIL, first_name="Rival"), _workspace_of(world)
        with world.meanwhile(
            lambda changes: upsert_profile(workspace, incoming, MergeCause("api"), changes)
        ):
            answer = owner.call("POST", "/profiles", {"email": EMAIL, "phone": PHONE})
        assert answer.status == 200
        assert (answer.json["firstName"], answer.json["phone"]) == ("Rival", PHONE)
        [profile] = [row for row in world.rows() if isinstance(row, ProfileItem)]
        assert str(profile.id) == answer.json["id"]
        assert {claim[0] for claim in claims(world).values()} == {profile.id}


class TestGet:
    """GET /profiles/{id}."""

    def test_complete_response(self, world: World, owner: Someone) -> None:
        made = upsert(owner, email=EMAIL, phone=PHONE, firstName="Ann")
        key = world.api_key(_workspace_of(world), KeyScope.READ)
        answer = world.call("GET", f"/profiles/{made['id']}", token=key)
        assert (answer.status, answer.json) == (200, made)

    def test_stores_and_spent_amounts(self, world: World, owner: Someone) -> None:
        store, other = world.store(owner, name="Shop A"), world.store(owner, name="Shop B")
        made = upsert(owner, email=EMAIL)
        workspace, changes = _workspace_of(world), Changes()
        repository = ProfileRepository(workspace)
        before = repository.get(UUID(made["id"]))
        assert before is not None
        after = before.linked(UUID(store), orders=2).linked(UUID(other), customers=1)
        spent = {"JPY": 1_999, "EUR": 1_234_567_890_123, "KWD": 0}
        repository.save(changes, before, replace(after, spent=spent))
        changes.commit()
        answer = owner.call("GET", f"/profiles/{made['id']}")
        stores = [
            {"id": store, "name": "Shop A", "platform": "custom"},
            {"id": other, "name": "Shop B", "platform": "custom"},
        ]
        assert answer.json == {
            **made,
            "isCustomer": True,
            "storeIds": sorted([store, other]),
            "stores": sorted(stores, key=lambda each: each["id"]),
            "orders": 2,
            "spent": [
                {"amount": 1_234_567_890_123, "currency": "EUR"},
                {"amount": 1_999, "currency": "JPY"},
            ],
        }


class TestManyStores:
    """A person known to more stores than one transaction can move in lists."""

    def test_every_stores_list_is_updated(self, world: World, owner: Someone) -> None:
        workspace = _workspace_of(world)
        made = upsert(owner, email=EMAIL)
        stores = [UUID(world.store(owner)) for _ in range(34)]
        repository = ProfileRepository(workspace)

        def link(changes: Changes) -> None:
            before = repository.get(UUID(made["id"]))
            assert before is not None
            after = before
            for store_id in stores:
                after = after.linked(store_id, customers=1)
            repository.save(changes, before, after)

        def see(changes: Changes) -> None:
            before = repository.get(UUID(made["id"]))
            assert before is not None
            repository.save(changes, before, before.seen(datetime(2020, 1, 1, tzinfo=UTC)))

        for change in (link, see):
            commit_anew(change)
            for store_id in stores:
                found = owner.call("GET", "/profiles", query={"storeId": store_id}).json
                assert [row["id"] for row in found["items"]] == [made["id"]]
                assert found["total"] == 1
        early = {"storeId": stores[-1], "firstSeenTo": "2020-01-01T00:00:00.001Z"}
        found = owner.call("GET", "/profiles", query=early).json
        assert found["total"] == 1


class TestRows:
    """How a profile is stored."""

    def test_row_round_trip(self, world: World, owner: Someone) -> None:
        workspace = _workspace_of(world)
        made = upsert(owner, email=EMAIL, phone=PHONE, locale="de")
        profile = ProfileRepository(workspace).get(UUID(made["id"]))
        assert profile is not None
        assert profile.identities == (
            Identity(IdentityType.EMAIL, EMAIL),
            Identity(IdentityType.PHONE, PHONE),
        )
        pk, sk = profile_key(workspace, profile.id)
        assert (pk, sk) == (f"{workspace.key}#profile#{short(profile.id)}", "profile")
        [row] = [row for row in world.rows(pk) if row.sk == sk]
        assert isinstance(row, ProfileItem)
        assert row.version == 1


def _workspace_of(world: World) -> WorkspaceScope:
    """The workspace that the world's first person created."""
    [row] = [row for row in world.rows() if row.sk == "workspace"]
    identifier: UUID = row.id  # type: ignore[attr-defined]
    return WorkspaceScope(identifier)
