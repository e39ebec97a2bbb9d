"""Reads of feeds with invalid parameters."""

import pytest

from tests.harness.world import World

FEED = "/feeds/00000000-0000-4000-8000-000000000000"


@pytest.mark.parametrize(
    ("path", "query", "wrong"),
    [
        ("/feeds", {"pageSize": 7}, "query.pageSize"),
        ("/feeds/7", {}, "path.id"),
        (f"{FEED}/imports", {"status": "lost"}, "query.status"),
        (f"{FEED}/imports/7", {}, "path.importId"),
        (f"{FEED}/imports/7/skipped-rows", {}, "path.importId"),
    ],
)
def test_invalid_parameters_are_refused(
    world: World, path: str, query: dict[str, object], wrong: str
) -> None:
    owner = world.person()
    world.workspace(owner)
    assert owner.call("GET", path, query=query).error_paths() == [wrong]
