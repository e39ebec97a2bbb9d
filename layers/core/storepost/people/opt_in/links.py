"""Opt-in links: the sealed token names a request, and only this service can make one."""

from dataclasses import dataclass
from uuid import UUID

from storepost.platform.persistence.sealed_tokens import open_token, seal_token
from storepost.platform.persistence.sealing import Purpose
from storepost.values.scope import WorkspaceScope

_ID = 16


@dataclass(frozen=True)
class OptInLink:
    """Locates the request of a link."""

    workspace: WorkspaceScope
    profile_id: UUID
    request_id: UUID

    @property
    def token(self) -> str:
        """Returns the link's token, which is the same each time."""
        content = self.profile_id.bytes + self.request_id.bytes
        return seal_token(content, self.workspace, Purpose.OPT_IN_LINK)


def read_link(token: str) -> OptInLink | None:
    """Returns the link of a token; None for an invalid token."""
    opened = open_token(token, Purpose.OPT_IN_LINK)
    if opened is None:
        return None
    workspace, content = opened
    return OptInLink(workspace, UUID(bytes=content[:_ID]), UUID(bytes=content[_ID:]))
