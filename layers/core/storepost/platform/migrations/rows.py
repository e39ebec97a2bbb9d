"""The row of a migration of a workspace: its progress."""

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from storepost.platform.persistence.item import UtcDateTimeAttribute, VersionedItem
from storepost.platform.persistence.records import Json


class MigrationItem(VersionedItem, discriminator="migration"):
    """The progress of a migration's newest run. It stays when the run is done."""

    run = NumberAttribute()
    """How many times the migration was started in this workspace, from 1."""
    step = UnicodeAttribute()
    after = UnicodeAttribute()
    """The cursor in the step: the next page begins after it."""
    counts = Json()
    """What was passed and written so far: numbers by the names of what they count."""
    started_at = UtcDateTimeAttribute()
    updated_at = UtcDateTimeAttribute()
    done_at = UtcDateTimeAttribute(null=True)
