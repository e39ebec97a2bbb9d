"""Who asserts something through the API (operations.md, section 6, on proof, source and by)."""

from uuid import UUID

from storepost.api_keys.requesters import requester_of
from storepost.consent.model import Origin, Proof, Source
from storepost.workspaces.callers import Requester, WorkspaceCaller


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
    return origin_by(requester_of(caller), given=given, store_id=store_id, source=source)


def origin_by(
    requester: Requester,
    *,
    given: Proof | None = None,
    store_id: UUID | None = None,
    source: Source | None = None,
) -> Origin:
    """As `origin_of`, for who asked at some time before."""
    usual = Source.API if requester.key_id else Source.MANUAL
    called = Proof(user_id=requester.person_id, api_key_id=requester.key_id)
    return Origin(source or usual, store_id, called, requester.name).proven_by(given)
