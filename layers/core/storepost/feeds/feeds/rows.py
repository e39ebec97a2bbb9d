"""Rows of feeds, of their imports and of skipped rows."""

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from storepost.platform.persistence.item import (
    Identifier,
    Item,
    UtcDateTimeAttribute,
    VersionedItem,
)
from storepost.platform.persistence.records import Json, Record, Records


class FeedItem(VersionedItem, discriminator="feed"):
    """A feed, and how its imports take turns."""

    id = Identifier()
    store_id = Identifier()
    name = UnicodeAttribute()
    url = UnicodeAttribute()
    locale = UnicodeAttribute(null=True)
    mode = UnicodeAttribute()
    mapping = Json()
    created_at = UtcDateTimeAttribute()
    next_import_at = UtcDateTimeAttribute()
    counts = Json()
    queued = Identifier(null=True)
    running = Identifier(null=True)
    ended = Identifier(null=True)
    outcome = UnicodeAttribute(null=True)
    queued_at = UtcDateTimeAttribute(null=True)
    deleted_at = UtcDateTimeAttribute(null=True)
    removed = NumberAttribute(default=0)


class FeedAddressItem(Item, discriminator="feed_address"):
    """The claim of a feed's address."""

    feed_id = Identifier()


class FeedImportItem(Item, discriminator="feed_import"):
    """An import."""

    id = Identifier()
    feed_id = Identifier()
    status = UnicodeAttribute()
    trigger = UnicodeAttribute()
    queued_at = UtcDateTimeAttribute()
    started_at = UtcDateTimeAttribute(null=True)
    completed_at = UtcDateTimeAttribute(null=True)
    format = UnicodeAttribute(null=True)
    bytes = NumberAttribute(null=True)
    content_type = UnicodeAttribute(null=True)
    counts = Record(
        *("rows", "imported", "variant_only", "from_first_row", "created", "products"),
        *("unmatched", "skipped", "removed", "left_out"),
    )
    failure = UnicodeAttribute(null=True)
    stage = UnicodeAttribute()
    plan = Identifier(null=True)
    done = NumberAttribute()
    read = NumberAttribute(null=True)
    matched = NumberAttribute(null=True)


class SkippedRowsItem(Item, discriminator="feed_skipped"):
    """A hundred skipped rows."""

    rows = Records("row", "id", "reason", named_by=["row"])


class FeedDueItem(Item, discriminator="feed_due"):
    """The time at which a feed is due."""

    workspace_id = Identifier()
    feed_id = Identifier()
