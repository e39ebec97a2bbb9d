"""Previews and checks of feeds on the wire."""

from storepost.feeds.feeds.schemas import FeedSkippedRow, MappedTo, mapped_to
from storepost.feeds.files.formats import FeedFormat
from storepost.feeds.imports.checking import Check, Preview
from storepost.values.wire import Shape


class FeedColumn(Shape):
    """A column of a feed: what it probably is, and up to three of its values."""

    name: str
    suggested: MappedTo
    samples: list[str]


class FeedPreview(Shape):
    """What a feed's first rows have; `matches` are those about something that the store has."""

    format: FeedFormat
    columns: list[FeedColumn]
    sampled: int
    matches: int

    @classmethod
    def of(cls, preview: Preview) -> "FeedPreview":
        """The preview in this shape."""
        return cls(
            format=preview.format,
            columns=[
                FeedColumn(
                    name=column.name,
                    suggested=mapped_to(column.suggested),
                    samples=list(column.samples),
                )
                for column in preview.columns
            ],
            sampled=preview.sampled,
            matches=preview.matches,
        )


class FeedCheck(Shape):
    """What an import would do with a feed's first rows: `checked = importable + unmatched +
    skipped`.

    `skippedRows` are the first 500 of those, and of the rows that are imported without their price,
    because it is in another currency than the store's; `skipped` doesn't count these.
    """

    checked: int
    importable: int
    variant_only: int
    from_first_row: int
    unmatched: int
    skipped: int
    skipped_rows: list[FeedSkippedRow]

    @classmethod
    def of(cls, check: Check) -> "FeedCheck":
        """The check in this shape."""
        counts = check.counts
        return cls(
            checked=counts.rows,
            importable=counts.imported,
            variant_only=counts.variant_only,
            from_first_row=counts.from_first_row,
            unmatched=counts.unmatched,
            skipped=counts.skipped,
            skipped_rows=[FeedSkippedRow.of(row) for row in check.skipped],
        )
