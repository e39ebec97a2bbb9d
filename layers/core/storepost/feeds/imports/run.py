"""One run of the worker for one feed, with what the feed's imports have."""

from dataclasses import dataclass

from storepost.feeds.feeds.messages import FeedImportMessage
from storepost.feeds.feeds.model import Feed
from storepost.feeds.feeds.repository import FeedImportRepository, FeedRepository
from storepost.feeds.imports.objects import KeptFiles
from storepost.platform.jobs.runs import Run


@dataclass(frozen=True)
class FeedRun(Run[FeedImportMessage]):
    """One run of the worker for one feed."""

    @property
    def imports(self) -> FeedImportRepository:
        """Returns the feed's imports."""
        return FeedImportRepository(self.message.workspace, self.message.feed_id)

    @property
    def files(self) -> KeptFiles:
        """Returns what the feed's imports keep."""
        return KeptFiles(self.message.workspace, self.message.feed_id)

    def feed(self) -> Feed | None:
        """Returns the feed as it stands."""
        return FeedRepository(self.message.workspace).get(self.message.feed_id)
