"""The rows of imports, of their problems and of stores' turns."""

from pynamodb.attributes import JSONAttribute, NumberAttribute, UnicodeAttribute

from storepost.accounts.workspaces.rows import RequestedBy
from storepost.platform.persistence.item import (
    Identifier,
    Item,
    UtcDateTimeAttribute,
    VersionedItem,
)
from storepost.platform.persistence.records import Record, Records


class ImportItem(Item, discriminator="store_import"):
    """An import."""

    id = Identifier()
    store_id = Identifier()
    scope = UnicodeAttribute()
    status = UnicodeAttribute()
    requester = RequestedBy(null=True)
    queued_at = UtcDateTimeAttribute()
    started_at = UtcDateTimeAttribute(null=True)
    completed_at = UtcDateTimeAttribute(null=True)
    failure = UnicodeAttribute(null=True)
    done = NumberAttribute(default=0)
    imported = Record("customers", "orders", "products")
    problems = NumberAttribute(default=0)
    stage = UnicodeAttribute(null=True)
    content = UnicodeAttribute(null=True)
    pull = Record("operation", "after", "exports", "swept", "shows_all", null=True)
    """Conditions compare it as a whole, so no element may ever be added to it."""
    removed = NumberAttribute(default=0)


class ImportTurnsItem(VersionedItem, discriminator="import_turns"):
    """A store's turns."""

    counts = Records("scope", "status", "count", named_by=["scope", "status"])
    latest = Identifier(null=True)
    latest_of = JSONAttribute()
    queued_at = UtcDateTimeAttribute(null=True)
    running = Identifier(null=True)
    ended = Identifier(null=True)
    outcome = UnicodeAttribute(null=True)
    cut_short = Records("after", "until", "at", named_by=["after", "until"])
    products_imported_at = UtcDateTimeAttribute(attr_name="products_brought_at", null=True)


class ImportProblemItem(Item, discriminator="import_problem"):
    """A record that an import couldn't import."""

    index = NumberAttribute()
    external_id = UnicodeAttribute(null=True)
    code = UnicodeAttribute()
    detail = UnicodeAttribute()
