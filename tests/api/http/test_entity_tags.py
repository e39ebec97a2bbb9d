"""`ETag`, `If-Match` and `If-None-Match` of every resource that is changed where it is read."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.accounts.workspaces.model import Role
from storepost.values.scope import WorkspaceScope
from tests.api.http.test_external_ids import BODIES
from tests.harness.answers import operations
from tests.harness.call_interruption import before_the_commit
from tests.harness.world import CANARY, Answer, Someone, World

type Body = dict[str, Any]

HOST = "127.0.0.1:9"
STALE = '"000000000000000000000000"'


@dataclass(frozen=True)
class Resource:
    """A resource, and two changes of it that differ."""

    operation: str
    path: str
    token: str
    bodies: tuple[Body, Body]
    query: dict[str, str] | None = None


class Desk:
    """A workspace in which there is one of each."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.owner: Someone = world.person()
        self.workspace: WorkspaceScope = world.workspace(self.owner)
        self.key = world.api_key(self.workspace, KeyScope.WRITE, self.owner)

    def call(self, method: str, path: str, body: object = None, **more: Any) -> Answer:
        """A request of the owner's."""
        return self.owner.call(method, path, body, **more)

    def made(self, path: str, body: Body) -> Body:
        """What a request makes."""
        answer = self.call("POST", path, body)
        assert answer.status in {200, 201}, answer.body
        found: Body = answer.json
        return found

    def record(self, records: str, operation: str, *, by_query: bool = False) -> Resource:
        """A record of a custom store, and two later states of it."""
        path = f"/stores/{self.world.store(self.owner)}/{records}"
        query = {"externalId": "a/7"} if by_query else None
        path = path if by_query else f"{path}/a7"
        made = self.call("PUT", path, BODIES[records](), query=query)
        assert made.status == 201, made.body
        later = [
            {**BODIES[records](f"2026-05-0{day}T00:00:00.000Z"), **_SEEN[records](f"Number {day}")}
            for day in (1, 2)
        ]
        return Resource(operation, path, self.owner.token, (later[0], later[1]), query)

    def resource(self, operation: str) -> Resource:
        """The resource that the operation changes."""
        path, bodies = _SETTINGS[operation](self)
        return Resource(operation, path, self.owner.token, bodies)


def _names(*rest: Body) -> tuple[Body, Body]:
    first, second = rest or ({}, {})
    return {"name": f"One {CANARY}", **first}, {"name": f"Two {CANARY}", **second}


def _feed(desk: Desk) -> str:
    body = {
        "storeId": desk.world.store(desk.owner),
        "name": "Products",
        "url": f"http://{HOST}/products.csv",
        "mode": "enrich_only",
        "mapping": {"sku": "id", "title": "title"},
    }
    return f"/feeds/{desk.made('/feeds', body)['id']}"


def _coupon(desk: Desk) -> str:
    body = {
        "storeId": desk.world.store(desk.owner),
        "name": "Spring",
        "kind": "personal",
        "valueType": "percentage",
        "value": 10,
        "validity": {"type": "none"},
        "reissue": "after_use_or_expiry",
    }
    return f"/coupons/{desk.made('/coupons', body)['id']}"


def _profile(desk: Desk) -> str:
    body = {"email": f"ann.{CANARY}@example.com", "phone": "+14155550123"}
    return f"/profiles/{desk.made('/profiles', body)['id']}"


def _member(desk: Desk) -> str:
    found = desk.world.membership(desk.world.member(desk.workspace, Role.MEMBER), desk.workspace)
    assert found is not None
    return f"/members/{found.id}"


def _write_back(desk: Desk) -> str:
    path = f"/stores/{desk.world.store(desk.owner)}/write-back"
    assert desk.call("PUT", path, {"url": f"http://{HOST}/first"}).status == 200
    return path


