"""A store's own ids: one type for all its records, in a path, in a query and in a body."""

import unicodedata
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storepost.accounts.identity.model import KeyScope
from storepost.platform.persistence.changes import Changes
from storepost.stores.stores.model import Platform
from storepost.stores.stores.repository import StoreRepository
from storepost.values.external_ids import checked
from storepost.values.placeholders import names_nobody
from storepost.values.scope import WorkspaceScope
from tests.catalog.products.sample import product, variant
from tests.harness.world import BASE_URL, CANARY, Answer, Someone, World
from tests.orders.sample import order
from tests.people.matching.scenario import ANN, BOB, Scenario

type Body = dict[str, Any]

MOMENT = "2026-02-01T00:00:00.000Z"
LATER = "2026-04-01T00:00:00.000Z"
BODIES: dict[str, Callable[..., Body]] = {
    "customers": lambda at=MOMENT: {
        "email": f"ann.{CANARY}@example.com",
        "externalCreatedAt": MOMENT,
        "externalUpdatedAt": at,
    },
    "orders": lambda at="2026-03-01T10:31:00Z": order(customer=None, updatedAt=at),
    "products": lambda at=MOMENT: product(updatedAt=at),
}
RECORDS = pytest.mark.parametrize("records", list(BODIES))
UNUSUAL = [
    "a/b",
    "gid://shop/Order/7",
    "/",
    "a,b",
    "a&b=c",
    "a+b",
    "50% off",
    "%2F",
    "...",
    " spaced ",
    "Straße 李 🫖",
    "x" * 255,
]
WRONG = {
    "0": "Must be the id of one record, not a placeholder such as `0` or `null`",
    "000": "Must be the id of one record, not a placeholder such as `0` or `null`",
    "null": "Must be the id of one record, not a placeholder such as `0` or `null`",
    "Undefined": "Must be the id of one record, not a placeholder such as `0` or `null`",
    " ": "Must be the id of one record, not a placeholder such as `0` or `null`",
    "-1": "Must be the id of one record, not a placeholder such as `0` or `null`",
    ".": "Must not be `.` or `..`: they change the address that they stand in",
    "..": "Must not be `.` or `..`: they change the address that they stand in",
    "a\x00": "Must not have control characters",
    "\tx": "Must not have control characters",
    "x\x7f": "Must not have control characters",
    "x\x85": "Must not have control characters",
    "\ufffd": "Must be text in UTF-8",
    "x" * 256: "Must have at most 255 characters",
}


@pytest.fixture
def store(world: World, owner: Someone, workspace: WorkspaceScope) -> str:
    """A custom store of the workspace."""
    return world.store(owner)


def path_form(store: str, records: str, external_id: str) -> str:
    """The path that ends in the id."""
    return f"/stores/{store}/{records}/{quote(external_id, safe='')}"


def message(answer: Answer) -> tuple[str, str]:
    """Where the only error of a 422 is, and what it says."""
    assert answer.problem() == (422, "validation")
    [error] = answer.json["errors"]
    return error["path"], error["message"]


