"""The list of a profile's consent changes, and one of them."""

from functools import partial
from typing import Any
from unittest import mock

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.people.consent.items import ConsentChangeItem
from storepost.people.consent.model import Address, ConsentOrigin, ConsentSource, Subject
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.consent_changes import listing
from storepost.people.profiles.model import Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.platform.persistence.changes import Changes
from tests.people.consent.asserting import assert_consent
from tests.people.consent.listening_store import EMAIL, PHONE, Shop
from tests.people.consent.paths import path_of


def statement(
    shop: Shop,
    profile: Profile,
    state: ConsentState,
    *,
    channel: Channel = Channel.EMAIL,
    source: ConsentSource = ConsentSource.IMPORT,
) -> None:
    """A statement about the person by another way than the API."""
    value = profile.email if channel is Channel.EMAIL else profile.phone
    assert value is not None
    changes = Changes()
    subject = Subject(shop.workspace, profile.id, ())
    assert_consent(changes, subject, Address(channel, value), state, ConsentOrigin(source))
    before = shop.profile(profile.id)
    ProfileRepository(shop.workspace).save(changes, before, before)
    changes.commit()


class TestList:
    """GET /profiles/{id}/consent."""

    def test_empty_history(self, shop: Shop) -> None:
        key = shop.world.api_key(shop.workspace, KeyScope.READ, shop.owner)
        answer = shop.world.call("GET", path_of(shop.person()), token=key)
        assert answer.status == 200
        assert answer.json == {"items": [], "total": 0, "page": 1, "pageSize": 25}

    def test_newest_first_with_pagination(self, shop: Shop) -> None:
        profile = shop.person()
        for number in range(12):
            shop.change(profile, ["subscribed", "unsubscribed"][number % 2])
        shop.world.advance(seconds=1)
        last = shop.change(profile, "subscribed")

        def page(number: int) -> Any:
            return shop.owner.call(
                "GET", path_of(profile), query={"page": number, "pageSize": 10}
            ).json

        first, second, past = page(1), page(2), page(3)
        assert first["items"][0] == last
        rows = first["items"] + second["items"]
        assert [len(first["items"]), len(second["items"]), past["items"]] == [10, 3, []]
        assert [p["total"] for p in (first, second, past)] == [13] * 3
        recorded = [row["recordedAt"] for row in rows]
        assert recorded == sorted(recorded, reverse=True)

    def test_page_reads_only_its_rows(self, shop: Shop) -> None:
        """The profile counts the total."""
        profile = shop.person()
        for number in range(15):
            shop.change(profile, ["subscribed", "unsubscribed"][number % 2])
        read, plain = list[object](), ConsentChangeItem.from_raw_data

        def counted(raw: Any) -> ConsentChangeItem:
            read.append(raw)
            return plain(raw)

        query = {"page": 1, "pageSize": 10}
        with mock.patch.object(ConsentChangeItem, "from_raw_data", counted):
            answer = shop.owner.call("GET", path_of(profile), query=query)
        assert (len(answer.json["items"]), answer.json["total"], len(read)) == (10, 15, 10)

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ({"channel": "sms"}, ["sms pending import"]),
            (
                {"state": "unsubscribed,pending"},
                ["sms pending import", "email unsubscribed manual"],
            ),
            ({"source": "one_click,import"}, ["sms pending import", "email subscribed one_click"]),
            ({"channel": "email", "state": "pending"}, []),
            (
                {"channel": "email,sms"},
                [
                    "sms pending import",
                    "email unsubscribed manual",
                    "email subscribed one_click",
                ],
            ),
        ],
    )
    def test_filters(self, shop: Shop, query: dict[str, object], expected: list[str]) -> None:
        profile = shop.person()
        statement(shop, profile, ConsentState.SUBSCRIBED, source=ConsentSource.ONE_CLICK)
        shop.world.advance(seconds=1)
        shop.change(profile, "unsubscribed")
        shop.world.advance(seconds=1)
        statement(shop, profile, ConsentState.PENDING, channel=Channel.SMS)
        body = shop.owner.call("GET", path_of(profile), query=query).json
        rows = [f"{row['channel']} {row['state']} {row['source']}" for row in body["items"]]
        assert rows == expected
        assert body["total"] == len(expected)
        assert {row["address"] for row in body["items"]} <= {EMAIL, PHONE}

    def test_too_broad_filter_is_refused(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        """A filter looks at each row; without one, all changes can be read page by page."""
        monkeypatch.setattr(listing, "MAX_ROWS", 2)
        profile = shop.person()
        for state in (ConsentState.SUBSCRIBED, ConsentState.UNSUBSCRIBED, ConsentState.PENDING):
            statement(shop, profile, state)
            shop.world.advance(seconds=1)
        read = partial(shop.world.call, "GET", path_of(profile), token=shop.owner.token)
        for query in ({"channel": "sms"}, {"state": "pending"}, {"source": "api"}):
            broad = read(query=query)
            assert broad.problem() == (422, "filter_too_broad")
            [error] = broad.json["errors"]
            assert [error["path"]] == [f"query.{name}" for name in query]
            assert "without any filter" in error["message"]
        assert read().json["total"] == 3


class TestGet:
    """GET /profiles/{id}/consent/{changeId}."""

    def test_another_profiles_change_is_not_found(self, shop: Shop) -> None:
        body = shop.change(shop.person(), "subscribed")
        answer = shop.owner.call("GET", path_of(shop.person(), body["id"]))
        assert answer.problem() == (404, "not_found")