_SEEN: dict[str, Callable[[str], Body]] = {
    "customers": lambda text: {"firstName": text},
    "orders": lambda text: {"number": text},
    "products": lambda text: {"vendor": text},
}
CONSENT: tuple[Body, Body] = ({"state": "subscribed"}, {"state": "unsubscribed"})
_SETTINGS: dict[str, Callable[[Desk], tuple[str, tuple[Body, Body]]]] = {
    "me.update": lambda _: ("/me", _names()),
    "workspaces.update": lambda desk: (f"/workspaces/{desk.workspace.id}", _names()),
    "apiKeys.update": lambda desk: (
        f"/api-keys/{desk.made('/api-keys', {'name': 'Till', 'scope': 'read'})['apiKey']['id']}",
        _names(),
    ),
    "locales.update": lambda desk: (
        f"/locales/{desk.made('/locales', {'code': 'fr'})['id']}",
        ({"label": "One"}, {"label": "Two"}),
    ),
    "members.updateRole": lambda desk: (_member(desk), ({"role": "admin"}, {"role": "admin"})),
    "stores.update": lambda desk: (f"/stores/{desk.world.store(desk.owner)}", _names()),
    "stores.putWriteBack": lambda desk: (
        _write_back(desk),
        ({"url": f"http://{HOST}/1"}, {"url": f"http://{HOST}/2"}),
    ),
    "profiles.update": lambda desk: (_profile(desk), ({"firstName": "A"}, {"firstName": "B"})),
    "consent.putEmail": lambda desk: (f"{_profile(desk)}/consent/email", CONSENT),
    "consent.putSms": lambda desk: (f"{_profile(desk)}/consent/sms", CONSENT),
    "consent.putSettings": lambda _: (
        "/consent/settings",
        ({"evidenceRetentionDays": 30}, {"evidenceRetentionDays": 60}),
    ),
    "feeds.update": lambda desk: (_feed(desk), _names()),
    "coupons.update": lambda desk: (_coupon(desk), _names()),
}
RECORDS = {
    f"{records}.{verb}": (records, by_query)
    for records in BODIES
    for verb, by_query in (("put", False), ("putByQuery", True))
}
CHANGED = [*_SETTINGS, *RECORDS]
OF_ANOTHER_SHAPE = {
    # Their answers aren't what a `GET` answers: nothing, a change, or a new secret.
    *("workspaces.update", "members.updateRole"),
    *("consent.putEmail", "consent.putSms", "stores.putWriteBack"),
}
each = pytest.mark.parametrize("operation", CHANGED)


def test_listed_operations_accept_if_match() -> None:
    """A list is no single resource; `tests/docs/test_story.py` refuses one of each."""
    takes_it = {
        described["operationId"]
        for _, method, described in operations()
        if {"$ref": "#/components/parameters/IfMatch"} in described.get("parameters", [])
    }
    assert set(CHANGED) <= takes_it
    assert "stores.putLocales" not in takes_it


