"""Logs who read, exported or erased a person's data: one line, with ids alone."""

from uuid import UUID

from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.values.logs import logger


def log_access(
    event: str,
    profile_id: UUID | None,
    *,
    caller: WorkspaceCaller | None = None,
    store_id: UUID | None = None,
) -> None:
    """Logs that the caller, or a store that requested it, did this with a profile, if any."""
    by = caller.requester if caller else None
    named = {
        "profileId": profile_id,
        "keyId": by.key_id if by else None,
        "personId": by.person_id if by else None,
        "storeId": store_id,
    }
    logger.info(event, extra={name: str(each) for name, each in named.items() if each})
