"""The stored data of each release, in a folder of its own; `make formats` writes the newest one."""

import json
import re
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

from tests.formats.raw import Raw

FOLDER = Path(__file__).parent
RELEASES = sorted(
    (each.name for each in FOLDER.iterdir() if re.fullmatch(r"\d+\.\d+\.\d+", each.name)),
    key=lambda name: [int(part) for part in name.split(".")],
)
"""Oldest first."""
NEWEST = RELEASES[-1] if RELEASES else "0.1.0"
"""A release's folder never changes once it is deployed: the next one gets a folder of its own."""


def read(release: str, name: str) -> Any:
    """Returns the content of a release's file."""
    return json.loads((FOLDER / release / f"{name}.json").read_text("utf-8"))


def write(release: str, name: str, content: Any) -> None:
    """Writes a file of a release, a line for each row."""
    folder = FOLDER / release
    folder.mkdir(exist_ok=True)
    if isinstance(content, list):
        lines = ",\n".join(json.dumps(each, sort_keys=True, ensure_ascii=False) for each in content)
        text = f"[\n{lines}\n]"
    else:
        text = json.dumps(content, indent=1, sort_keys=False, ensure_ascii=False)
    (folder / f"{name}.json").write_text(f"{text}\n", "utf-8")


def as_json(row: Raw) -> Raw:
    """Returns a row with its binary values as text."""
    return {name: _with_binary(value, encode=True) for name, value in row.items()}


def of_json(row: Raw) -> Raw:
    """Returns the row that `as_json` wrote."""
    return {name: _with_binary(value, encode=False) for name, value in row.items()}


def _with_binary(value: dict[str, Any], *, encode: bool) -> dict[str, Any]:
    if "B" not in value:
        return value
    binary = value["B"]
    return {"B": b64encode(bytes(binary)).decode() if encode else b64decode(binary)}


def rows_of(release: str, name: str) -> list[Raw]:
    """Returns a release's rows: `standing` ones at the story's end, or those that only `passed`."""
    return [of_json(row) for row in read(release, f"rows-{name}")]


def object_kind(name: str) -> str:
    """Returns an S3 object's kind, its name without ids: `feeds/plan`, `webhooks`."""
    first, *middle, last = name.split("/")
    return f"{first}/{last.partition('-')[0]}" if first == "feeds" and middle else first
