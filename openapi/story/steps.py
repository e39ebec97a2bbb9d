"""The story's requests.

A reference in braces is replaced by a value of an earlier answer: `{store.id}` is the `id` of the
answer that a step kept as `store`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

OLIVE = "{owner.token}"
"""The session of the shop's owner."""
KEY = "{key.key}"
"""The API key of the shop's own programs, of scope `write`."""


@dataclass(frozen=True)
class Step:
    """One request. `keep` names its answer, a JSON value, for the steps after it."""

    operation: str
    """The operation's id."""
    by: str | None = KEY
    """The request's bearer token; None for a request without one."""
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, Any] | str = field(default_factory=dict)
    body: Any = None
    """JSON, or a form's fields if the operation accepts a form; None without a body."""
    keep: str = ""
    status: int | None = None
    """The answer's status; None means any success."""
    seconds: int = 60
    """The time between the previous step and this one."""
    headers: Mapping[str, str] = field(default_factory=dict)
    only: Sequence[str] = ()
    """The fields of a long answer that are shown; empty shows all."""