@pytest.fixture
def desk(world: World, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A workspace, whose addresses are allowed and never asked."""
    monkeypatch.setenv("FEED_ALLOW_HOSTS", HOST)
    return Desk(world)


@pytest.fixture
def resource(desk: Desk, operation: str) -> Resource:
    """The resource that the operation changes."""
    if operation in RECORDS:
        records, by_query = RECORDS[operation]
        return desk.record(records, operation, by_query=by_query)
    return desk.resource(operation)


def read(world: World, of: Resource, **headers: str) -> Answer:
    """What GET answers."""
    return world.call("GET", of.path, token=of.token, query=of.query, headers=headers)


def change(world: World, of: Resource, which: int, if_match: str | None, **more: Any) -> Answer:
    """The answer to one of the two changes."""
    [method] = [m for _, m, described in operations() if described["operationId"] == of.operation]
    headers = {"if-match": if_match} if if_match is not None else {}
    return world.call(
        method,
        of.path,
        token=of.token,
        json_body=of.bodies[which],
        query=of.query,
        headers=headers,
        **more,
    )


def tag_of(answer: Answer) -> str:
    """The tag of an answer that has one."""
    tag = answer.header("etag")
    assert tag is not None, answer.body
    return tag


class TestETag:
    """The header `ETag`."""

    @each
    def test_etag_is_a_hash_of_the_get_response(self, world: World, resource: Resource) -> None:
        answer = read(world, resource)
        assert answer.status == 200
        assert tag_of(answer) == f'"{hashlib.sha256(answer.body).hexdigest()[:24]}"'
        assert tag_of(read(world, resource)) == tag_of(answer)

    @each
    def test_etag_of_a_change_equals_that_of_the_next_get(
        self, world: World, resource: Resource
    ) -> None:
        before = tag_of(read(world, resource))
        answer = change(world, resource, 0, None)
        assert answer.status in {200, 204}
        after = read(world, resource)
        assert tag_of(after) != before
        if resource.operation in OF_ANOTHER_SHAPE:
            assert answer.header("etag") is None
        else:
            assert answer.json == after.json
            assert tag_of(answer) == tag_of(after)

    def test_lists_and_public_responses_have_no_etag(self, desk: Desk) -> None:
        for path in ("/stores", "/locales", "/profiles", "/api-keys"):
            assert desk.call("GET", path).header("etag") is None
        assert desk.world.call("GET", "/health").header("etag") is None


class TestIfNoneMatch:
    """GET with `If-None-Match`."""

    @each
    def test_304_while_unchanged(self, world: World, resource: Resource) -> None:
        tag = tag_of(read(world, resource))
        for header in (tag, f"W/{tag}", f"{STALE}, {tag}", "*"):
            known = read(world, resource, **{"if-none-match": header})
            assert (known.status, known.body, tag_of(known)) == (304, b"", tag)
            assert known.header("content-type") is None
            assert known.header("cache-control") == "no-store"
        assert change(world, resource, 0, None).status in {200, 204}
        other = read(world, resource, **{"if-none-match": tag})
        assert other.status == 200
        assert tag_of(other) != tag


class TestIfMatch:
    """PUT and PATCH with `If-Match`."""

    @each
    def test_matching_tag_is_accepted(self, world: World, resource: Resource) -> None:
        tag = tag_of(read(world, resource))
        assert change(world, resource, 0, f"{STALE}, {tag}").status in {200, 204}
        assert tag_of(read(world, resource)) != tag

    @each
    @pytest.mark.parametrize("header", [STALE, "nope", "", 'W/"x"', '"'])
    def test_other_tag_is_refused(self, world: World, resource: Resource, header: str) -> None:
        before = read(world, resource)
        answer = change(world, resource, 0, header)
        assert answer.json == {
            "type": "https://api.example.com/v1/problems/precondition_failed",
            "title": "The resource has changed",
            "status": 412,
            "detail": "Read it again, and repeat the request with the new `ETag` in `If-Match`.",
            "code": "precondition_failed",
        }
        assert answer.status == 412
        assert read(world, resource).json == before.json

    @each
    def test_weak_tag_is_refused(self, world: World, resource: Resource) -> None:
        tag = tag_of(read(world, resource))
        assert change(world, resource, 0, f"W/{tag}").problem() == (412, "precondition_failed")

    @each
    def test_one_of_two_concurrent_writers_wins(self, world: World, resource: Resource) -> None:
        """The other writer is about to commit by then."""
        tag = tag_of(read(world, resource))
        answers: list[Answer] = []
        with before_the_commit(lambda: answers.append(change(world, resource, 1, tag))):
            late = change(world, resource, 0, tag)
        [first] = answers
        assert first.status in {200, 204}, first.body
        assert late.problem() == (412, "precondition_failed")
        alone = read(world, resource)
        again = change(world, resource, 1, tag_of(alone))
        assert again.status in {200, 204}

    @each
    def test_concurrent_write_without_if_match_is_detected(
        self, world: World, resource: Resource
    ) -> None:
        tag = tag_of(read(world, resource))
        answers: list[Answer] = []
        with before_the_commit(lambda: answers.append(change(world, resource, 1, None))):
            late = change(world, resource, 0, tag)
        assert answers[0].status in {200, 204}
        assert late.problem() == (412, "precondition_failed")

    @each
    def test_replay(self, world: World, resource: Resource) -> None:
        tag = tag_of(read(world, resource))
        first = change(world, resource, 0, tag, key="k")
        again = change(world, resource, 0, tag, key="k")
        assert first.status in {200, 204}
        assert again.header("idempotency-replayed") == "true"
        assert (again.status, again.body) == (first.status, first.body)
        assert again.header("etag") == first.header("etag")

    @each
    def test_refusal_releases_the_idempotency_key(self, world: World, resource: Resource) -> None:
        assert change(world, resource, 0, STALE, key="k").status == 412
        tag = tag_of(read(world, resource))
        assert change(world, resource, 0, tag, key="k").status in {200, 204}


class TestMissingResource:
    """`If-Match` where there is no resource."""

    @pytest.mark.parametrize("records", list(BODIES))
    @pytest.mark.parametrize("header", ["*", STALE])
    def test_put_creates_nothing(self, desk: Desk, records: str, header: str) -> None:
        path = f"/stores/{desk.world.store(desk.owner)}/{records}/7"
        answer = desk.call("PUT", path, BODIES[records](), headers={"if-match": header})
        assert answer.problem() == (412, "precondition_failed")
        assert desk.call("GET", path).problem() == (404, "not_found")

    @pytest.mark.parametrize("records", list(BODIES))
    def test_asterisk_matches_any_existing_record(self, desk: Desk, records: str) -> None:
        found = desk.record(records, f"{records}.put")
        assert change(desk.world, found, 0, "*").status == 200

    def test_unknown_profile_is_not_found(self, desk: Desk) -> None:
        path = "/profiles/00000000-0000-4000-8000-000000000000"
        answer = desk.call("PATCH", path, {"firstName": "A"}, headers={"if-match": STALE})
        assert answer.problem() == (404, "not_found")
