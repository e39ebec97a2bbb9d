"""One run of the worker for one feed, with what the feed's imports have."""

from dataclasses import dataclass
from uuid import UUID

from storepost.feeds.feeds.messages import FeedImportMessage
from storepost.feeds.feeds.model import Feed
from storepost.feeds.feeds.repository import FeedImportRepository, FeedRepository
from storepost.feeds.imports.objects import KeptFiles
from storepost.platform.jobs.runs import Run
from storepost.values.scope import WorkspaceScope


@dataclass(frozen=True)
class FeedRun(Run[FeedImportMessage]):
    """One run of the worker for one feed."""

    @property
    def workspace(self) -> WorkspaceScope:
        """The feed's workspace."""
        return self.message.workspace

    @property
    def feed_id(self) -> UUID:
        """The feed's id."""
        return self.message.feed_id

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
        return FeedRepository(self.workspace).get(self.feed_id)
