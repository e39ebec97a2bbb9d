"""Two releases on one table: this one reads the other's rows, and saves them without a loss."""

from collections.abc import Iterator
from typing import Any

import pytest

from openapi.story.chapters import CHAPTERS
from openapi.story.exchanges import recorded
from openapi.story.recording import routes
from openapi.story.telling import telling
from storepost.shopify.admin import AdminClient
from tests.formats.beside import LaterRelease
from tests.harness.world import World

WRITTEN_WHOLE = {"backup_codes", "emailed_code", "entry", "known_source", "missed_write_back"}
"""Put over what was there without reading it: nothing of the row before is to stay."""


@pytest.fixture(scope="module")
def told() -> Iterator[tuple[LaterRelease, list[dict[str, Any]]]]:
    """The whole story, with a later release beside: fifteen seconds, for every kind of row."""
    later = LaterRelease()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AdminClient, "wait", lambda _admin, _seconds, _why: None)
        with telling(routes()) as story, later.deployed():
            exchanges = [each.as_json() for each in story.tell(CHAPTERS)]
    yield later, exchanges
    World().close()


def test_every_request_is_answered_as_without_the_other(
    told: tuple[LaterRelease, list[dict[str, Any]]],
) -> None:
    _, exchanges = told
    assert [*map(_outcome, exchanges)] == [*map(_outcome, recorded())]


def _outcome(exchange: dict[str, Any]) -> tuple[str, int]:
    return exchange["operation"], exchange["status"]


def test_no_save_loses_what_another_release_wrote(
    told: tuple[LaterRelease, list[dict[str, Any]]],
) -> None:
    later, _ = told
    assert len(later.kept) > 20
    assert later.lost.keys() == WRITTEN_WHOLE, later.lost
