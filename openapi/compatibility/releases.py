"""The descriptions of releases, reduced to a client's needs: without texts and examples."""

import json
from pathlib import Path
from typing import Any

type Json = dict[str, Any]

FOLDER = Path(__file__).parent.parent / "releases"
_WORDS = frozenset({"description", "summary", "example", "examples", "x-codeSamples", "title"})
_NAMED = frozenset({"properties", "schemas", "paths", "parameters", "headers", "mapping"})
"""Keys whose members' names are the interface's own, not OpenAPI's."""


def latest() -> Json | None:
    """Returns the description of the last release; None before the first one."""
    found = sorted(FOLDER.glob("*.json"), key=_version)
    return json.loads(found[-1].read_text("utf-8")) if found else None


def keep(version: str, description: Json) -> Path:
    """Stores the reduced description of a release, and returns its path."""
    path = FOLDER / f"{version}.json"
    path.write_text(json.dumps(bare(description), separators=(",", ":")) + "\n", "utf-8")
    return path


def bare(value: Any, *, named: bool = False) -> Any:  # noqa: ANN401 - JSON
    """Returns the description without the parts for people."""
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
