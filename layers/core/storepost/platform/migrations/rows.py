"""The row of a migration of a workspace: how far it has come."""

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from storepost.platform.persistence.item import UtcDateTimeAttribute, VersionedItem
from storepost.platform.persistence.records import Json


class MigrationItem(VersionedItem, discriminator="migration"):
    """How far the newest run of a migration has come. It stays when the run is done."""

    run = NumberAttribute()
    """How many times the migration was started in this workspace, from 1."""
    step = UnicodeAttribute()
    after = UnicodeAttribute()
    """The cursor in the step: the next page is behind it."""
    counts = Json()
    """What was passed and written so far: numbers by what they count."""
    started_at = UtcDateTimeAttribute()
    updated_at = UtcDateTimeAttribute()
    done_at = UtcDateTimeAttribute(null=True)
