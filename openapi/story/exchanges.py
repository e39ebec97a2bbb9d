"""The story's file with every exchange, which the description and its tests read."""

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "exchanges.json"


def recorded() -> list[dict[str, Any]]:
    """Returns the exchanges, in the order of the story."""
    read: list[dict[str, Any]] = json.loads(FILE.read_text("utf-8"))
    return read
