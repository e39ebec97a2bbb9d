"""The account itself: its person, its name, and the workspace that its session works in."""

from dataclasses import dataclass, replace
from uuid import UUID

from storepost.accounts.identity.model import ApiKeyHolder, Caller, Person, SignedInPerson
from storepost.accounts.identity.problems import SignInRequired
from storepost.accounts.identity.repository import (
    activate_workspace,
    find_person,
    remember_workspace,
    rename_person,
)
from storepost.accounts.identity.trusted_browsers import count_trusted
from storepost.accounts.me.proof import present
from storepost.accounts.workspaces.repository import (
    Standing,
    WorkspaceRepository,
    active_standing,
    standings_of,
)
from storepost.platform.persistence.changes import Changes
from storepost.values.problems import FieldError, NotFound, ValidationFailed, needed
from storepost.values.scope import PersonScope, WorkspaceScope
from storepost.values.text import fold


@dataclass(frozen=True)
class Account:
    """A person with what the account's page shows."""

    person: Person
    standings: list[Standing]
    trusted_browsers: int


def account_of(caller: Caller) -> Account:
    """Returns the caller's own account with its workspaces by name.

    For a key it is the person who made it, with the key's workspace alone, and without it if that
    person is no longer a member. Raises SignInRequired if the maker's account is deleted
    (docs/interface.md, section 1).
    """
    if isinstance(caller, ApiKeyHolder):
        person = find_person(PersonScope(caller.maker_id)) if caller.maker_id else None
        if person is None:
            raise SignInRequired()
        standing = WorkspaceRepository(caller.workspace).standing_of(person.id)
        return Account(person, [standing] if standing else [], count_trusted(person))
    standings = standings_of(caller.person.scope)
    standings.sort(key=lambda it: (fold(it.workspace.name), it.workspace.id))
    return Account(caller.person, standings, count_trusted(caller.person))


def rename(caller: SignedInPerson, name: str, changes: Changes) -> SignedInPerson:
    """Changes the person's name."""
    rename_person(changes, caller.person, name)
    return replace(caller, person=replace(caller.person, name=name))


def active_workspace(caller: SignedInPerson) -> Standing:
    """Returns the session's active workspace as stored now, with the caller's membership.

    Raises NotFound if none is active.
    """
    return needed(
        active_standing(present(caller)), NotFound("No workspace is active in this session.")
    )


def choose_workspace(caller: SignedInPerson, workspace_id: UUID, changes: Changes) -> Standing:
    """Makes a workspace the active one of the session, and of the person's next session.

    Raises ValidationFailed if the caller is no member of it.
    """
    repository = WorkspaceRepository(WorkspaceScope(workspace_id))
    standing = repository.standing_of(caller.person.id)
    if standing is None:
        raise _unknown()
    repository.expect_member(changes, caller.person.id, on_conflict=_unknown())
    activate_workspace(changes, caller.session, workspace_id)
    remember_workspace(changes, caller.person, workspace_id)
    return standing


def _unknown() -> ValidationFailed:
    message = "You belong to no workspace with this id"
    return ValidationFailed(errors=[FieldError("/workspaceId", message)])
