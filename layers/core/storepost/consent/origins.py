"""Who asserts something through the API (operations.md, section 6, on proof, source and by)."""

from dataclasses import replace
from uuid import UUID

from storepost.consent.model import Origin, Proof, Source
from storepost.identity.model import ApiKeyHolder
from storepost.workspaces.callers import WorkspaceCaller


def origin_of(
    caller: WorkspaceCaller, *, given: Proof | None = None, store_id: UUID | None = None
) -> Origin:
    """The caller as an assertion's origin: `api` for a key, `manual` for a person.

    `given` is what the request says of the person's own doing. The server adds which key or person
    called, and never takes the caller's address for the person's. `store_id` is that of a store
    whose record is pushed.
    """
    proof = given or Proof()
    if isinstance(caller.by, ApiKeyHolder):
        filled = replace(proof, api_key_id=caller.by.key_id)
        return Origin(Source.API, store_id, filled, caller.by.name)
    filled = replace(proof, user_id=caller.by.person.id)
    return Origin(Source.MANUAL, store_id, filled, caller.by.person.name)
