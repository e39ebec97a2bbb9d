"""Imports of feeds in answers."""

from uuid import UUID

from pydantic import Field

from storepost.feeds.feeds import model
from storepost.feeds.feeds.model import FeedImportStatus, FeedTrigger
from storepost.feeds.files.failures import FeedFailure
from storepost.feeds.files.formats import FeedFormat
from storepost.values.wire import Shape, Timestamp


class FeedCounts(Shape):
    """What an import did, in rows unless a field says otherwise: `rows = imported + unmatched +
    skipped`.
    """

    rows: int = Field(description="How many rows the file has, without the header.")
    imported: int = Field(
        description="How many rows are about a product now, those without a change too."
    )
    variant_only: int = Field(
        description="How many of the imported rows have fields of a variant alone, because "
        "another row of their group gives the product's."
    )
    from_first_row: int = Field(
        description="How many products, not rows, take their own fields from the first row of "
        "their group, because no row has the group's id."
    )
    created: int = Field(
        description="How many products, not rows, are new. It is 0 where the feed's mode is "
        "`enrich_only`."
    )
    products: int = Field(description="How many products, not rows, the imported rows are about.")
    unmatched: int = Field(
        description="How many rows are about nothing that the store has, and were left out "
        "because the feed's mode is `enrich_only`."
    )
    skipped: int = Field(
        description="How many rows couldn't be used; the list of skipped rows says why."
    )
    removed: int = Field(
        description="How many rows of the import before weren't in the file any more. Their values "
        "were removed."
    )


class FeedImport(Shape):
    """One import of a feed: the fetching of its file, and the result of each row."""

    id: UUID = Field(description="The id that paths of the feed's imports take.")
    feed_id: UUID = Field(description="The feed whose file is imported.")
    status: FeedImportStatus = Field(description="How far the import is.")
    trigger: FeedTrigger = Field(description="Why the import was queued.")
    format: FeedFormat | None = Field(
        description="What the file is, as its content says; null until it was read."
    )
    bytes: int | None = Field(
        description="The file's size before it is unpacked; while it is fetched, how much of it "
        "came so far, every few seconds. Null until then."
    )
    counts: FeedCounts = Field(
        description="What the import did. While it runs `rows` is how many were read so far, then "
        "`imported` of how many it is known which product they are about, then `products` how many "
        "were written; one of them moves every few seconds."
    )
    error: FeedFailure | None = Field(
        description="Why the import failed, as a whole; null unless it did."
    )
    queued_at: Timestamp = Field(description="When the import got its place in the queue.")
    started_at: Timestamp | None = Field(description="When it began to run; null until then.")
    completed_at: Timestamp | None = Field(
        description="When it was completed or failed; null until then."
    )

    @classmethod
    def of(cls, one: model.FeedImport) -> "FeedImport":
        """Returns the import in this shape."""
        counts = one.counts_so_far
        return cls.from_model(one, counts=FeedCounts.from_model(counts), error=one.failure)


class FeedSkippedRow(Shape):
    """A row that was skipped, or was imported without its price."""

    row: int = Field(
        description="The row's number in the file, from 1. The row of names isn't counted."
    )
    id: str | None = Field(
        description="What the row has in the column mapped to `id`; null where it has nothing."
    )
    reason: str = Field(
        description="Why, as a sentence for people, such as `The row has no id.` Don't branch on "
        "it."
    )
