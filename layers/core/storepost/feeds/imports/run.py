"""One run of the worker for one feed: what is its own, how long it has, and how it ends early."""

from dataclasses import dataclass
from uuid import UUID

from storepost.feeds.feeds.model import Feed
from storepost.feeds.feeds.queueing import go_on_with
from storepost.feeds.feeds.repository import FeedImportRepository, FeedRepository
from storepost.feeds.imports.objects import KeptFiles
from storepost.platform.messaging.remaining import Remaining
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.values.scope import WorkspaceScope

MARGIN_MILLISECONDS = 45_000
"""With so little time left nothing more is begun: what is settled has to be kept, too."""


class OutOfTime(Exception):  # noqa: N818 - it is what happened
    """Time is up, and the next message was sent."""


class Superseded(Exception):  # noqa: N818 - it is what happened
    """The import stands elsewhere: another run came by, or its feed was deleted."""


@dataclass(frozen=True)
class Run:
    """One run of the worker for one feed."""

    workspace: WorkspaceScope
    feed_id: UUID
    tries: int
    """How many times the queue brought its message, this one included."""
    remaining: Remaining

    def is_over(self) -> bool:
        """Whether nothing more should be begun."""
        return self.remaining() < MARGIN_MILLISECONDS

    @property
    def feeds(self) -> FeedRepository:
        """The workspace's feeds."""
        return FeedRepository(self.workspace)

    @property
    def imports(self) -> FeedImportRepository:
        """The feed's imports."""
        return FeedImportRepository(self.workspace, self.feed_id)

    @property
    def files(self) -> KeptFiles:
        """What the feed's imports keep."""
        return KeptFiles(self.workspace, self.feed_id)

    def feed(self) -> Feed | None:
        """The feed as it stands."""
        return self.feeds.get(self.feed_id)

    def send_next(self, changes: Changes) -> None:
        """Sends a message like the one that this run had."""
        go_on_with(changes, self.workspace, self.feed_id)

    def stop(self) -> None:
        """Ends the run; the next goes on."""
        commit_anew(self.send_next)
        raise OutOfTime
