"""The words of an erased person's name, by which the search may still find them.

Until a worker has deleted those postings, the erased profile's row has the words, sealed under a
key derived from KMS's: a reader of the row doesn't learn the name.
"""

from uuid import UUID

from storepost.people.profiles.model import Profile
from storepost.people.profiles.searching import searched
from storepost.platform.persistence.sealed_tokens import open_token, seal_token
from storepost.platform.persistence.sealing import Purpose
from storepost.platform.postings.entries import postings_of
from storepost.values.scope import WorkspaceScope

_ID = 16


def sealed_words(profile: Profile) -> str | None:
    """Returns the words by which the search finds a profile; None for a profile without a name.

    Such a profile is found by its addresses, which its identities have.
    """
    words = [posting.word for posting in postings_of(searched(profile))]
    if not words or not (profile.first_name or profile.last_name):
        return None
    content = profile.id.bytes + "\n".join(words).encode()
    return seal_token(content, profile.workspace, Purpose.ERASED_NAME)


def opened_words(sealed: str | None, workspace: WorkspaceScope, profile_id: UUID) -> list[str]:
    """Returns the words sealed for this profile; none if they were sealed for another."""
    opened = open_token(sealed, Purpose.ERASED_NAME) if sealed else None
    if opened is None:
        return []
    of, content = opened
    is_own = of == workspace and content[:_ID] == profile_id.bytes
    return content[_ID:].decode().split("\n") if is_own else []
