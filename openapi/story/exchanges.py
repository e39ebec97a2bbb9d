"""The story's file: every exchange, as the description and its tests read it."""

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "exchanges.json"


def recorded() -> list[dict[str, Any]]:
    """The exchanges, in the order of the story."""
    read: list[dict[str, Any]] = json.loads(FILE.read_text("utf-8"))
    return read