class TestByQuery:
    """PUT, GET and DELETE of /stores/{id}/customers|orders|products?externalId=."""

    @RECORDS
    @pytest.mark.parametrize("external_id", UNUSUAL)
    def test_unusual_ids_are_accepted(
        self, world: World, owner: Someone, store: str, records: str, external_id: str
    ) -> None:
        path, query = f"/stores/{store}/{records}", {"externalId": external_id}
        body = BODIES[records]()
        ask: Any = {"token": owner.token, "query": query}
        assert world.call("GET", path, **ask).problem() == (404, "not_found")
        made = world.call("PUT", path, json_body=body, **ask)
        assert made.status == 201, made.body
        again = world.call("PUT", path, json_body=body, **ask)
        assert (again.status, again.json) == (200, made.json)
        found = world.call("GET", path, **ask)
        assert (found.status, found.json) == (200, made.json)
        listed = world.call("GET", f"/{'profiles' if records == 'customers' else records}", **ask)
        assert listed.json["total"] == 1
        location = made.header("location")
        assert location is not None
        followed = owner.call("GET", location.removeprefix(BASE_URL))
        if "?" not in location:
            assert followed.json == made.json
        for _ in range(2):
            gone = world.call("DELETE", path, **ask)
            assert (gone.status, gone.body) == (204, b"")
        answer = world.call("GET", path, **ask)
        if records == "orders":
            assert answer.problem() == (404, "not_found")
        elif records == "customers":
            assert answer.json["deletedAt"] is not None
        else:
            assert answer.json["status"] == "removed"

    @RECORDS
    def test_same_record_as_by_path(
        self, world: World, owner: Someone, workspace: WorkspaceScope, store: str, records: str
    ) -> None:
        path, by_query = path_form(store, records, "A-7"), f"/stores/{store}/{records}"
        query = {"externalId": "A-7"}
        made = owner.call("PUT", path, BODIES[records]())
        assert made.status == 201
        reader = world.api_key(workspace, KeyScope.READ, owner)
        for answer in (
            world.call("GET", path, token=reader),
            world.call("GET", by_query, token=reader, query=query),
        ):
            assert (answer.status, answer.json) == (200, made.json)
        gone = owner.call("DELETE", by_query, query=query)
        assert gone.status == 204
        back = BODIES[records](LATER)
        assert owner.call("PUT", path, back).status in {200, 201}
        assert owner.call("DELETE", path).status == 204

    @RECORDS
    def test_location_header(self, world: World, owner: Someone, store: str, records: str) -> None:
        ask: Any = {"token": owner.token, "query": {"externalId": "a/b?c&d"}}
        path = f"/stores/{store}/{records}"
        made = world.call("PUT", path, json_body=BODIES[records](), **ask)
        location = str(made.header("location")).removeprefix(BASE_URL)
        if records != "customers":
            assert location == f"/{records}/{made.json['id']}"
        else:
            assert location == f"{path}?externalId=a%2Fb%3Fc%26d"

    @RECORDS
    @pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
    def test_missing_id_or_unknown_parameter_is_refused(
        self, world: World, owner: Someone, store: str, records: str, method: str
    ) -> None:
        path = f"/stores/{store}/{records}"
        body = BODIES[records]() if method == "PUT" else None
        ask: Any = {"token": owner.token, "json_body": body}
        assert message(world.call(method, path, **ask)) == ("query.externalId", "Required")
        answer = world.call(method, path, query={"externalId": "7", "id": "8"}, **ask)
        assert answer.error_paths() == ["query.id"]

    @RECORDS
    @pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
    def test_unknown_or_foreign_store_is_not_found(
        self, world: World, owner: Someone, store: str, records: str, method: str
    ) -> None:
        body = BODIES[records]() if method == "PUT" else None
        stranger = world.owner()
        for by, named in ((owner, str(uuid4())), (stranger, store)):
            answer = by.call(method, f"/stores/{named}/{records}", body, query={"externalId": "7"})
            assert answer.problem() == (404, "not_found")
            assert answer.json["detail"] == "No store with this id exists in this workspace."

    @RECORDS
    def test_unknown_record_is_not_found(self, owner: Someone, store: str, records: str) -> None:
        for path, query in (
            (path_form(store, records, "7"), {}),
            (f"/stores/{store}/{records}", {"externalId": "7"}),
        ):
            answer = owner.call("GET", path, query=query)
            assert answer.problem() == (404, "not_found")
            one = records.removesuffix("s")
            detail = f"No {one} with this external id exists in this store."
            assert answer.json["detail"] == detail


