"""One run of the worker for one feed: what it reads and writes."""

from dataclasses import dataclass

from storepost.feeds.feeds.messages import FeedImportMessage
from storepost.feeds.feeds.model import Feed
from storepost.feeds.feeds.repository import FeedImportRepository, FeedRepository
from storepost.feeds.imports.objects import FeedObjects
from storepost.platform.jobs.runs import Run


@dataclass(frozen=True)
class FeedRun(Run[FeedImportMessage]):
    """One run of the worker for one feed."""

    @property
    def imports(self) -> FeedImportRepository:
        """Returns the feed's imports."""
        return FeedImportRepository(self.message.workspace, self.message.feed_id)

    @property
    def files(self) -> FeedObjects:
        """Returns the objects of the feed's imports."""
        return FeedObjects(self.message.workspace, self.message.feed_id)

    def feed(self) -> Feed | None:
        """Returns the feed as it is stored now."""
        return FeedRepository(self.message.workspace).get(self.message.feed_id)
