"""A migration: its steps, each of which walks through some rows page by page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from storepost.platform.persistence.changes import Changes
from storepost.values.scope import WorkspaceScope


@dataclass(frozen=True)
class Page:
    """The result of a page of a step."""

    after: str | None
    """The cursor after which the next page begins; None if the step is done."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """How many of each thing were passed or written, such as `{"postings written": 250}`."""


@dataclass(frozen=True)
class Step:
    """A step of a migration. Its name is stored in cursors, so it is never renamed.

    `work` does the page after a cursor ("" is the beginning), and may be killed anywhere and
    repeated. Its changes are committed together with the next cursor; what it writes at once must
    be right even if another writer writes the same rows.
    """

    name: str
    work: Callable[[WorkspaceScope, str, Changes], Page]


@dataclass(frozen=True)
class Migration:
    """A migration by its name, which is stored in keys and messages: it is never renamed."""

    name: str
    steps: tuple[Step, ...]

    def position_of(self, step: str) -> int:
        """Returns the position of a step; the first position for a step of another release."""
        names = [each.name for each in self.steps]
        return names.index(step) if step in names else 0
