"""GET /profiles, against a plain filter and sort of all profiles."""

import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from storepost.people.consent.states import ConsentState
from storepost.people.profiles.model import Identity, IdentityType, Profile, StoreLink
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.resolution import look_up
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.counted_tree import scanning
from storepost.values import clock, pagination
from storepost.values.ids import new_id
from storepost.values.scope import WorkspaceScope
from tests.harness.world import CANARY, Someone, World

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
NAMES = {"ann": "ann", "Ann Lee": "ann lee", "ÄNN": "ann", "Bob": "bob", "Zoë": "zoe", None: None}
LOCALES = (None, "de-AT", "en")
STORES = (UUID(int=11), UUID(int=12), UUID(int=13))

type Expected = Callable[[Profile], bool]


def crowd(workspace: WorkspaceScope, number: int = 60) -> list[Profile]:
    """So many people, alike in parts: some have the same first-seen time."""
    chance = random.Random(7)
    people = []
    for each in range(number):
        first = BEGIN + DAY * chance.randrange(10)
        email = f"P{each:02}.{CANARY}@example.com".lower() if chance.random() < 0.7 else None
        known_by = chance.sample(STORES[:2], chance.randrange(3))
        people.append(
            Profile(
                id=new_id(),
                workspace=workspace,
                first_seen_at=first,
                last_seen_at=first + DAY * chance.randrange(5),
                first_name=chance.choice(list(NAMES)),
                email=email,
                phone=f"+4366412345{each:02}",
                locale=chance.choice(LOCALES),
                email_consent=chance.choice(list(ConsentState)),
                sms_consent=chance.choice(list(ConsentState)),
                links={store: StoreLink(customers=1) for store in known_by},
            )
        )
    return people


def store_all(people: list[Profile]) -> None:
    """Saves each with the claims of its identities, two emails for those that have one."""
    for person in people:
        identities = [Identity(IdentityType.PHONE, person.phone or "")]
        if person.email:
            identities.append(Identity(IdentityType.EMAIL, person.email))
            identities.append(Identity(IdentityType.EMAIL, f"old.{person.email}"))
        for store in person.links:
            kind = IdentityType.PLATFORM_CUSTOMER_ID
            identities.append(Identity(kind, f"c{person.phone}", store))
        repository, changes = ProfileRepository(person.workspace), Changes()
        after = person.identified(dict.fromkeys(identities, (person.first_seen_at,)))
        repository.save(changes, None, after)
        known = look_up(repository, identities)
        repository.claim(changes, after, known.claims, identities)
        changes.commit()


class Crowd:
    """A world of sixty people and a caller who lists them."""

    def __init__(self) -> None:
        self.world = World()
        self.owner: Someone = self.world.person()
        self.workspace = self.world.workspace(self.owner)
        self.people = crowd(self.workspace)
        store_all(self.people)
        other = self.world.workspace(self.world.person())
        store_all(crowd(other, 3))

    def listed(self, **query: object) -> tuple[list[str], int]:
        """All pages' ids and the total that every page says."""
        found: list[str] = []
        totals = set()
        for page in range(1, 5):
            params = {**query, "page": page, "pageSize": 25}
            answer = self.owner.call("GET", "/profiles", query=params)
            assert answer.status == 200, answer.body
            body = answer.json
            assert (body["page"], body["pageSize"]) == (page, 25)
            assert len(body["items"]) <= 25
            found += [row["id"] for row in body["items"]]
            totals.add(body["total"])
            if len(found) >= body["total"]:
                break
        [total] = totals
        return found, total

    def expected(self, keeps: Expected, sort: str) -> list[str]:
        """The result of a plain filter and sort; `-` reverses the whole order."""
        keys: dict[str, Callable[[Profile], Any]] = {
            "firstSeenAt": lambda p: (False, p.first_seen_at, p.id),
            "name": lambda p: (p.name is None, NAMES[p.first_name] or "", p.id),
            "email": lambda p: (p.email is None, p.email or "", p.id),
        }
        rows = sorted(
            filter(keeps, self.people),
            key=keys[sort.removeprefix("-")],
            reverse=sort.startswith("-"),
        )
        return [str(p.id) for p in rows]


@pytest.fixture(scope="module")
def sixty() -> Iterator[Crowd]:
    """Made once, as the tests only read; tests with an own world, which they empty, come first."""
    made = Crowd()
    yield made
    made.world.close()


def _at(day: int) -> str:
    return clock.to_text(BEGIN + DAY * day)


