"""Customers of custom stores: putting and deleting them."""

from dataclasses import replace
from urllib.parse import quote
from uuid import UUID

import pytest

from storepost.people.customers.model import IncomingCustomer, customer_id
from storepost.people.customers.repository import CustomerItem
from storepost.people.customers.service import put_customer
from storepost.people.profiles.repository import ProfileRepository
from storepost.platform.persistence.changes import Changes
from storepost.stores.stores.model import Platform
from storepost.stores.stores.repository import StoreRepository
from storepost.values import clock
from tests.harness.world import CANARY, Someone, World
from tests.people.customers.shop import (
    ADMIN,
    CREATED,
    EMAIL,
    OTHER,
    PHONE,
    Shop,
    as_caller,
    day,
    history,
    stored,
    workspace_of,
)
from tests.people.profiles.rows import claims


class TestPut:
    """PUT /stores/{id}/customers/{externalId}."""

    @pytest.mark.parametrize(
        ("fields", "paths"),
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
        self, world: World, shop: Shop, fields: dict[str, object], paths: list[str]
    ) -> None:
        assert shop.put("7", **fields).error_paths() == paths
        assert stored(world) == []

    def test_required_fields(self, shop: Shop) -> None:
        answer = shop.by.call("PUT", f"/stores/{shop.id}/customers/7", {})
        assert answer.error_paths() == ["/externalCreatedAt", "/externalUpdatedAt"]

    @pytest.mark.parametrize("external_id", ["0", "null", "-1", "x" * 256])
    def test_placeholder_ids_are_refused(self, shop: Shop, external_id: str) -> None:
        assert shop.put(external_id).error_paths() == ["path.externalId"]

    def test_platform_managed_store_is_refused(self, world: World, shop: Shop) -> None:
        repository, changes = StoreRepository(workspace_of(world)), Changes()
        store = repository.get(UUID(shop.id))
        assert store is not None
        repository.save(changes, replace(store, platform=Platform.SHOPIFY))
        changes.commit()
        for answer in (shop.put("7"), shop.delete("7")):
            assert answer.problem() == (409, "store_managed_by_platform")

    def test_disconnected_store_is_refused(self, shop: Shop) -> None:
        shop.put("7")
        shop.by.call("POST", f"/stores/{shop.id}/disconnect")
        for answer in (shop.put("7"), shop.delete("7")):
            assert answer.problem() == (409, "store_disconnected")

    def test_creates_customer_and_profile(self, world: World, shop: Shop) -> None:
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
        assert {name.partition("#")[0]: claim for name, claim in claims(world).items()} == {
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

    def test_placeholder_values_become_null(self, shop: Shop) -> None:
        answer = shop.put(
            "7", email="", phone="null", firstName=" ", lastName="", locale="", adminUrl=None
        )
        assert answer.status == 201
        fields = ("email", "phone", "firstName", "lastName", "locale", "adminUrl")
        assert [answer.json[name] for name in fields] == [None] * 5 + [ADMIN]
        profile = shop.profile()
        assert (profile["name"], profile["email"], profile["locale"]) == (None, None, None)

    def test_invisible_characters_are_removed_from_names(self, shop: Shop) -> None:
        written = {"firstName": "An\u202en\x00", "lastName": "\u2067Lee\u2069\r\n"}
        answer = shop.put("7", **written)
        assert (answer.json["firstName"], answer.json["lastName"]) == ("Ann", "Lee")
        assert shop.profile()["name"] == "Ann Lee"
        assert shop.put("8", firstName="\u200e", lastName="\ufeff").json["firstName"] is None
        response = shop.by.call("POST", "/profiles", {"phone": PHONE, **written})
        assert response.json["name"] == "Ann Lee"

    def test_second_put_updates_customer_and_profile(self, world: World, shop: Shop) -> None:
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

    def test_repeated_put_writes_nothing(self, world: World, shop: Shop) -> None:
        fields: dict[str, object] = {"email": EMAIL, "phone": PHONE, "firstName": "Ann"}
        fields |= {"emailMarketingConsent": "subscribed", "locale": "de"}
        first, rows_before = shop.put("7", **fields), stored(world)
        again = shop.put("7", **fields)
        assert (again.status, again.json) == (200, first.json)
        assert stored(world) == rows_before

    def test_older_update_is_stale_and_equal_is_accepted(self, world: World, shop: Shop) -> None:
        shop.put("7", 5, firstName="Ann")
        rows_before = stored(world)
        assert shop.put("7", 4, firstName="Old").problem() == (409, "stale_update")
        assert stored(world) == rows_before
        answer = shop.put("7", 5, firstName="Anna", locale="de")
        assert (answer.status, answer.json["firstName"]) == (200, "Anna")
        assert shop.profile()["name"] == "Anna"
        shop.put("7", 5, firstName="Anna", locale="fr")
        assert shop.profile()["locale"] == "fr"

    def test_newer_put_restores_deleted_customer(self, world: World, shop: Shop) -> None:
        made = shop.put("7", 5, email=EMAIL)
        shop.delete("7")
        rows_before = stored(world)
        for updated in (4, 5):
            assert shop.put("7", updated, email=EMAIL).problem() == (409, "stale_update")
        assert stored(world) == rows_before
        answer = shop.put("7", 6, email=EMAIL)
        assert (answer.status, answer.json) == (
            200,
            {**made.json, "externalUpdatedAt": day(6), "deletedAt": None},
        )
        assert len(shop.profiles()) == 1

    def test_customer_is_matched_to_profile_by_email(self, world: World, shop: Shop) -> None:
        made = shop.by.call(
            "POST", "/profiles", {"email": EMAIL, "firstName": "Mine", "locale": "it"}
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

    def test_two_customers_of_one_store_are_two_profiles(self, world: World, shop: Shop) -> None:
        shop.put("7", email=EMAIL, phone=PHONE)
        shop.put("8", email=EMAIL, phone="+14155550124", firstName="Second")
        first = shop.profile(externalId="7", storeId=shop.id)
        second = shop.profile(externalId="8", storeId=shop.id)
        assert first["id"] != second["id"]
        assert (first["email"], first["phone"]) == (EMAIL, PHONE)
        assert (second["email"], second["phone"]) == (None, "+14155550124")
        rows_before = stored(world)
        shop.put("8", email=EMAIL, phone="+14155550124", firstName="Second")
        assert stored(world) == rows_before

    def test_deleted_customer_does_not_prevent_match(self, shop: Shop) -> None:
        shop.put("7", email=EMAIL)
        first = shop.profile()
        shop.delete("7")
        shop.put("8", 1, email=EMAIL)
        assert shop.profile(externalId="8", storeId=shop.id)["id"] == first["id"]
        shop.put("7", 2, email=EMAIL)
        shop.put("9", 3, email=EMAIL)
        assert len(shop.profiles()) == 2

    def test_phone_of_profile_with_other_email_is_dropped(self, shop: Shop) -> None:
        shop.put("7", email=EMAIL, phone=PHONE)
        shop.put("8", email=OTHER, phone=PHONE)
        assert {p["email"]: p["phone"] for p in shop.profiles()} == {EMAIL: PHONE, OTHER: None}

    def test_changed_address_replaces_shown_one(self, shop: Shop) -> None:
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

    def test_address_of_other_profile_is_not_moved(self, shop: Shop) -> None:
        shop.put("7", email=EMAIL)
        shop.put("8", email=OTHER)
        assert shop.put("8", 1, email=EMAIL).json["email"] == EMAIL
        assert shop.profile(email=EMAIL) == shop.profile(externalId="7", storeId=shop.id)
        assert shop.profile(externalId="8", storeId=shop.id)["email"] == OTHER

    def test_name_from_customer_follows_customer_updates(self, shop: Shop) -> None:
        shop.put("7", email=EMAIL, firstName="Ann", lastName="Lee")
        shop.put("7", 1, email=EMAIL, firstName="Anna")
        assert shop.profile()["name"] == "Anna"
        payload = {"email": EMAIL, "firstName": "By hand"}
        shop.by.call("POST", "/profiles", payload)
        shop.put("7", 2, email=EMAIL, firstName="Annie", lastName="Lee")
        assert shop.profile()["name"] == "By hand Lee"

    def test_concurrent_puts_create_one_profile(
        self, world: World, shop: Shop, owner: Someone
    ) -> None:
        workspace = workspace_of(world)
        incoming = IncomingCustomer(clock.from_text(CREATED), clock.from_text(day(0)), email=EMAIL)
        second = world.store(shop.by)

        def rival(changes: Changes) -> None:
            caller = as_caller(owner)
            put_customer(caller, UUID(second), "1", lambda _store: incoming, changes)

        with world.meanwhile(rival):
            assert shop.put("7", email=EMAIL).status == 201
        profile = shop.profile()
        assert profile["storeIds"] == sorted([shop.id, second])
        assert ProfileRepository(workspace).get(UUID(profile["id"])) is not None


class TestDelete:
    """DELETE /stores/{id}/customers/{externalId}."""

    def test_bad_input(self, shop: Shop) -> None:
        answer = shop.by.call("DELETE", "/stores/7/customers/0")
        assert answer.error_paths() == ["path.id", "path.externalId"]

    def test_unknown_id_is_not_found(self, world: World, shop: Shop) -> None:
        assert shop.delete("7").problem() == (404, "not_found")

    def test_marks_customer_as_deleted_and_is_idempotent(self, world: World, shop: Shop) -> None:
        shop.put("7", email=EMAIL, firstName="Ann")
        before, profile = clock.now(), shop.profile()
        answer = shop.delete("7")
        assert (answer.status, answer.body) == (204, b"")
        [row] = [row for row in world.rows() if isinstance(row, CustomerItem)]
        assert before <= row.deleted_at <= clock.now()
        assert (row.email, row.first_name) == (EMAIL, "Ann")
        rows_before = stored(world)
        world.advance(hours=1)
        assert shop.delete("7").status == 204
        assert stored(world) == rows_before
        assert shop.profile() == profile
