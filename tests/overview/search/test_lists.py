"""`q` of the large lists: found by the postings, filtered and sorted as the list is."""

from collections.abc import Iterator
from random import Random
from typing import Any
from uuid import UUID

import pytest

from storepost.platform.postings import listing
from storepost.platform.postings.entries import Posting, SearchKind
from storepost.values import clock
from storepost.values.pagination import MAX_ROWS, FilterTooBroad
from storepost.values.text import SearchTerm, matches
from tests.harness.world import World
from tests.people.matching.scenario import ANN, BOB, CAT, PHONE, Scenario


@pytest.fixture
def scenario(world: World) -> Scenario:
    """A workspace."""
    return Scenario(world)


def named(scenario: Scenario, path: str, field: str, **query: object) -> list[str]:
    """The items of the list's only page, once the stream delivered all writes."""
    scenario.world.deliver()
    return scenario.ids(path, field, **query)


class TestProfiles:
    """GET /profiles?q."""

    @pytest.fixture
    def people(self, scenario: Scenario) -> Scenario:
        """Three of them."""
        store = scenario.store()
        for number, (email, first, last) in enumerate(
            ((ANN, "Ann", "Lee"), (BOB, "Anna", "Lind"), (CAT, "Lee", "Ångström"))
        ):
            scenario.customer(
                store, f"c{number}", number, email=email, firstName=first, lastName=last
            )
        return scenario

    @pytest.mark.parametrize(
        ("q", "names"),
        [
            ("ann", ["Ann Lee", "Anna Lind"]),
            ("LEE", ["Ann Lee", "Lee Ångström"]),
            ("lee an", ["Ann Lee", "Lee Ångström"]),
            ("angstrom", ["Lee Ångström"]),
            (BOB, ["Anna Lind"]),
            (f"Lind <{BOB}>", ["Anna Lind"]),
            ("lee lee", ["Ann Lee", "Lee Ångström"]),
            ("nothing", []),
            ("-", []),
        ],
    )
    def test_found_by_words(self, people: Scenario, q: str, names: list[str]) -> None:
        assert sorted(named(people, "/profiles", "name", q=q)) == names

    def test_sorted(self, people: Scenario) -> None:
        for sort, names in (
            ("firstSeenAt", ["Ann Lee", "Anna Lind", "Lee Ångström"]),
            ("-firstSeenAt", ["Lee Ångström", "Anna Lind", "Ann Lee"]),
            ("name", ["Ann Lee", "Anna Lind", "Lee Ångström"]),
            ("-email", sorted((ANN, BOB, CAT), reverse=True)),
        ):
            field = sort.lstrip("-") if "Seen" not in sort else "name"
            assert named(people, "/profiles", field, q="l", sort=sort) == names

    def test_with_other_filters(self, people: Scenario) -> None:
        ann = people.find_profile(email=ANN)["id"]
        people.consent(ann, "subscribed")
        found = named(people, "/profiles", "name", q="ann", emailMarketingConsent="subscribed")
        assert found == ["Ann Lee"]
        assert named(people, "/profiles", "name", q="lind", email=ANN) == []
        assert named(people, "/profiles", "name", q="lee", email=ANN) == ["Ann Lee"]

    def test_pages(self, people: Scenario) -> None:
        store = people.store("Outlet")
        for number in range(11):
            people.customer(store, f"x{number}", number, firstName="Quill", email=f"{number}@x.com")
        people.world.deliver()
        page = people.get("/profiles", q="quill", pageSize=10, page=2)
        assert (len(page["items"]), page["total"]) == (1, 11)

    def test_filter_too_broad(self, people: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
        people.world.deliver()
        monkeypatch.setattr(listing, "MAX_ROWS", 1)
        monkeypatch.setattr(listing, "_STRIDE", 2)
        answer = people.call("GET", "/profiles", query={"q": "l"})
        assert answer.problem() == (422, "filter_too_broad")
        assert [error["path"] for error in answer.json["errors"]] == ["query.q"]
        assert named(people, "/profiles", "name", q="l angstrom") == ["Lee Ångström"]

    def test_many_words_read_few_postings(
        self, scenario: Scenario, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        read: list[str] = []

        def endless(_postings: object, term: SearchTerm) -> Iterator[Posting]:
            while True:
                read.append(term[0])
                yield Posting(term[0], UUID(int=1), clock.now(), "text", is_exact=False)

        monkeypatch.setattr(listing, "beginning", endless)
        letters = "abcdefghijklmnopqrstuvwxyz0123456789"
        words = [*letters, *(f"a{letter}" for letter in letters[:20])]
        with pytest.raises(FilterTooBroad):
            listing.found_by(scenario.workspace, SearchKind.PROFILE, " ".join(words))
        assert len(read) < 8 * MAX_ROWS
        assert read.count("aa") > MAX_ROWS  # a long word is read to its end


class TestOrders:
    """GET /orders?q."""

    @pytest.fixture
    def orders(self, scenario: Scenario) -> tuple[Scenario, str]:
        """Twelve, and the store that has them."""
        store = scenario.store()
        for number in range(12):
            buyer: Any = {"externalId": "ann", "email": ANN, "phone": PHONE} if number % 2 else None
            scenario.order(store, f"o{number}", number, number=f"#10{number:02}", buyer=buyer)
        scenario.order(scenario.store("Outlet"), "x", number="#2000")
        return scenario, store

    def test_found_by_beginning_of_number(self, orders: tuple[Scenario, str]) -> None:
        scenario, _ = orders
        assert named(scenario, "/orders", "number", q="101") == ["#1011", "#1010"]
        assert named(scenario, "/orders", "number", q="#1003") == ["#1003"]
        assert named(scenario, "/orders", "number", q="10", sort="placedAt")[0] == "#1000"
        assert named(scenario, "/orders", "number", q="011") == []

    def test_with_other_filters(self, orders: tuple[Scenario, str]) -> None:
        scenario, store = orders
        person = scenario.find_profile(email=ANN)["id"]
        found = named(scenario, "/orders", "number", q="100", profileId=person)
        assert found == ["#1009", "#1007", "#1005", "#1003", "#1001"]
        assert named(scenario, "/orders", "number", q="1", storeId=store, externalId="o4") == [
            "#1004"
        ]
        assert named(scenario, "/orders", "number", q="2", storeId=store) == []
        assert named(scenario, "/orders", "number", q="10", financialStatus="voided") == []

    def test_pages(self, orders: tuple[Scenario, str]) -> None:
        scenario, _ = orders
        scenario.world.deliver()
        page = scenario.get("/orders", q="10", pageSize=10, page=2)
        assert [row["number"] for row in page["items"]] == ["#1001", "#1000"]
        assert page["total"] == 12


class TestProducts:
    """GET /products?q."""

    WORDS = ("Tee", "Tea", "Grün", "grüner", "Thé", "vert", "No-42", "X1")

    def test_results_match_model(self, scenario: Scenario) -> None:
        """Queries of random words find words of every locale, type, vendor and tag."""
        store, random = scenario.store(), Random(7)
        stored: dict[str, list[str]] = {}
        for number in range(30):
            texts = [" ".join(random.choices(self.WORDS, k=2)) for _ in range(5)]
            german, french, vendor, kind, tag = texts
            body: dict[str, Any] = {
                "updatedAt": "2026-01-02T03:04:05Z",
                "status": "active",
                "locales": [
                    {"locale": "en", "title": german},
                    {"locale": "fr", "title": french},
                ],
                "vendor": vendor,
                "productType": kind,
                "tags": [tag],
                "variants": [],
            }
            assert scenario.call("PUT", f"/stores/{store}/products/p{number}", body).status == 201
            stored[f"p{number}"] = [*texts, f"p{number}"]
            scenario.world.advance(seconds=1)
        queries = ["tee", "the v", "gru no", "42 x", "p1", "p29", "grun grun grun", "-", "vert zzz"]
        queries += [
            " ".join(word[: random.randint(1, 3)] for word in random.sample(self.WORDS, 2))
            for _ in range(12)
        ]
        answered = 0
        scenario.world.deliver()
        for q in queries:
            expected = [each for each, texts in stored.items() if matches(q, *texts)]
            answered += bool(expected)
            for query in ({"sort": "addedAt"}, {"sort": "addedAt", "published": "true"}):
                page = scenario.get("/products", q=q, pageSize=100, **query)
                assert [row["externalId"] for row in page["items"]] == expected
                assert page["total"] == len(expected)
        assert answered > len(queries) // 2

    @pytest.mark.parametrize("q", ["tea", "green tea", "green\ntea", "te gr"])
    def test_title_of_two_lines(self, scenario: Scenario, q: str) -> None:
        store = scenario.store()
        body = {
            "updatedAt": "2026-01-02T03:04:05Z",
            "status": "active",
            "locales": [{"locale": "en", "title": "Green\nTea"}],
            "variants": [],
        }
        answer = scenario.call("PUT", f"/stores/{store}/products/p1", body)
        assert answer.status == 201
        scenario.world.deliver()
        assert scenario.get("/products", q=q)["total"] == 1
        assert scenario.get("/products", q="greentea")["total"] == 0
        [group] = scenario.get("/search", q=q)["groups"]
        assert [found["id"] for found in group["items"]] == [answer.json["id"]]

    def test_pages(self, scenario: Scenario) -> None:
        store = scenario.store()
        for number in range(11):
            body = {
                "updatedAt": "2026-01-02T03:04:05Z",
                "status": "active",
                "locales": [{"locale": "en", "title": f"Cup {number}"}],
                "variants": [],
            }
            scenario.call("PUT", f"/stores/{store}/products/p{number}", body)
            scenario.world.advance(seconds=1)
        scenario.world.deliver()
        page = scenario.get("/products", q="cup", pageSize=10, page=2)
        assert [row["externalId"] for row in page["items"]] == ["p0"]
        assert page["total"] == 11

    def test_filter_too_broad(self, scenario: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
        store = scenario.store()
        body = {
            "updatedAt": "2026-01-02T03:04:05Z",
            "status": "active",
            "locales": [{"locale": "en", "title": "Cup cups"}],
            "variants": [],
        }
        scenario.call("PUT", f"/stores/{store}/products/p", body)
        scenario.world.deliver()
        monkeypatch.setattr(listing, "MAX_ROWS", 1)
        monkeypatch.setattr(listing, "_STRIDE", 2)
        for query in ({"q": "cup"}, {"q": "cup", "storeId": store}):
            answer = scenario.call("GET", "/products", query=query)
            assert answer.problem() == (422, "filter_too_broad")
            assert [error["path"] for error in answer.json["errors"]] == ["query.q"]