class TestSameRefusalByPathAndQuery:
    """An id that the path refuses is refused by the query in the same words."""

    @RECORDS
    def test_disconnected_store(self, owner: Someone, store: str, records: str) -> None:
        disconnected = owner.call("POST", f"/stores/{store}/disconnect")
        assert disconnected.status == 200
        for method, body in (("PUT", BODIES[records]()), ("DELETE", None)):
            both(owner, method, (store, records), body, (409, "store_disconnected"))

    @RECORDS
    def test_shopify_store(
        self, owner: Someone, workspace: WorkspaceScope, store: str, records: str
    ) -> None:
        belong_to_shopify(workspace, store)
        for method, body in (("PUT", BODIES[records]()), ("DELETE", None)):
            both(owner, method, (store, records), body, (409, "store_managed_by_platform"))

    @RECORDS
    def test_stale_update(self, owner: Someone, store: str, records: str) -> None:
        path = path_form(store, records, "7")
        assert owner.call("PUT", path, BODIES[records]()).status == 201
        older = BODIES[records]("2026-01-31T23:59:59.999Z")
        if records == "customers":
            older["externalCreatedAt"] = older["externalUpdatedAt"]
        both(owner, "PUT", (store, records), older, (409, "stale_update"))

    def test_currency_mismatch(self, owner: Someone, store: str) -> None:
        dollar = {"amount": 1, "currency": "USD"}
        of_dollars = product(variants=[variant(price=dollar)])
        for records, body in (("orders", order(total=dollar)), ("products", of_dollars)):
            both(owner, "PUT", (store, records), body, (422, "currency_mismatch"))

    def test_unknown_locale(self, owner: Someone, store: str) -> None:
        path = path_form(store, "products", "7")
        assert owner.call("PUT", path, product()).status == 201
        missing = (404, "locale_not_found")
        both(owner, "GET", (store, "products"), None, missing, locale="fr")


def both(
    owner: Someone,
    method: str,
    where: tuple[str, str],
    body: Body | None,
    problem: tuple[int, str],
    **query: str,
) -> None:
    """Sees that the record with the id 7 is refused alike by its path and by its query."""
    store, records = where
    by_path, by_query = (
        owner.call(method, path, body, query=parameters)
        for path, parameters in (
            (path_form(store, records, "7"), query),
            (f"/stores/{store}/{records}", {"externalId": "7", **query}),
        )
    )
    assert by_path.problem() == by_query.problem() == problem
    assert by_path.json == by_query.json


def belong_to_shopify(workspace: WorkspaceScope, store: str) -> None:
    """Makes the store one of Shopify's, as if it had been connected."""
    repository, changes = StoreRepository(workspace), Changes()
    stored = repository.get(UUID(store))
    assert stored is not None
    repository.save(changes, replace(stored, platform=Platform.SHOPIFY))
    changes.commit()


class TestInvalidIds:
    """What is no id of one record."""

    @RECORDS
    @pytest.mark.parametrize("external_id", WRONG, ids=[repr(each)[:12] for each in WRONG])
    def test_refused_in_path_query_and_filter(
        self, owner: Someone, store: str, records: str, external_id: str
    ) -> None:
        query = {"externalId": external_id}
        body = BODIES[records]()
        listed = f"/{'profiles' if records == 'customers' else records}"
        assert message(owner.call("GET", listed, query=query)) == (
            "query.externalId",
            WRONG[external_id],
        )
        for method in ("GET", "PUT", "DELETE"):
            more: Any = {"json_body": body} if method == "PUT" else {}
            for path, parameters, where in (
                (path_form(store, records, external_id), {}, "path.externalId"),
                (f"/stores/{store}/{records}", query, "query.externalId"),
            ):
                answer = owner.call(method, path, query=parameters, **more)
                assert message(answer) == (where, WRONG[external_id])

    def test_invalid_utf_8_is_refused(self, owner: Someone, store: str) -> None:
        answer = owner.call("GET", f"/stores/{store}/orders/%ff")
        assert message(answer) == ("path.externalId", "Must be text in UTF-8")

    def test_refused_for_variants_and_stores(self, owner: Someone, store: str) -> None:
        body = product(variants=[variant(externalId="0")])
        answer = owner.call("PUT", path_form(store, "products", "p"), body)
        assert message(answer) == ("/variants/0/externalId", WRONG["0"])
        named = {
            "platform": "custom",
            "name": "Shop",
            "externalId": "undefined",
            "currency": "EUR",
            "primaryLocale": "en",
            "adminUrl": "https://admin.example.com/",
        }
        answer = owner.call("POST", "/stores", named)
        assert message(answer) == ("/externalId", WRONG["null"])

    def test_only_the_invalid_record_of_a_batch_is_refused(
        self, world: World, owner: Someone, store: str
    ) -> None:
        """The id is a problem of the import; the other records are imported."""
        records = [{"externalId": each, **order(customer=None)} for each in ("1", "null", "2")]
        made = owner.call("POST", f"/stores/{store}/batches", {"orders": records})
        assert made.status == 202, made.body
        world.deliver()
        problems = f"/stores/{store}/imports/{made.json['id']}/problems"
        [problem] = owner.call("GET", problems).json["items"]
        assert (problem["index"], problem["code"]) == (1, "validation")
        assert WRONG["null"] in problem["detail"]
        assert owner.call("GET", "/orders").json["total"] == 2


