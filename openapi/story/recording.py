"""Runs the story, to write its file, and for the tests that compare the two."""

import json
from typing import Any

from openapi.groups import groups
from openapi.story.chapters import CHAPTERS
from openapi.story.story_run import story_run


def exchanges() -> list[dict[str, Any]]:
    """Returns a new run's exchanges in order, which are the same for the same code."""
    with story_run(routes()) as story:
        return [each.as_json() for each in story.play(CHAPTERS)]


def text() -> str:
    """Returns the file's new content."""
    return json.dumps(exchanges(), indent=1, ensure_ascii=False) + "\n"


def routes() -> dict[str, tuple[str, str]]:
    """Returns each operation's method and path, without `/v1`, by its id."""
    return {
        operation.id: (operation.method, operation.path.removeprefix("/v1"))
        for group in groups()
        for operation in group.operations
    }
