"""Deletes an account in one transaction; a worker removes the rest."""

from storepost.accounts.identity.model import SignedInPerson
from storepost.accounts.me.messages import AccountErasureMessage
from storepost.accounts.me.proof import prove
from storepost.accounts.me.repository import delete_person
from storepost.accounts.workspaces.model import Role
from storepost.accounts.workspaces.problems import OwnerLeave
from storepost.accounts.workspaces.repository import WorkspaceRepository, standings_of
from storepost.platform.messaging.messages import send
from storepost.platform.persistence.changes import Changes

MEMBERSHIPS_AT_ONCE = 40
"""Memberships in that transaction, two rows each: with the account's own rows it stays within 90.
The worker removes further ones; without its account a membership gives nobody access, and a key's
maker no role.
"""


def delete_account(caller: SignedInPerson, password: str, ip: str | None, changes: Changes) -> None:
    """Deletes the caller's account, the claim of its address and its memberships.

    From then on every session is over, and keys that the person made have no maker. Raises
    OwnerLeave while the person owns a workspace.
    """
    person = prove(caller, password, ip).person
    # It reads the version that a unit which gives the person a workspace raises: so before these.
    delete_person(changes, person)
    standings = standings_of(person.scope)
    if any(standing.membership.role is Role.OWNER for standing in standings):
        raise OwnerLeave()
    for standing in standings[:MEMBERSHIPS_AT_ONCE]:
        WorkspaceRepository(standing.workspace.scope).delete_member(changes, standing.membership)
    send(changes, AccountErasureMessage(person.id))