class TestLineItems:
    """A line that names no product: shops put placeholders there."""

    def test_placeholder_product_ids_count_as_missing(self, owner: Someone, store: str) -> None:
        body = order(customer={"externalId": "null"})
        for line, external_id in zip(body["lineItems"], ("0", ""), strict=True):
            line |= {"productExternalId": external_id, "variantExternalId": external_id}
        path = path_form(store, "orders", "1")
        answer = owner.call("PUT", path, body)
        assert answer.status == 201, answer.body
        body["lineItems"][0]["productExternalId"] = ".."
        answer = owner.call("PUT", path, body)
        assert message(answer) == ("/lineItems/0/productExternalId", WRONG[".."])


class TestProfilesFilter:
    """GET /profiles?externalId= without a store: all stores are searched."""

    def test_finds_profiles_of_any_store(self, world: World) -> None:
        scenario = Scenario(world)
        one, other = scenario.store(), scenario.store("Other")
        scenario.customer(one, "7", email=ANN)
        scenario.customer(other, "7", email=BOB)
        scenario.customer(other, "8", email=ANN)
        ann, bob = (scenario.get("/profiles", email=each)["items"][0]["id"] for each in (ANN, BOB))

        def found(**query: object) -> list[str]:
            answer = scenario.get("/profiles", **query)
            assert answer["total"] == len(answer["items"])
            return [each["id"] for each in answer["items"]]

        assert sorted(found(externalId="7")) == sorted([ann, bob])
        assert found(externalId="8") == [ann]
        assert found(externalId="7", storeId=other) == [bob]
        assert found(externalId="7", email=ANN) == [ann]
        assert found(externalId="8", email=BOB) == []
        assert found(externalId="9") == []
        assert found(externalId="7", sort="email") == [ann, bob]
        assert found(externalId="7", sort="-email") == [bob, ann]
        page = scenario.get("/profiles", externalId="7", sort="email", page=2)
        assert (page["items"], page["total"]) == ([], 2)

    def test_person_of_two_stores_is_listed_once(self, world: World) -> None:
        scenario = Scenario(world)
        for store in (scenario.store(), scenario.store("Other")):
            scenario.customer(store, "7", email=ANN)
        assert scenario.get("/profiles", externalId="7")["total"] == 1


@given(st.text(min_size=1, max_size=20))
def test_valid_ids_match_the_rules(text: str) -> None:
    """Against the rules as they are written down."""
    is_one = (
        not names_nobody(text)
        and text not in {".", ".."}
        and not any(unicodedata.category(each) == "Cc" for each in text)
        and "\ufffd" not in text
    )
    try:
        assert checked(text) == text
        is_accepted = True
    except ValueError:
        is_accepted = False
    assert is_accepted is is_one
