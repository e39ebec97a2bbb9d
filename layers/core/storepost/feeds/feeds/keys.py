"""Keys of the rows of feeds, of their imports, and of feeds that are due."""

from datetime import datetime
from hashlib import blake2b
from uuid import UUID

from storepost.platform.persistence.item import Key
from storepost.values import clock
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope

FEEDS = "feed#"
IMPORTS = "import#"
DUE_SHARDS = 8


def feed_key(workspace: WorkspaceScope, feed_id: UUID) -> Key:
    """Returns the key of a feed's row."""
    return (workspace.key, f"{FEEDS}{short(feed_id)}")


def address_key(workspace: WorkspaceScope, store_id: UUID, url: str, locale: str | None) -> Key:
    """Returns the key of an address's claim: a store has one feed of an address and a locale."""
    digest = blake2b(f"{locale or ''} {url}".encode(), digest_size=20).hexdigest()
    return (workspace.key, f"feed_address#{short(store_id)}#{digest}")


def imports_partition(workspace: WorkspaceScope, feed_id: UUID) -> str:
    """Returns the partition of a feed's imports."""
    return workspace.partition("feed_imports", short(feed_id))


def import_key(workspace: WorkspaceScope, feed_id: UUID, import_id: UUID) -> Key:
    """Returns the key of an import; short ids sort as ids do, and ids by `queuedAt`."""
    return (imports_partition(workspace, feed_id), f"{IMPORTS}{short(import_id)}")


def skipped_partition(workspace: WorkspaceScope, import_id: UUID) -> str:
    """Returns the partition of the rows that an import skipped."""
    return workspace.partition("feed_skipped", short(import_id))


def skipped_key(workspace: WorkspaceScope, import_id: UUID, number: int) -> Key:
    """Returns the key of a row with a hundred skipped rows; hundreds count from 0."""
    return (skipped_partition(workspace, import_id), f"rows#{number:06d}")


def partition(shard: int) -> str:
    """Returns one of the partitions that the schedule queries."""
    return f"due#feeds#{shard}"


def due_key(feed_id: UUID, at: datetime) -> Key:
    """Returns the key of the row that says when a feed is due."""
    return (partition(feed_id.int % DUE_SHARDS), f"{clock.to_text(at)}#{short(feed_id)}")
