"""Who asserts something through the API (docs/interface.md, section 6, on proof, source and by)."""

from dataclasses import replace
from uuid import UUID

from storepost.accounts.workspaces.callers import Requester, WorkspaceCaller
from storepost.people.consent.model import ConsentOrigin, ConsentSource, Proof


def origin_of(
    caller: WorkspaceCaller,
    *,
    proof: Proof | None = None,
    store_id: UUID | None = None,
    source: ConsentSource | None = None,
) -> ConsentOrigin:
    """Returns the caller as a statement's origin; `source` where it isn't the caller's own.

    `proof` is what the request says of the person's own doing. The server adds which key or person
    called, and never takes the caller's address for the person's. `store_id` is that of a store
    whose record is pushed.
    """
    called = origin_by(caller.requester, proof=proof, store_id=store_id)
    return replace(called, source=source) if source else called


def origin_by(
    requester: Requester, *, proof: Proof | None = None, store_id: UUID | None = None
) -> ConsentOrigin:
    """Returns the origin of who asked at some time before: `api` for a key,
    `manual` for a person.
    """
    source = ConsentSource.API if requester.key_id else ConsentSource.MANUAL
    called = Proof(user_id=requester.person_id, api_key_id=requester.key_id)
    return ConsentOrigin(source, store_id, called, requester.name).proven_by(proof)
