"""Customers of custom stores, an operation a class."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid4

import pytest

from storepost.accounts.api_keys.repository import ApiKeyRepository
from storepost.accounts.identity.model import KeyScope, SignedInPerson
from storepost.accounts.identity.repository import SessionItem, as_session, find_person, find_token
from storepost.accounts.identity.tokens import digest
from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.api.http.callers import person_in_workspace
from storepost.people.consent.model import (
    Address,
    ConsentChange,
    ConsentOrigin,
    ConsentSource,
    WriteBackStatus,
)
from storepost.people.consent.repository import ConsentChangeItem, ConsentRepository
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.customers.model import IncomingCustomer, customer_id
from storepost.people.customers.repository import CustomerItem
from storepost.people.customers.service import put_customer
from storepost.people.profiles.consent_summary import subject_of
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.rows import IdentityItem, ProfileItem
from storepost.platform.persistence.changes import Changes
from storepost.stores.stores.model import Platform
from storepost.stores.stores.repository import StoreRepository
from storepost.values import clock
from storepost.values.scope import PersonScope, WorkspaceScope
from tests.harness.world import CANARY, Answer, Someone, World
from tests.people.consent.asserting import assert_consent
from tests.people.profiles.rows import claims

EMAIL = f"ann.{CANARY}@example.com"
OTHER = f"bob.{CANARY}@example.com"
PHONE = "+14155550123"
CREATED = "2026-01-02T03:04:05.678Z"
ADMIN = "https://admin.example.com/"


@pytest.fixture
def owner(world: World) -> Someone:
    """The owner of a workspace."""
    person = world.person()
    world.workspace(person)
    return person


@pytest.fixture
def store(world: World, owner: Someone) -> str:
    """A custom store of the workspace."""
    return world.store(owner, name="Shop", adminUrl=ADMIN)


def day(number: int, of: str = "2026-02-01T00:00:00.000Z") -> str:
    """A moment so many days later."""
    return clock.to_text(clock.from_text(of) + timedelta(days=number))


def body(updated: int = 0, **more: object) -> dict[str, object]:
    """A customer as a store sends it, updated on a day."""
    return {"externalCreatedAt": CREATED, "externalUpdatedAt": day(updated), **more}


class Shop:
    """Somebody who puts customers into one store."""

    def __init__(self, world: World, by: Someone, store: str) -> None:
        self.world, self.by, self.id = world, by, store

    def put(self, external_id: str, updated: Any = 0, **more: Any) -> Answer:
        """Puts a customer."""
        return self.world.call(
            "PUT",
            f"/stores/{self.id}/customers/{external_id}",
            token=self.by.token,
            json_body=body(updated, **more),
        )

    def delete(self, external_id: str, **more: Any) -> Answer:
        """Deletes a customer."""
        path = f"/stores/{self.id}/customers/{external_id}"
        return self.world.call("DELETE", path, token=self.by.token, **more)

    def profiles(self, **query: object) -> list[dict[str, Any]]:
        """The profiles that the list finds, whole."""
        asked = {"sort": "firstSeenAt", **query}
        found = self.world.call("GET", "/profiles", token=self.by.token, query=asked).json
        assert found["total"] == len(found["items"])
        return [
            self.world.call("GET", f"/profiles/{row['id']}", token=self.by.token).json
            for row in found["items"]
        ]

    def profile(self, **query: object) -> dict[str, Any]:
        """The one profile that the list finds."""
        [found] = self.profiles(**query)
        return found


@pytest.fixture
def shop(world: World, owner: Someone, store: str) -> Shop:
    """Whoever puts customers into the store."""
    return Shop(world, owner, store)


def stored(world: World) -> list[dict[str, Any]]:
    """All customers, profiles and claims."""
    kinds = CustomerItem | ProfileItem | IdentityItem | ConsentChangeItem
    return [row.serialize() for row in world.rows() if isinstance(row, kinds)]


def workspace_of(world: World) -> WorkspaceScope:
    """The workspace that the world's first person made."""
    [row] = [row for row in world.rows() if row.sk == "workspace"]
    identifier: UUID = row.id  # type: ignore[attr-defined]
    return WorkspaceScope(identifier)


