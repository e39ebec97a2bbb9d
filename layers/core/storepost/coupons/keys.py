"""Keys of coupons, of their codes, and of the work on them."""

from datetime import datetime
from functools import lru_cache
from uuid import UUID
from zlib import crc32

from storepost.platform.persistence.item import Key
from storepost.values import clock
from storepost.values.ids import SHORT_LENGTH, from_short, short
from storepost.values.scope import WorkspaceScope

CODE_SHARDS = 64
"""Partitions of a workspace's codes: each takes a thousand write units a second."""

DUE_SHARDS = 8
DUE_PARTITION = "due#coupon_expiry#"
_POINTER = "coupon_code#"
WORKS = "work#"
"""The prefix of the sort keys of codes that are still to be stored."""
_REMOVAL = "removal#"
_IN_DOUBT = "removal~"
REMOVALS = "removal"
"""The prefix of the sort keys of codes that the platform has to delete, if it has them.

Those that it has sort first.
"""


def coupons_partition(workspace: WorkspaceScope) -> str:
    """Returns the partition of a workspace's coupons."""
    return workspace.partition("coupons", "all")


def coupon_key(workspace: WorkspaceScope, coupon_id: UUID) -> Key:
    """Returns the key of a coupon."""
    return (coupons_partition(workspace), short(coupon_id))


@lru_cache(maxsize=4 * CODE_SHARDS)
def codes_partition(workspace: WorkspaceScope, shard: int) -> str:
    """Returns one of the partitions of a workspace's codes."""
    return workspace.partition("coupon_codes", str(shard))


def code_key(workspace: WorkspaceScope, code: UUID) -> Key:
    """Returns the key of a code, or of an order's use of it before it was one of ours."""
    return (codes_partition(workspace, code.int % CODE_SHARDS), short(code))


def list_partition(workspace: WorkspaceScope, coupon_id: UUID) -> str:
    """Returns the partition of the list of a coupon's codes."""
    return workspace.partition("coupon", short(coupon_id), "codes")


def jobs_partition(workspace: WorkspaceScope, coupon_id: UUID) -> str:
    """Returns the partition of the work that is left for a coupon."""
    return workspace.partition("coupon", short(coupon_id), "jobs")


def work_key(workspace: WorkspaceScope, coupon_id: UUID, work_id: UUID) -> Key:
    """Returns the key of a work of codes to be stored; the oldest request sorts first."""
    return (jobs_partition(workspace, coupon_id), f"{WORKS}{short(work_id)}")


def work_of(sort_key: str) -> UUID:
    """Returns the id of the work that has this sort key."""
    return from_short(sort_key.removeprefix(WORKS))


def removal_key(workspace: WorkspaceScope, coupon_id: UUID, code: UUID) -> Key:
    """Returns the key of a code's removal that is still to be sent to the platform."""
    return (jobs_partition(workspace, coupon_id), f"{_REMOVAL}{short(code)}")


def doubt_key(workspace: WorkspaceScope, coupon_id: UUID, code: UUID) -> Key:
    """Returns the key of the row that says that the platform may have a code."""
    return (jobs_partition(workspace, coupon_id), f"{_IN_DOUBT}{short(code)}")


def pointer_prefix(coupon_id: UUID | None = None) -> str:
    """Returns the prefix of the sort keys of a profile's pointers, or of those to one coupon."""
    return f"{_POINTER}{short(coupon_id)}#" if coupon_id else _POINTER


def pointer_key(workspace: WorkspaceScope, profile_id: UUID, coupon_id: UUID, name: str) -> Key:
    """Returns the key of a profile's pointer to a code of a coupon."""
    partition = pointer_partition(workspace, profile_id)
    return (partition, f"{_POINTER}{short(coupon_id)}#{name}")


def pointer_partition(workspace: WorkspaceScope, profile_id: UUID) -> str:
    """Returns the partition of a profile's pointers."""
    return workspace.partition("profile", short(profile_id))


def names_in_pointer(sort_key: str) -> tuple[UUID, str]:
    """Returns the coupon and the name of a pointer."""
    named = sort_key.removeprefix(_POINTER)
    return from_short(named[:SHORT_LENGTH]), named[SHORT_LENGTH + 1 :]


def due_partition(coupon_id: UUID) -> str:
    """Returns the partition of the rows that say when a coupon or its codes are due."""
    return f"{DUE_PARTITION}{_shard(coupon_id)}"


def due_key(coupon_id: UUID, at: datetime, code: UUID | None = None) -> Key:
    """Returns the key of the row that says when a code ends, or when a coupon is checked."""
    named = f"{short(coupon_id)}#{short(code) if code else ''}"
    return (f"{DUE_PARTITION}{_shard(coupon_id)}", f"{clock.to_text(at)}#{named}")


def _shard(coupon_id: UUID) -> int:
    return crc32(coupon_id.bytes) % DUE_SHARDS
