"""Feeds on the wire."""

from collections.abc import Mapping
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field, StringConstraints

from storepost.feeds.feeds import model
from storepost.feeds.feeds.listing import FeedView
from storepost.feeds.feeds.model import FeedImportStatus, FeedMode, FeedSettings, FeedTrigger
from storepost.feeds.files.failures import FeedFailure
from storepost.feeds.files.formats import FeedFormat
from storepost.feeds.records.mapping import CUSTOM, Target
from storepost.stores.stores.references import StoreReference
from storepost.values.locale_codes import LocaleCode
from storepost.values.wire import Id, NotNull, RequestBody, Shape, Text, Timestamp, Uri, Url

MAX_COLUMNS = 500

Column = Annotated[str, StringConstraints(min_length=1, max_length=255)]


class CustomField(RequestBody):
    """A column that is kept as a custom field of the product."""

    custom: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]


type MappedTo = Target | CustomField

FeedMapping = Annotated[
    dict[Column, MappedTo],
    Field(
        max_length=MAX_COLUMNS,
        examples=[{"id": "id", "title": "title", "material": {"custom": "material"}}],
    ),
]


def mapping_value(mapping: Mapping[str, MappedTo]) -> dict[str, str]:
    """The mapping as the service has it."""
    return {
        column: f"{CUSTOM}{to.custom}" if isinstance(to, CustomField) else to.value
        for column, to in mapping.items()
    }


def mapped_to(target: str) -> MappedTo:
    """A mapping's value as it goes over the wire."""
    if target.startswith(CUSTOM):
        return CustomField(custom=target.removeprefix(CUSTOM))
    return Target(target)


class FeedSource(RequestBody):
    """Where a feed is, for a preview."""

    store_id: Id
    url: Url


class FeedDraft(FeedSource):
    """A feed that isn't created yet, for a check."""

    locale: LocaleCode | None = None
    mode: FeedMode
    mapping: FeedMapping

    def settings(self) -> FeedSettings:
        """The draft as the service has it."""
        mapping = mapping_value(self.mapping)
        return FeedSettings("", self.url, self.locale, self.mode, mapping)


class NewFeed(FeedDraft):
    """A feed to create."""

    name: Text

    def settings(self) -> FeedSettings:
        """The feed as the service has it."""
        mapping = mapping_value(self.mapping)
        return FeedSettings(self.name, self.url, self.locale, self.mode, mapping)


class FeedUpdate(RequestBody):
    """What to change of a feed; null clears the locale, what is left out stays."""

    name: Annotated[Text | None, NotNull()] = None
    url: Annotated[Url | None, NotNull()] = None
    locale: LocaleCode | None = None
    mode: Annotated[FeedMode | None, NotNull()] = None
    mapping: Annotated[FeedMapping | None, NotNull()] = None

    def fields(self) -> dict[str, Any]:
        """What the request names, by the names of `Settings`."""
        fields = {name: getattr(self, name) for name in self.model_fields_set}
        if self.mapping is not None:
            fields["mapping"] = mapping_value(self.mapping)
        return fields


class FeedCounts(Shape):
    """What an import did: `rows = imported + unmatched + skipped`.

    `products`, `created` and `fromFirstRow` count products: those that the rows are about, those
    made of them, and those whose fields are from the first row of a group that has no row of its
    own. `variantOnly` are rows that bring fields of a variant alone; `removed` are rows of the
    import before that this one didn't bring.
    """

    rows: int
    imported: int
    variant_only: int
    from_first_row: int
    created: int
    products: int
    unmatched: int
    skipped: int
    removed: int


class FeedImport(Shape):
    """One import of a feed."""

    id: UUID
    feed_id: UUID
    status: FeedImportStatus
    trigger: FeedTrigger
    format: FeedFormat | None
    bytes: int | None
    counts: FeedCounts
    error: FeedFailure | None
    queued_at: Timestamp
    started_at: Timestamp | None
    completed_at: Timestamp | None

    @classmethod
    def of(cls, one: model.FeedImport) -> "FeedImport":
        """The import in this shape."""
        counts = one.counts
        return cls(
            id=one.id,
            feed_id=one.feed_id,
            status=one.status,
            trigger=one.trigger,
            format=one.format,
            bytes=one.bytes,
            counts=FeedCounts(
                rows=counts.rows,
                imported=counts.imported,
                variant_only=counts.variant_only,
                from_first_row=counts.from_first_row,
                created=counts.created,
                products=counts.products,
                unmatched=counts.unmatched,
                skipped=counts.skipped,
                removed=counts.removed,
            ),
            error=one.failure,
            queued_at=one.queued_at,
            started_at=one.started_at,
            completed_at=one.completed_at,
        )


class Feed(Shape):
    """A feed of a store.

    `rank` is its place among the store's product sources, from 1; `latestImport` is the import that
    runs, else the one that waits, else the latest.
    """

    id: UUID
    store: StoreReference
    name: str
    url: Uri
    locale: str | None
    mode: FeedMode
    mapping: dict[str, MappedTo]
    rank: int
    latest_import: FeedImport | None
    next_import_at: Timestamp
    created_at: Timestamp

    @classmethod
    def of(cls, view: FeedView) -> "Feed":
        """The feed in this shape."""
        feed, settings, latest = view.feed, view.feed.settings, view.latest
        return cls(
            id=feed.id,
            store=StoreReference.of(view.store),
            name=settings.name,
            url=settings.url,
            locale=settings.locale,
            mode=settings.mode,
            mapping={column: mapped_to(target) for column, target in settings.mapping.items()},
            rank=view.rank,
            latest_import=FeedImport.of(latest) if latest else None,
            next_import_at=feed.next_import_at,
            created_at=feed.created_at,
        )


class FeedSkippedRow(Shape):
    """A row that was skipped, or imported without its price: its number in the file, from 1, its id
    where it has one, and why."""

    row: int
    id: str | None
    reason: str

    @classmethod
    def of(cls, skipped: model.SkippedRow) -> "FeedSkippedRow":
        """The row in this shape."""
        return cls(row=skipped.row, id=skipped.id, reason=skipped.reason)