def history(world: World, profile: dict[str, Any]) -> list[ConsentChange]:
    """The profile's consent changes, recorded last first."""
    return list(ConsentRepository(workspace_of(world)).history(UUID(profile["id"])))


class TestPut:
    """PUT /stores/{id}/customers/{externalId}."""

    @pytest.mark.parametrize(
        ("given", "paths"),
        [
            ({"externalCreatedAt": None}, ["/externalCreatedAt"]),
            ({"externalUpdatedAt": "2026-01-01T00:00:00"}, ["/externalUpdatedAt"]),
            ({"email": "nobody"}, ["/email"]),
            ({"phone": "0664 1"}, ["/phone"]),
            ({"phone": "+1 555-0123"}, ["/phone"]),
            ({"phone": "+44 20 7946 0958 ext. 5"}, ["/phone"]),
            ({"firstName": "a" * 256}, ["/firstName"]),
            ({"lastName": 7}, ["/lastName"]),
            ({"locale": "not a tag"}, ["/locale"]),
            ({"emailMarketingConsent": "yes"}, ["/emailMarketingConsent"]),
            ({"smsMarketingConsentUpdatedAt": "now"}, ["/smsMarketingConsentUpdatedAt"]),
            ({"adminUrl": "ftp://example.com"}, ["/adminUrl"]),
            ({"externalId": "7"}, ["/externalId"]),
        ],
    )
    def test_bad_input(
        self, world: World, shop: Shop, given: dict[str, object], paths: list[str]
    ) -> None:
        assert shop.put("7", **given).error_paths() == paths
        assert stored(world) == []

    def test_what_must_be_there(self, world: World, shop: Shop) -> None:
        path = f"/stores/{shop.id}/customers/7"
        answer = world.call("PUT", path, token=shop.by.token, json_body={})
        assert answer.error_paths() == ["/externalCreatedAt", "/externalUpdatedAt"]

    @pytest.mark.parametrize("external_id", ["0", "null", "-1", "x" * 256])
    def test_ids_that_name_nobody(self, shop: Shop, external_id: str) -> None:
        assert shop.put(external_id).error_paths() == ["path.externalId"]

    def test_unknown_and_anothers_store(self, world: World, shop: Shop) -> None:
        stranger = world.person()
        world.workspace(stranger)
        for by, store_id in ((shop.by, str(uuid4())), (stranger, shop.id)):
            answer = Shop(world, by, store_id).put("7")
            assert answer.problem() == (404, "not_found")

    def test_a_platforms_store(self, world: World, shop: Shop) -> None:
        repository, changes = StoreRepository(workspace_of(world)), Changes()
        held = repository.get(UUID(shop.id))
        assert held is not None
        repository.save(changes, replace(held, platform=Platform.SHOPIFY))
        changes.commit()
        for answer in (shop.put("7"), shop.delete("7")):
            assert answer.problem() == (409, "store_managed_by_platform")

    def test_a_disconnected_store(self, world: World, shop: Shop) -> None:
        shop.put("7")
        world.call("POST", f"/stores/{shop.id}/disconnect", token=shop.by.token)
        for answer in (shop.put("7"), shop.delete("7")):
            assert answer.problem() == (409, "store_disconnected")

    def test_a_new_customer_and_person(self, world: World, shop: Shop) -> None:
        answer = shop.put(
            "7",
            email=f" {EMAIL.upper()}",
            phone="+1 415 555 0123",
            firstName="Ann",
            lastName=CANARY,
            locale="de-at",
            adminUrl="https://admin.example.com/customers/7",
        )
        assert (answer.status, answer.json) == (
            201,
            {
                "id": str(customer_id(UUID(shop.id), "7")),
                "store": {"id": shop.id, "name": "Shop", "platform": "custom"},
                "externalId": "7",
                "adminUrl": "https://admin.example.com/customers/7",
                "firstName": "Ann",
                "lastName": CANARY,
                "email": EMAIL,
                "phone": PHONE,
                "locale": "de-AT",
                "emailMarketingConsent": "not_subscribed",
                "smsMarketingConsent": "not_subscribed",
                "externalCreatedAt": CREATED,
                "externalUpdatedAt": day(0),
                "deletedAt": None,
            },
        )
        profile = shop.profile(externalId="7", storeId=shop.id)
        assert profile == {
            "id": profile["id"],
            "name": f"Ann {CANARY}",
            "firstName": "Ann",
            "lastName": CANARY,
            "email": EMAIL,
            "phone": PHONE,
            "locale": "de-AT",
            "localeSource": {
                "source": "customer",
                "storeId": shop.id,
                "signal": "hard",
                "at": day(0),
            },
            "storeIds": [shop.id],
            "stores": [{"id": shop.id, "name": "Shop", "platform": "custom"}],
            "isCustomer": True,
            "emailMarketingConsent": "not_subscribed",
            "smsMarketingConsent": "not_subscribed",
            "firstSeenAt": CREATED,
            "lastSeenAt": day(0),
            "orders": 0,
            "spent": [],
        }
        owner, updated = UUID(profile["id"]), clock.from_text(day(0))
        assert {name.partition("#")[0]: held for name, held in claims(world).items()} == {
            "platform_customer_id": (owner, clock.from_text(CREATED), updated),
            "email": (owner, updated, updated),
            "phone": (owner, updated, updated),
        }
        assert shop.profiles(storeId=shop.id) == [profile]
        assert history(world, profile) == []

    @pytest.mark.parametrize("external_id", ['a#b"c', "Ünïcode 7", "x" * 255, "00a"])
    def test_ids_of_any_characters(self, shop: Shop, external_id: str) -> None:
        answer = shop.put(quote(external_id))
        assert (answer.status, answer.json["externalId"]) == (201, external_id)
        assert shop.profile(externalId=external_id, storeId=shop.id)["isCustomer"] is True
        assert shop.delete(quote(external_id)).status == 204

    def test_what_stores_send_for_nothing(self, shop: Shop) -> None:
        answer = shop.put(
            "7", email="", phone="null", firstName=" ", lastName="", locale="", adminUrl=None
        )
        assert answer.status == 201
        fields = ("email", "phone", "firstName", "lastName", "locale", "adminUrl")
        assert [answer.json[name] for name in fields] == [None] * 5 + [ADMIN]
        profile = shop.profile()
        assert (profile["name"], profile["email"], profile["locale"]) == (None, None, None)

    def test_names_lose_what_nobody_sees(self, world: World, shop: Shop) -> None:
        written = {"firstName": "An\u202en\x00", "lastName": "\u2067Lee\u2069\r\n"}
        answer = shop.put("7", **written)
        assert (answer.json["firstName"], answer.json["lastName"]) == ("Ann", "Lee")
        assert shop.profile()["name"] == "Ann Lee"
        assert shop.put("8", firstName="\u200e", lastName="\ufeff").json["firstName"] is None
        by_hand = world.call(
            "POST", "/profiles", token=shop.by.token, json_body={"phone": PHONE, **written}
        )
        assert by_hand.json["name"] == "Ann Lee"

    def test_known_again(self, world: World, shop: Shop) -> None:
        first = shop.put("7", email=EMAIL, firstName="Ann", locale="de")
        before = shop.profile()
        answer = shop.put("7", 3, email=EMAIL, firstName="Anna", locale="fr")
        assert (answer.status, answer.json) == (
            200,
            {**first.json, "firstName": "Anna", "locale": "fr", "externalUpdatedAt": day(3)},
        )
        assert shop.profile() == {
            **before,
            "name": "Anna",
            "firstName": "Anna",
            "locale": "fr",
            "localeSource": {**before["localeSource"], "at": day(3)},
            "lastSeenAt": day(3),
        }

    def test_the_same_again_writes_nothing(self, world: World, shop: Shop) -> None:
        given: dict[str, object] = {"email": EMAIL, "phone": PHONE, "firstName": "Ann"}
        given |= {"emailMarketingConsent": "subscribed", "locale": "de"}
        first, held = shop.put("7", **given), stored(world)
        again = shop.put("7", **given)
        assert (again.status, again.json) == (200, first.json)
        assert stored(world) == held

    def test_older_is_stale_and_equal_is_taken(self, world: World, shop: Shop) -> None:
        shop.put("7", 5, firstName="Ann")
        held = stored(world)
        assert shop.put("7", 4, firstName="Old").problem() == (409, "stale_update")
        assert stored(world) == held
        answer = shop.put("7", 5, firstName="Anna", locale="de")
        assert (answer.status, answer.json["firstName"]) == (200, "Anna")
        assert shop.profile()["name"] == "Anna"
        shop.put("7", 5, firstName="Anna", locale="fr")
        assert shop.profile()["locale"] == "fr"

    def test_revives_what_was_deleted_where_newer(self, world: World, shop: Shop) -> None:
        made = shop.put("7", 5, email=EMAIL)
        shop.delete("7")
        held = stored(world)
        for updated in (4, 5):
            assert shop.put("7", updated, email=EMAIL).problem() == (409, "stale_update")
        assert stored(world) == held
        answer = shop.put("7", 6, email=EMAIL)
        assert (answer.status, answer.json) == (
            200,
            {**made.json, "externalUpdatedAt": day(6), "deletedAt": None},
        )
        assert len(shop.profiles()) == 1

    def test_joins_the_person_with_the_email(self, world: World, shop: Shop) -> None:
        made = world.call(
            "POST",
            "/profiles",
            token=shop.by.token,
            json_body={"email": EMAIL, "firstName": "Mine", "locale": "it"},
        ).json
        second = Shop(world, shop.by, world.store(shop.by))
        shop.put("7", email=EMAIL, firstName="Theirs", lastName="Lee", locale="de", phone=PHONE)
        second.put("7", email=EMAIL)
        profile = shop.profile()
        assert profile["id"] == made["id"]
        assert profile["storeIds"] == sorted([shop.id, second.id])
        assert (profile["name"], profile["phone"]) == ("Mine Lee", PHONE)
        assert (profile["locale"], profile["localeSource"]) == ("it", None)
        assert (profile["firstSeenAt"], profile["lastSeenAt"]) == (CREATED, made["lastSeenAt"])

    def test_two_customers_of_a_store_are_two_people(self, world: World, shop: Shop) -> None:
        shop.put("7", email=EMAIL, phone=PHONE)
        shop.put("8", email=EMAIL, phone="+14155550124", firstName="Second")
        first = shop.profile(externalId="7", storeId=shop.id)
        second = shop.profile(externalId="8", storeId=shop.id)
        assert first["id"] != second["id"]
        assert (first["email"], first["phone"]) == (EMAIL, PHONE)
        assert (second["email"], second["phone"]) == (None, "+14155550124")
        held = stored(world)
        shop.put("8", email=EMAIL, phone="+14155550124", firstName="Second")
        assert stored(world) == held

    def test_a_deleted_customer_speaks_against_nobody(self, shop: Shop) -> None:
        shop.put("7", email=EMAIL)
        first = shop.profile()
        shop.delete("7")
        shop.put("8", 1, email=EMAIL)
        assert shop.profile(externalId="8", storeId=shop.id)["id"] == first["id"]
        shop.put("7", 2, email=EMAIL)
        shop.put("9", 3, email=EMAIL)
        assert len(shop.profiles()) == 2

    def test_a_phone_yields_to_another_email(self, shop: Shop) -> None:
        shop.put("7", email=EMAIL, phone=PHONE)
        shop.put("8", email=OTHER, phone=PHONE)
        assert {p["email"]: p["phone"] for p in shop.profiles()} == {EMAIL: PHONE, OTHER: None}

    def test_a_changed_address_moves_what_is_shown(self, shop: Shop) -> None:
        shop.put("7", email=EMAIL, phone=PHONE, emailMarketingConsent="subscribed")
        before = shop.profile()
        assert before["emailMarketingConsent"] == "subscribed"
        shop.put("7", 1, email=OTHER, phone="+14155550124")
        after = shop.profile(email=EMAIL)
        assert (after["id"], after["email"], after["phone"]) == (
            before["id"],
            OTHER,
            "+14155550124",
        )
        assert after["emailMarketingConsent"] == "not_subscribed"
        shop.put("7", 2, email=EMAIL)
        again = shop.profile(email=OTHER)
        assert (again["email"], again["emailMarketingConsent"]) == (EMAIL, "subscribed")
        shop.put("7", 3)
        assert shop.profile()["email"] == EMAIL

    def test_an_address_of_somebody_else_is_left_alone(self, shop: Shop) -> None:
        shop.put("7", email=EMAIL)
        shop.put("8", email=OTHER)
        answer = shop.put("8", 1, email=EMAIL)
        assert answer.json["email"] == EMAIL
        assert shop.profile(email=EMAIL) == shop.profile(externalId="7", storeId=shop.id)
        assert shop.profile(externalId="8", storeId=shop.id)["email"] == OTHER

    def test_a_name_that_the_customer_gave_follows_it(self, world: World, shop: Shop) -> None:
        shop.put("7", email=EMAIL, firstName="Ann", lastName="Lee")
        shop.put("7", 1, email=EMAIL, firstName="Anna")
        assert shop.profile()["name"] == "Anna"
        by_hand = {"email": EMAIL, "firstName": "By hand"}
        world.call("POST", "/profiles", token=shop.by.token, json_body=by_hand)
        shop.put("7", 2, email=EMAIL, firstName="Annie", lastName="Lee")
        assert shop.profile()["name"] == "By hand Lee"

    def test_two_at_once_make_one_person(self, world: World, shop: Shop, owner: Someone) -> None:
        workspace = workspace_of(world)
        given = IncomingCustomer(clock.from_text(CREATED), clock.from_text(day(0)), email=EMAIL)
        second = world.store(shop.by)

        def rival(changes: Changes) -> None:
            caller = _caller(owner)
            put_customer(caller, UUID(second), "1", lambda _store: given, changes)

        with world.meanwhile(rival):
            assert shop.put("7", email=EMAIL).status == 201
        profile = shop.profile()
        assert profile["storeIds"] == sorted([shop.id, second])
        assert ProfileRepository(workspace).get(UUID(profile["id"])) is not None

    def test_replay(self, world: World, shop: Shop) -> None:
        path = f"/stores/{shop.id}/customers/7"
        first = world.call("PUT", path, token=shop.by.token, json_body=body(), key="k")
        shop.put("7", 1, firstName="Newer")
        again = world.call("PUT", path, token=shop.by.token, json_body=body(), key="k")
        assert (again.status, again.body) == (201, first.body)
        assert again.header("idempotency-replayed") == "true"
        assert shop.profile()["name"] == "Newer"


