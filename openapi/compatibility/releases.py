"""The descriptions of releases: what a client needs of them, without words and examples."""

import json
from pathlib import Path
from typing import Any

type Json = dict[str, Any]

FOLDER = Path(__file__).parent.parent / "releases"
_WORDS = frozenset({"description", "summary", "example", "examples", "x-codeSamples", "title"})
_NAMED = frozenset({"properties", "schemas", "paths", "parameters", "headers", "mapping"})
"""Below them the names are the interface's own."""


def latest() -> Json | None:
    """The description of the last release; None before the first one."""
    found = sorted(FOLDER.glob("*.json"), key=_version)
    return json.loads(found[-1].read_text("utf-8")) if found else None


def keep(version: str, description: Json) -> Path:
    """Keeps what a client needs of a release's description, and returns where."""
    path = FOLDER / f"{version}.json"
    path.write_text(json.dumps(bare(description), separators=(",", ":")) + "\n", "utf-8")
    return path


def bare(value: Any, *, named: bool = False) -> Any:  # noqa: ANN401 - JSON
    """The description without what is written for people."""
    if isinstance(value, list):
        return [bare(each) for each in value]
    if not isinstance(value, dict):
        return value
    remaining = {name: each for name, each in value.items() if named or name not in _WORDS}
    return {
        name: bare(each, named=not named and name in _NAMED and isinstance(each, dict))
        for name, each in remaining.items()
    }


def _version(path: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in path.stem.split("."))
