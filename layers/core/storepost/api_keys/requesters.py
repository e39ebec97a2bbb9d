"""Who asks for something: a person by their name, a key by its own."""

from storepost.api_keys.repository import ApiKeyRepository
from storepost.identity.model import ApiKeyHolder
from storepost.workspaces.callers import Requester, WorkspaceCaller


def requester_of(caller: WorkspaceCaller) -> Requester:
    """The caller as it is kept; a key's name is read."""
    if isinstance(caller.by, ApiKeyHolder):
        known = ApiKeyRepository(caller.workspace).get(caller.by.key_id)
        return Requester(known.name if known else None, key_id=caller.by.key_id)
    return Requester(caller.by.person.name, person_id=caller.by.person.id)