class TestPutConsent:
    """What a push of a customer asserts (docs/semantics.md, section 2.4)."""

    def test_a_difference_asserts(self, world: World, shop: Shop) -> None:
        second = Shop(world, shop.by, world.store(shop.by))
        second.put("1", email=EMAIL)
        world.deliver()
        answer = shop.put(
            "7",
            email=EMAIL,
            phone=PHONE,
            emailMarketingConsent="subscribed",
            emailMarketingConsentUpdatedAt=day(-2),
            smsMarketingConsent="pending",
        )
        assert answer.json["emailMarketingConsent"] == "subscribed"
        assert answer.json["smsMarketingConsent"] == "pending"
        profile = shop.profile()
        assert (profile["emailMarketingConsent"], profile["smsMarketingConsent"]) == (
            "subscribed",
            "pending",
        )
        by_channel = {change.channel.value: change for change in history(world, profile)}
        assert set(by_channel) == {"email", "sms"}
        for channel, state, address, occurred in (
            ("email", "subscribed", EMAIL, day(-2)),
            ("sms", "pending", PHONE, day(0)),
        ):
            change = by_channel[channel]
            assert (change.state.value, change.address) == (state, address)
            assert clock.to_text(change.occurred_at) == occurred
            assert (change.origin.source.value, change.origin.store_id) == (
                "manual",
                UUID(shop.id),
            )
            assert change.origin.by == shop.by.name
            told = {each.store_id: each.status for each in change.write_backs}
            assert told == dict.fromkeys((UUID(shop.id), UUID(second.id)), WriteBackStatus.PENDING)
        assert shop.profile(emailMarketingConsent="subscribed") == profile

    def test_a_keys_push_says_api(self, world: World, shop: Shop) -> None:
        key = world.api_key(workspace_of(world), KeyScope.WRITE)
        path = f"/stores/{shop.id}/customers/7"
        given = body(email=EMAIL, emailMarketingConsent="unsubscribed")
        assert world.call("PUT", path, token=key, json_body=given).status == 201
        [change] = history(world, shop.profile())
        assert (change.origin.source.value, change.origin.store_id) == ("api", UUID(shop.id))

    def test_a_key_is_named_as_it_is_called_now(
        self, world: World, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Authentication reads the name: it costs no read of its own."""
        secret = world.api_key(workspace_of(world), KeyScope.WRITE)
        path, name = f"/api-keys/{world.key_of(secret).id}", f"Storefront {CANARY}"
        renamed = world.call("PATCH", path, token=shop.by.token, json_body={"name": name})
        assert renamed.status == 200
        monkeypatch.delattr(ApiKeyRepository, "get")
        path, given = f"/stores/{shop.id}/customers/7", body(email=EMAIL)
        given |= {"emailMarketingConsent": "subscribed"}
        assert world.call("PUT", path, token=secret, json_body=given).status == 201
        [change] = history(world, shop.profile())
        assert change.origin.by == name

    def test_nothing_said_asserts_nothing(self, world: World, shop: Shop) -> None:
        shop.put("7", email=EMAIL, emailMarketingConsent="subscribed")
        answer = shop.put("7", 1, email=EMAIL, emailMarketingConsent=None)
        assert answer.json["emailMarketingConsent"] == "subscribed"
        profile = shop.profile()
        assert profile["emailMarketingConsent"] == "subscribed"
        assert len(history(world, profile)) == 1

    def test_only_what_differs_from_what_the_store_gave_last(
        self, world: World, shop: Shop
    ) -> None:
        second = Shop(world, shop.by, world.store(shop.by))
        shop.put("7", email=EMAIL, emailMarketingConsent="subscribed")
        second.put("1", 2, email=EMAIL, emailMarketingConsent="unsubscribed")
        assert shop.profile()["emailMarketingConsent"] == "unsubscribed"
        shop.put("7", 3, email=EMAIL, emailMarketingConsent="subscribed", firstName="Ann")
        profile = shop.profile()
        assert profile["emailMarketingConsent"] == "unsubscribed"
        assert [change.state.value for change in history(world, profile)] == [
            "unsubscribed",
            "subscribed",
        ]

    def test_an_older_word_is_history(self, world: World, shop: Shop) -> None:
        second = Shop(world, shop.by, world.store(shop.by))
        shop.put("7", 5, email=EMAIL, emailMarketingConsent="unsubscribed")
        second.put("1", 2, email=EMAIL, emailMarketingConsent="subscribed")
        profile = shop.profile()
        assert profile["emailMarketingConsent"] == "unsubscribed"
        newest = history(world, profile)[0]
        assert newest.state.value == "subscribed"
        assert {each.skip_reason for each in newest.write_backs} == {"superseded"}

    def test_without_a_consent_time_subscribed_never_overrides(
        self, world: World, shop: Shop
    ) -> None:
        second = Shop(world, shop.by, world.store(shop.by))
        shop.put("7", email=EMAIL, emailMarketingConsent="unsubscribed")
        second.put("1", 9, email=EMAIL, emailMarketingConsent="subscribed")
        assert shop.profile()["emailMarketingConsent"] == "unsubscribed"
        third = Shop(world, shop.by, world.store(shop.by))
        timed = {"emailMarketingConsentUpdatedAt": day(1)}
        third.put("1", 9, email=EMAIL, emailMarketingConsent="subscribed", **timed)
        assert shop.profile()["emailMarketingConsent"] == "subscribed"

    def test_a_time_to_come_counts_as_now(self, world: World, shop: Shop) -> None:
        ahead = clock.to_text(clock.now() + timedelta(days=400))
        before = clock.now()
        timed = {"emailMarketingConsentUpdatedAt": ahead}
        shop.put("7", email=EMAIL, emailMarketingConsent="subscribed", **timed)
        [change] = history(world, shop.profile())
        assert before <= change.occurred_at <= clock.now()

    def test_the_address_of_another_profile_is_asserted_there(
        self, world: World, shop: Shop
    ) -> None:
        shop.put("7", email=EMAIL)
        first = shop.profile()
        shop.put("8", email=EMAIL, emailMarketingConsent="subscribed")
        second = shop.profile(externalId="8", storeId=shop.id)
        assert second["emailMarketingConsent"] == "not_subscribed"
        changed = shop.profile(email=EMAIL)
        assert changed == {**first, "emailMarketingConsent": "subscribed"}
        assert [change.state.value for change in history(world, first)] == ["subscribed"]
        assert history(world, second) == []

    def test_a_new_address_asserts_anew(self, world: World, shop: Shop) -> None:
        shop.put("7", email=EMAIL, emailMarketingConsent="subscribed")
        answer = shop.put("7", 1, email=OTHER)
        assert answer.json["emailMarketingConsent"] == "not_subscribed"
        shop.put("7", 2, email=OTHER, emailMarketingConsent="subscribed")
        profile = shop.profile()
        assert (profile["email"], profile["emailMarketingConsent"]) == (OTHER, "subscribed")
        assert [change.address for change in history(world, profile)] == [OTHER, EMAIL]

    def test_a_profile_that_begins_to_show_an_address_shows_its_state(
        self, world: World, shop: Shop
    ) -> None:
        shop.put("7", email=EMAIL, emailMarketingConsent="subscribed")
        shop.put("7", 1, email=OTHER)
        assert shop.profile()["emailMarketingConsent"] == "not_subscribed"
        by_hand = {"email": EMAIL}
        answer = world.call("POST", "/profiles", token=shop.by.token, json_body=by_hand)
        assert (answer.json["email"], answer.json["emailMarketingConsent"]) == (
            EMAIL,
            "subscribed",
        )
        assert shop.profile(emailMarketingConsent="subscribed")["id"] == answer.json["id"]

    def test_a_state_that_changes_meanwhile_is_shown(self, world: World, shop: Shop) -> None:
        shop.put("7", email=EMAIL)
        shop.put("7", 1, email=OTHER)
        profile = ProfileRepository(workspace_of(world)).get(UUID(shop.profile()["id"]))
        assert profile is not None
        address = Address(Channel.EMAIL, EMAIL)

        def subscribe(changes: Changes) -> None:
            state = ConsentState.SUBSCRIBED
            assert_consent(
                changes, subject_of(profile), address, state, ConsentOrigin(ConsentSource.IMPORT)
            )

        by_hand = {"email": EMAIL}
        with world.meanwhile(subscribe):
            answer = world.call("POST", "/profiles", token=shop.by.token, json_body=by_hand)
        assert (answer.json["email"], answer.json["emailMarketingConsent"]) == (
            EMAIL,
            "subscribed",
        )


class TestDelete:
    """DELETE /stores/{id}/customers/{externalId}."""

    def test_bad_input(self, world: World, shop: Shop) -> None:
        answer = world.call("DELETE", "/stores/7/customers/0", token=shop.by.token)
        assert answer.error_paths() == ["path.id", "path.externalId"]

    def test_unknown(self, world: World, shop: Shop) -> None:
        assert shop.delete("7").problem() == (404, "not_found")

    def test_another_workspaces(self, world: World, shop: Shop) -> None:
        shop.put("7")
        stranger = world.person()
        world.workspace(stranger)
        held = stored(world)
        answer = Shop(world, stranger, shop.id).delete("7")
        assert answer.problem() == (404, "not_found")
        assert stored(world) == held

    def test_marks_it_and_is_repeatable(self, world: World, shop: Shop) -> None:
        shop.put("7", email=EMAIL, firstName="Ann")
        before, profile = clock.now(), shop.profile()
        answer = shop.delete("7")
        assert (answer.status, answer.body) == (204, b"")
        [row] = [row for row in world.rows() if isinstance(row, CustomerItem)]
        assert before <= row.deleted_at <= clock.now()
        assert (row.email, row.first_name) == (EMAIL, "Ann")
        held = stored(world)
        world.advance(hours=1)
        assert shop.delete("7").status == 204
        assert stored(world) == held
        assert shop.profile() == profile

    def test_replay(self, world: World, shop: Shop) -> None:
        shop.put("7")
        first = shop.delete("7", key="k")
        shop.put("7", 1)
        again = shop.delete("7", key="k")
        assert (first.status, again.status) == (204, 204)
        assert again.header("idempotency-replayed") == "true"
        [row] = [row for row in world.rows() if isinstance(row, CustomerItem)]
        assert row.deleted_at is None


def _caller(someone: Someone) -> WorkspaceCaller:
    """The person as services know a caller."""
    person, session = find_person(PersonScope(someone.id)), find_token(digest(someone.token))
    assert person is not None
    assert isinstance(session, SessionItem)
    return person_in_workspace(SignedInPerson(person, as_session(session), someone.token))
