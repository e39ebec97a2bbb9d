"""What the rows of imports, of their problems and of stores' turns hold."""

from pynamodb.attributes import JSONAttribute, NumberAttribute, UnicodeAttribute

from storepost.accounts.workspaces.rows import RequestedBy
from storepost.platform.persistence.item import (
    Identifier,
    Item,
    UtcDateTimeAttribute,
    VersionedItem,
)


class ImportItem(Item, discriminator="store_import"):
    """An import; `imported` is customers, orders, products."""

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
    imported = JSONAttribute()
    problems = NumberAttribute(default=0)
    stage = UnicodeAttribute(null=True)
    content = UnicodeAttribute(null=True)
    pull = JSONAttribute(null=True)
    """Operation, after, exports, swept."""
    removed = NumberAttribute(default=0)


class ImportTurnsItem(VersionedItem, discriminator="import_turns"):
    """A store's turns; `counts` are `[scope, status, count]`, `cut_short` `[after, until, at]`."""

    counts = JSONAttribute()
    latest = Identifier(null=True)
    latest_of = JSONAttribute()
    queued_at = UtcDateTimeAttribute(null=True)
    running = Identifier(null=True)
    ended = Identifier(null=True)
    outcome = UnicodeAttribute(null=True)
    cut_short = JSONAttribute()
    products_imported_at = UtcDateTimeAttribute(attr_name="products_brought_at", null=True)


class ImportProblemItem(Item, discriminator="import_problem"):
    """A record that an import could not take."""

    index = NumberAttribute()
    external_id = UnicodeAttribute(null=True)
    code = UnicodeAttribute()
    detail = UnicodeAttribute()
