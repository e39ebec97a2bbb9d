"""The walks of docs/architecture.md: the files that each shows, against those that are called."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import CodeType

from tests.docs.source import ROOT

_HEADING = re.compile(r"^##+ (?:\d+\. )?(.+)$", re.MULTILINE)
_FILE = re.compile(r"(?<![\w/])(?:\w+/)+\w+\.py(?![\w/])")
_PLACES = (f"{ROOT}/layers/core/storepost/", f"{ROOT}/functions/")
_TOOL = sys.monitoring.OPTIMIZER_ID
"""Coverage and debuggers have numbers of their own."""


@cache
def shown(walk: str) -> frozenset[str]:
    """The files that the picture below a heading names, as the document spells them."""
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    parts = _HEADING.split(text)
    pictures = dict(zip(parts[1::2], parts[2::2], strict=True))
    picture = pictures[walk].split("```")[1]
    return frozenset(_FILE.findall(picture))


@contextmanager
def walking(walk: str) -> Iterator[None]:
    """Runs what a walk is about; fails where the document names a file that isn't called."""
    called = set[str]()

    def note(code: CodeType, _offset: int) -> object:
        if code.co_name != "<module>" and code.co_filename.startswith(_PLACES):
            called.add(_spelled(code.co_filename))
        return monitoring.DISABLE

    monitoring = sys.monitoring
    monitoring.use_tool_id(_TOOL, "walks")
    monitoring.register_callback(_TOOL, monitoring.events.PY_START, note)
    monitoring.set_events(_TOOL, monitoring.events.PY_START)
    try:
        yield
    finally:
        monitoring.set_events(_TOOL, monitoring.events.NO_EVENTS)
        monitoring.register_callback(_TOOL, monitoring.events.PY_START, None)
        monitoring.restart_events()
        monitoring.free_tool_id(_TOOL)
    uncalled = shown(walk) - called
    assert not uncalled, f"docs/architecture.md, {walk}: not called: {sorted(uncalled)}"


def _spelled(path: str) -> str:
    return path.removeprefix(_PLACES[0]).removeprefix(f"{ROOT}/")
