"""Unsubscribe links: all that one is about stands sealed in its token, and nowhere else.

An address is unsubscribed by the link that was sent to it, whatever has happened to the profile.
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
    """Says what a link is about."""

    workspace: WorkspaceScope
    profile_id: UUID
    """Whose the address was when the link was made."""
    email: str = field(repr=False)
    reference: str | None = field(repr=False)
    """What its maker calls the email that the link stands in."""

    @property
    def address(self) -> Address:
        """Returns the address that the link unsubscribes."""
        return Address(Channel.EMAIL, self.email)

    @property
    def token(self) -> str:
        """Returns the link's token: the same one each time, and it says nothing to anybody else."""
        content = f"{self.email}\0{self.reference or ''}".encode()
        return seal_token(self.profile_id.bytes + content, self.workspace, Purpose.UNSUBSCRIBE_LINK)


def read_link(token: str) -> UnsubscribeLink | None:
    """Returns the link of a token; None where no link has that token."""
    opened = open_token(token, Purpose.UNSUBSCRIBE_LINK)
    if opened is None:
        return None
    workspace, content = opened
    email, _, reference = content[_ID:].decode().partition("\0")
    return UnsubscribeLink(workspace, UUID(bytes=content[:_ID]), email, reference or None)
