"""Previews and checks of feeds on the wire."""

from pydantic import Field

from storepost.feeds.feeds.import_schemas import FeedSkippedRow
from storepost.feeds.feeds.schemas import MappedTo, mapped_to
from storepost.feeds.files.formats import FeedFormat
from storepost.feeds.imports.checking import Check, Preview
from storepost.values.wire import Shape


class FeedColumn(Shape):
    """A column of a feed, and what it probably is."""

    name: str = Field(description="The column's name as the file has it, for `mapping`.")
    suggested: MappedTo = Field(
        description="What the column probably is, by its name and its values: a feed field, or a "
        "custom field where it is none. Look at it before you use it as `mapping`."
    )
    samples: list[str] = Field(
        description="Up to three different values of the column, each cut at 200 characters."
    )


class FeedPreview(Shape):
    """What a feed's first rows have."""

    format: FeedFormat = Field(description="What the file is, as its content says.")
    columns: list[FeedColumn] = Field(description="The first 500 columns, in the file's order.")
    sampled: int = Field(description="How many rows were read.")
    matches: int = Field(
        description="How many of them are about a product or variant that the store has, by the "
        "suggested mapping."
    )

    @classmethod
    def of(cls, preview: Preview) -> "FeedPreview":
        """The preview in this shape."""
        return cls.from_model(
            preview,
            columns=[
                FeedColumn(
                    name=column.name,
                    suggested=mapped_to(column.suggested),
                    samples=list(column.samples),
                )
                for column in preview.columns
            ],
        )


class FeedCheck(Shape):
    """What an import would do with a feed's first rows: `checked = importable + unmatched +
    skipped`.
    """

    checked: int = Field(description="How many rows were read.")
    importable: int = Field(description="How many of them would be imported.")
    variant_only: int = Field(
        description="How many of the importable rows have fields of a variant alone, because "
        "another row of their group gives the product's."
    )
    from_first_row: int = Field(
        description="How many products, not rows, would take their own fields from the first row "
        "of their group, because no row has the group's id."
    )
    unmatched: int = Field(
        description="How many rows are about nothing that the store has, and would be left out "
        "because the mode is `enrich_only`."
    )
    skipped: int = Field(description="How many rows can't be used.")
    skipped_rows: list[FeedSkippedRow] = Field(
        description="The first 500 rows that can't be used, each with its reason. Rows that would "
        "be imported without their price, because it is in another currency than the store's, are "
        "among them; `skipped` doesn't count these."
    )

    @classmethod
    def of(cls, check: Check) -> "FeedCheck":
        """The check in this shape."""
        counts = check.counts
        return cls.from_model(
            counts,
            checked=counts.rows,
            importable=counts.imported,
            skipped_rows=[FeedSkippedRow.from_model(row) for row in check.skipped],
        )
