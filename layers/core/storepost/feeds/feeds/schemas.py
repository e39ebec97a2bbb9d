"""Feeds on the wire."""

from collections.abc import Mapping
from typing import Annotated, Any
from uuid import UUID

from pydantic import BeforeValidator, Field, StringConstraints

from storepost.feeds.feeds.import_schemas import FeedImport
from storepost.feeds.feeds.listing import FeedView
from storepost.feeds.feeds.model import FeedMode, FeedSettings
from storepost.feeds.records.mapping import CUSTOM, FeedField
from storepost.stores.stores.references import StoreReference
from storepost.values.locale_codes import LocaleCode
from storepost.values.wire import (
    Id,
    Name,
    NotNull,
    PartialUpdate,
    RequestBody,
    Shape,
    Timestamp,
    Uri,
    Url,
    few_names,
)

MAX_COLUMNS = 500

Column = Annotated[str, StringConstraints(min_length=1, max_length=255)]


class CustomField(RequestBody):
    """A column that is kept as a custom field of the product."""

    custom: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")] = Field(
        description="The key of the product's `customFields`: a lower-case letter, then at most 63 "
        "lower-case letters, digits or `_`. In the rules of field priority it is `custom.<key>`."
    )


_FIELDS = frozenset(FeedField)


def _as_one_kind(value: object) -> object:
    """Distinguishes a feed field from a custom one, so that errors are those of the kind that is
    meant.
    """
    if isinstance(value, dict):
        return CustomField.model_validate(value)
    if isinstance(value, CustomField) or (isinstance(value, str) and value in _FIELDS):
        return value
    raise ValueError('Must be a feed field such as `title`, or `{"custom": "<key>"}`')


type MappedTo = Annotated[
    FeedField | CustomField,
    BeforeValidator(_as_one_kind),
    Field(
        description='What a column is: a feed field such as `title`, `ignore`, or `{"custom": '
        '"<key>"}` for a custom field.'
    ),
]

_MAPPING = (
    "What each column of the file is, by the column's name. One column at least is `id`; columns "
    "that aren't named are left out. Of several columns of one field the first with a value counts."
)
FeedMapping = Annotated[
    dict[Column, MappedTo],
    Field(
        max_length=MAX_COLUMNS,
        examples=[{"id": "id", "title": "title", "material": {"custom": "material"}}],
        description=_MAPPING,
    ),
    few_names(MAX_COLUMNS),
]
FeedUrl = Annotated[
    Url,
    Field(
        description="Where the feed is fetched from, by `http` or `https`, without a password. "
        "Addresses of private networks are refused with `url_not_allowed`."
    ),
]
FeedLocale = Annotated[
    LocaleCode | None,
    Field(
        description="The locale that the feed's texts are written in, such as `de-AT`. Where it is "
        "null or left out, they count in every locale. A column mapped to `locale` has priority, "
        "row by row."
    ),
]
ModeOfFeed = Annotated[
    FeedMode,
    Field(
        description="What becomes of rows whose product the store doesn't have: `add_and_enrich` "
        "makes products of them, `enrich_only` leaves them out and only adds to products of the "
        "store."
    ),
]


def mapping_value(mapping: Mapping[str, MappedTo]) -> dict[str, str]:
    """Returns the mapping as the service has it."""
    return {
        column: f"{CUSTOM}{to.custom}" if isinstance(to, CustomField) else to.value
        for column, to in mapping.items()
    }


def mapped_to(target: str) -> MappedTo:
    """Returns a mapping's value as it goes over the wire."""
    if target.startswith(CUSTOM):
        return CustomField.of_stored(custom=target.removeprefix(CUSTOM))
    return FeedField(target)


class FeedSource(RequestBody):
    """Where a feed is, for a preview."""

    store_id: Id = Field(description="The store whose products the feed is about.")
    url: FeedUrl


class FeedDraft(FeedSource):
    """A feed that isn't created yet, for a check."""

    locale: FeedLocale = None
    mode: ModeOfFeed
    mapping: FeedMapping

    def settings(self) -> FeedSettings:
        """Returns the draft as the service has it."""
        mapping = mapping_value(self.mapping)
        return FeedSettings("", self.url, self.locale, self.mode, mapping)


class NewFeed(FeedDraft):
    """A feed to create: its name, its address, and how its file is read."""

    name: Name = Field(description="What people call the feed. It needn't be unique.")

    def settings(self) -> FeedSettings:
        """Returns the feed as the service has it."""
        mapping = mapping_value(self.mapping)
        return FeedSettings(self.name, self.url, self.locale, self.mode, mapping)


class FeedUpdate(PartialUpdate):
    """What to change of a feed; what is left out stays."""

    name: Annotated[Name | None, NotNull()] = Field(
        default=None, description="What people call the feed. Its change alone imports nothing."
    )
    url: Annotated[Url | None, NotNull()] = Field(
        default=None,
        description="Where the feed is fetched from now on, by `http` or `https`.",
    )
    locale: LocaleCode | None = Field(
        default=None,
        description="The locale that the feed's texts are written in. Null removes it: the texts "
        "then count in every locale.",
    )
    mode: Annotated[FeedMode | None, NotNull()] = Field(
        default=None,
        description="What becomes of rows whose product the store doesn't have, from the next "
        "import on.",
    )
    mapping: Annotated[FeedMapping | None, NotNull()] = Field(
        default=None,
        description="What each column of the file is. It replaces the former mapping whole, and "
        "one column at least is `id`.",
    )

    def fields(self) -> dict[str, Any]:
        """Returns the fields that the request has, by the names of `FeedSettings`."""
        fields = super().fields()
        if self.mapping is not None:
            fields["mapping"] = mapping_value(self.mapping)
        return fields


class Feed(Shape):
    """A feed of a store: a file at an address, which Storepost imports every six hours."""

    id: UUID = Field(
        description="The feed's id. Field priority names the feed by another one, its source's."
    )
    store: StoreReference = Field(description="The store whose products the feed is about.")
    name: str = Field(description="What people call the feed.")
    url: Uri = Field(description="Where the feed is fetched from.")
    locale: str | None = Field(
        description="The locale that the feed's texts are written in; null where they count in "
        "every locale. A column mapped to `locale` has priority, row by row."
    )
    mode: ModeOfFeed
    mapping: dict[str, MappedTo] = Field(
        description="What each column of the file is, by the column's name."
    )
    rank: int = Field(
        description="The feed's place among the store's product sources, from 1. Of two sources "
        "that have a field the one with the lower rank is shown, unless the field has an order of "
        "its own."
    )
    latest_import: FeedImport | None = Field(
        description="The import that runs, else the one that waits, else the one that ended last; "
        "null where there was none."
    )
    next_import_at: Timestamp = Field(
        description="When the feed is imported next by schedule. While its store is disconnected "
        "nothing is imported."
    )
    created_at: Timestamp = Field(
        description="When somebody created the feed, and its first import was queued."
    )

    @classmethod
    def of(cls, view: FeedView) -> "Feed":
        """Returns the feed in this shape."""
        feed, settings, latest = view.feed, view.feed.settings, view.latest
        return cls.from_model(
            settings,
            id=feed.id,
            store=StoreReference.from_model(view.store),
            mapping={column: mapped_to(target) for column, target in settings.mapping.items()},
            rank=view.rank,
            latest_import=FeedImport.of(latest) if latest else None,
            next_import_at=feed.next_import_at,
            created_at=feed.created_at,
        )