FILTERS: list[tuple[dict[str, object], Expected]] = [
    ({}, lambda p: True),
    ({"isCustomer": "true"}, lambda p: bool(p.links)),
    ({"isCustomer": "false"}, lambda p: not p.links),
    ({"emailMarketingConsent": "pending"}, lambda p: p.email_consent == "pending"),
    (
        {"emailMarketingConsent": "subscribed,unsubscribed"},
        lambda p: p.email_consent in {"subscribed", "unsubscribed"},
    ),
    ({"smsMarketingConsent": "not_subscribed"}, lambda p: p.sms_consent == "not_subscribed"),
    (
        {"smsMarketingConsent": "subscribed,pending", "isCustomer": "true"},
        lambda p: p.sms_consent in {"subscribed", "pending"} and bool(p.links),
    ),
    (
        {"emailMarketingConsent": "subscribed", "smsMarketingConsent": "subscribed"},
        lambda p: p.email_consent == p.sms_consent == "subscribed",
    ),
    ({"storeId": STORES[0]}, lambda p: STORES[0] in p.links),
    ({"storeId": STORES[2]}, lambda p: False),
    (
        {"storeId": STORES[1], "emailMarketingConsent": "pending,subscribed"},
        lambda p: STORES[1] in p.links and p.email_consent in {"pending", "subscribed"},
    ),
    (
        {"storeId": STORES[1], "smsMarketingConsent": "pending", "isCustomer": "true"},
        lambda p: STORES[1] in p.links and p.sms_consent == "pending",
    ),
    ({"locale": "de-at"}, lambda p: p.locale == "de-AT"),
    ({"locale": "fr"}, lambda p: False),
    (
        {"locale": "en", "isCustomer": "true", "storeId": STORES[0]},
        lambda p: p.locale == "en" and STORES[0] in p.links,
    ),
    ({"firstSeenFrom": _at(3)}, lambda p: p.first_seen_at >= BEGIN + 3 * DAY),
    ({"firstSeenTo": _at(3)}, lambda p: p.first_seen_at < BEGIN + 3 * DAY),
    (
        {"firstSeenFrom": _at(2), "firstSeenTo": _at(6)},
        lambda p: BEGIN + 2 * DAY <= p.first_seen_at < BEGIN + 6 * DAY,
    ),
    ({"firstSeenFrom": _at(6), "firstSeenTo": _at(6)}, lambda p: False),
    (
        {"firstSeenFrom": _at(2), "firstSeenTo": _at(8), "isCustomer": "true"},
        lambda p: BEGIN + 2 * DAY <= p.first_seen_at < BEGIN + 8 * DAY and bool(p.links),
    ),
    (
        {"firstSeenFrom": _at(4), "storeId": STORES[0]},
        lambda p: p.first_seen_at >= BEGIN + 4 * DAY and STORES[0] in p.links,
    ),
    ({"lastSeenFrom": _at(8)}, lambda p: p.last_seen_at >= BEGIN + 8 * DAY),
    (
        {"lastSeenFrom": _at(4), "lastSeenTo": _at(9), "firstSeenTo": _at(7)},
        lambda p: (
            BEGIN + 4 * DAY <= p.last_seen_at < BEGIN + 9 * DAY
            and p.first_seen_at < BEGIN + 7 * DAY
        ),
    ),
]
SORTS = ["-firstSeenAt", "firstSeenAt", "name", "-name", "email", "-email"]


