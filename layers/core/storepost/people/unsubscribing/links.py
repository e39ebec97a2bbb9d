"""Unsubscribe links: all data of a link is sealed in its token, and isn't stored.

A link unsubscribes the address that it was sent to, whatever has happened to the profile.
"""

from dataclasses import dataclass, field
from uuid import UUID

from storepost.people.consent.model import Address
from storepost.people.consent.states import Channel
from storepost.platform.persistence.sealed_tokens import open_token, seal_token
from storepost.platform.persistence.sealing import Purpose
from storepost.values.scope import WorkspaceScope

_ID = 16


@dataclass(frozen=True)
class UnsubscribeLink:
    """The contents of a link."""

    workspace: WorkspaceScope
    profile_id: UUID
    """The profile that had the address when the link was made."""
    email: str = field(repr=False)
    reference: str | None = field(repr=False)
    """The link maker's reference of the email with the link."""

    @property
    def address(self) -> Address:
        """Returns the address that the link unsubscribes."""
        return Address(Channel.EMAIL, self.email)

    @property
    def token(self) -> str:
        """Returns the link's token, which is the same each time and can be read only here."""
        content = f"{self.email}\0{self.reference or ''}".encode()
        return seal_token(self.profile_id.bytes + content, self.workspace, Purpose.UNSUBSCRIBE_LINK)


def read_link(token: str) -> UnsubscribeLink | None:
    """Returns the link of a token; None for an invalid token."""
    opened = open_token(token, Purpose.UNSUBSCRIBE_LINK)
    if opened is None:
        return None
    workspace, content = opened
    email, _, reference = content[_ID:].decode().partition("\0")
    return UnsubscribeLink(workspace, UUID(bytes=content[:_ID]), email, reference or None)
