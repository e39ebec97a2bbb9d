"""Who asserts something through the API (operations.md, section 6, on proof, source and by)."""

from uuid import UUID

from storepost.consent.model import Origin, Proof, Source
from storepost.identity.model import ApiKeyHolder
from storepost.workspaces.callers import WorkspaceCaller


def origin_of(
    caller: WorkspaceCaller,
    *,
    given: Proof | None = None,
    store_id: UUID | None = None,
    source: Source | None = None,
) -> Origin:
    """The caller as an assertion's origin: `api` for a key, `manual` for a person, or `source`.

    `given` is what the request says of the person's own doing. The server adds which key or person
    called, and never takes the caller's address for the person's. `store_id` is that of a store
    whose record is pushed.
    """
    if isinstance(caller.by, ApiKeyHolder):
        key = Proof(api_key_id=caller.by.key_id)
        called = Origin(source or Source.API, store_id, key, caller.by.name)
    else:
        person = caller.by.person
        called = Origin(source or Source.MANUAL, store_id, Proof(user_id=person.id), person.name)
    return called.proven_by(given)