class TestList:
    """GET /profiles."""

    def test_empty_workspace(self, world: World) -> None:
        owner = world.person()
        world.workspace(owner)
        for query in ({}, {"sort": "name"}, {"locale": "de"}, {"email": f"x{CANARY}@example.com"}):
            answer = owner.call("GET", "/profiles", query=query)
            assert answer.json == {"items": [], "total": 0, "page": 1, "pageSize": 25}

    @pytest.mark.parametrize("sort", SORTS)
    @pytest.mark.parametrize(("query", "keeps"), FILTERS, ids=[str(q) for q, _ in FILTERS])
    def test_every_filter_with_every_sort(
        self, sixty: Crowd, query: dict[str, object], keeps: Expected, sort: str
    ) -> None:
        expected = sixty.expected(keeps, sort)
        assert sixty.listed(**query, sort=sort) == (expected, len(expected))

    def test_newest_first_by_default(self, sixty: Crowd) -> None:
        expected = sixty.expected(lambda p: True, "-firstSeenAt")
        assert sixty.listed() == (expected, 60)

    def test_filter_by_any_identity_shown_or_not(self, sixty: Crowd) -> None:
        for person in sixty.people[:12]:
            store = next(iter(person.links), None)
            by_phone = {"phone": person.phone}
            assert sixty.listed(**by_phone) == ([str(person.id)], 1)
            if person.email:
                assert sixty.listed(email=person.email.upper()) == ([str(person.id)], 1)
                both = {"email": f"old.{person.email}", **by_phone}
                assert sixty.listed(**both) == ([str(person.id)], 1)
            if store:
                by_customer = {"externalId": f"c{person.phone}", "storeId": store}
                assert sixty.listed(**by_customer) == ([str(person.id)], 1)
                assert sixty.listed(**{**by_customer, "storeId": uuid4()}) == ([], 0)
            locale = "de" if person.locale != "de" else "fr"
            assert sixty.listed(**by_phone, locale=locale) == ([], 0)
            customer = str(not person.links).lower()
            assert sixty.listed(**by_phone, isCustomer=customer) == ([], 0)

    def test_filter_by_identities_of_two_profiles_finds_none(self, sixty: Crowd) -> None:
        first, second = [p for p in sixty.people if p.email][:2]
        assert sixty.listed(email=first.email, phone=second.phone) == ([], 0)
        assert sixty.listed(email=first.email, phone="+436649999999") == ([], 0)

    def test_complete_summary(self, sixty: Crowd) -> None:
        person = next(p for p in sixty.people if len(p.links) == 2 and p.email)
        answer = sixty.owner.call("GET", "/profiles", query={"email": person.email})
        assert answer.json == {
            "items": [
                {
                    "id": str(person.id),
                    "name": person.first_name,
                    "email": person.email,
                    "phone": person.phone,
                    "locale": person.locale,
                    "storeIds": sorted(map(str, person.links)),
                    "isCustomer": True,
                    "emailMarketingConsent": person.email_consent,
                    "smsMarketingConsent": person.sms_consent,
                    "firstSeenAt": clock.to_text(person.first_seen_at),
                    "lastSeenAt": clock.to_text(person.last_seen_at),
                }
            ],
            "total": 1,
            "page": 1,
            "pageSize": 25,
        }

    def test_page_past_the_end(self, sixty: Crowd) -> None:
        answer = sixty.owner.call("GET", "/profiles", query={"page": 99, "pageSize": 100})
        assert answer.json == {"items": [], "total": 60, "page": 99, "pageSize": 100}

    @pytest.mark.parametrize(
        ("query", "advised"),
        [
            ({"locale": "en"}, "query.firstSeenFrom"),
            ({"sort": "name", "storeId": STORES[0]}, "query.firstSeenFrom"),
            ({"locale": "en", "firstSeenFrom": _at(0)}, "query.firstSeenTo"),
        ],
    )
    def test_too_broad_filter_is_refused(
        self,
        sixty: Crowd,
        monkeypatch: pytest.MonkeyPatch,
        query: dict[str, object],
        advised: str,
    ) -> None:
        monkeypatch.setattr(scanning, "MAX_ROWS", 5)
        answer = sixty.owner.call("GET", "/profiles", query=query)
        assert answer.problem() == (422, "filter_too_broad")
        assert [error["path"] for error in answer.json["errors"]] == [advised]
        narrow = {**query, "firstSeenFrom": _at(0), "firstSeenTo": _at(0)}
        assert sixty.listed(**narrow) == ([], 0)

    def test_counted_filters_are_never_too_broad(
        self, sixty: Crowd, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(scanning, "MAX_ROWS", 5)
        everybody: Expected = lambda p: True  # noqa: E731 - as in the table of filters
        counted: list[tuple[dict[str, object], str, Expected]] = [
            ({}, "name", everybody),
            ({}, "-email", everybody),
            ({"isCustomer": "true"}, "firstSeenAt", lambda p: bool(p.links)),
            ({"firstSeenFrom": _at(1)}, "firstSeenAt", lambda p: p.first_seen_at >= BEGIN + DAY),
            ({"storeId": STORES[0]}, "-firstSeenAt", lambda p: STORES[0] in p.links),
        ]
        for query, sort, keeps in counted:
            expected = sixty.expected(keeps, sort)
            assert sixty.listed(**query, sort=sort) == (expected, len(expected))
        assert pagination.MAX_ROWS == 20_000
