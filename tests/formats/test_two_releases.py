"""Two releases side by side on one table: every answer is right in both, and nothing gets lost.

Before the story's last chapter the later release is rolled back; this one then deletes the rows
that the later one wrote.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from openapi.story.chapters import CHAPTERS
from openapi.story.exchanges import recorded
from openapi.story.recording import routes
from openapi.story.story_run import story_run
from storepost.shopify.admin import AdminClient
from tests.formats.planting import faults, quicken
from tests.formats.raw import Raw, kind_of, raw_rows
from tests.formats.two_releases import NEW_VALUES, PREFIX, Releases
from tests.harness.world import World

WRITTEN_WHOLE = {"backup_codes", "emailed_code", "entry", "known_source", "missed_write_back"}
"""Kinds that are overwritten without a read: nothing of the earlier row must stay."""
CHANGES = {"an attribute", "a value", "an element", "a field of a message", "a kind of row"}


@dataclass
class Deployment:
    """The story as played by two releases in turn."""

    releases: Releases
    exchanges: list[dict[str, Any]]
    faults: list[str]
    before_end: list[Raw]
    rows_left: list[Raw]


@pytest.fixture(scope="module")
def deployment() -> Iterator[Deployment]:
    """The whole story, played once for every kind of row; it takes fifteen seconds."""
    releases, exchanges = Releases(), list[dict[str, Any]]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AdminClient, "wait", lambda _admin, _seconds, _why: None)
        quicken(patch)
        with story_run(routes()) as story, releases.deployed(), faults() as found:
            exchanges += [each.as_json() for each in story.play(CHAPTERS[:-1])]
            before_end = raw_rows()
            releases.is_over = True
            exchanges += [each.as_json() for each in story.play(CHAPTERS[-1:])]
            rows_left = raw_rows()
    yield Deployment(releases, exchanges, found, before_end, rows_left)
    World().close()


def test_each_change_is_applied_and_both_releases_run(deployment: Deployment) -> None:
    assert deployment.releases.planted.keys() == CHANGES
    assert min(deployment.releases.planted.values()) > 1
    assert min(deployment.releases.invoked.values()) > 100


def test_every_response_is_right_in_both_releases(deployment: Deployment) -> None:
    """Answers are those of one release alone; a new value is answered unchanged."""
    assert deployment.faults == []
    shown = [json.loads(json.dumps(each).replace(PREFIX, "")) for each in deployment.exchanges]
    assert json.dumps(deployment.exchanges).count(PREFIX) > 0
    for exchange, expected in zip(shown, recorded(), strict=True):
        assert exchange == expected, exchange["operation"]


def test_saves_preserve_attributes_of_another_release(deployment: Deployment) -> None:
    assert len(deployment.releases.preserved) > 20
    assert deployment.releases.lost.keys() <= WRITTEN_WHOLE, deployment.releases.lost
    assert deployment.releases.elements_lost == {}


def test_new_values_are_in_rows_that_both_releases_read(deployment: Deployment) -> None:
    rows = [(kind_of(row), name, row[name]["S"]) for row in deployment.before_end for name in row
            if (kind_of(row), name) in NEW_VALUES]  # fmt: skip
    assert {value.startswith(PREFIX) for *_, value in rows} == {True, False}


def test_deletion_after_rollback_removes_rows_of_both_releases(deployment: Deployment) -> None:
    kinds = {kind_of(row) for row in deployment.before_end}
    assert "of_a_later_release" in kinds
    gone = {row["pk"]["S"] for row in deployment.before_end} - {
        row["pk"]["S"] for row in deployment.rows_left
    }
    assert len(gone) > 100
    assert "of_a_later_release" not in {kind_of(row) for row in deployment.rows_left}
