"""What the rows of feeds, of their imports and of skipped rows hold."""

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from storepost.platform.persistence.item import Identifier, Item, Json, Moment, VersionedItem


class FeedItem(VersionedItem, discriminator="feed"):
    """A feed, and how its imports take turns."""

    id = Identifier()
    store_id = Identifier()
    name = UnicodeAttribute()
    url = UnicodeAttribute()
    locale = UnicodeAttribute(null=True)
    mode = UnicodeAttribute()
    mapping = Json()
    created_at = Moment()
    next_import_at = Moment()
    counts = Json()
    queued = Identifier(null=True)
    running = Identifier(null=True)
    ended = Identifier(null=True)
    outcome = UnicodeAttribute(null=True)
    queued_at = Moment(null=True)
    deleted_at = Moment(null=True)
    removed = NumberAttribute(default=0)


class FeedAddressItem(Item, discriminator="feed_address"):
    """Which feed has an address."""

    feed_id = Identifier()


class FeedImportItem(Item, discriminator="feed_import"):
    """An import; `counts` are in the order of `FeedCounts`."""

    id = Identifier()
    feed_id = Identifier()
    status = UnicodeAttribute()
    trigger = UnicodeAttribute()
    queued_at = Moment()
    started_at = Moment(null=True)
    completed_at = Moment(null=True)
    format = UnicodeAttribute(null=True)
    bytes = NumberAttribute(null=True)
    content_type = UnicodeAttribute(null=True)
    counts = Json()
    failure = UnicodeAttribute(null=True)
    stage = UnicodeAttribute()
    done = NumberAttribute()


class SkippedRowsItem(Item, discriminator="feed_skipped"):
    """A hundred skipped rows, each `[row, id, reason]`."""

    rows = Json()


class FeedDueItem(Item, discriminator="feed_due"):
    """That a feed is due at a time."""

    workspace_id = Identifier()
    feed_id = Identifier()
