"""Emails to a workspace's owner about what an API key does to people, sent at once."""

from storepost.accounts.api_keys.repository import ApiKeyRepository
from storepost.accounts.emails import messages
from storepost.accounts.emails.messages import KeyAct
from storepost.accounts.emails.outgoing import send_email
from storepost.accounts.identity.repository import find_person
from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.accounts.workspaces.model import Role
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.platform.messaging.email_tags import account_tags
from storepost.platform.persistence.changes import Changes
from storepost.values import clock


def email_owner(
    caller: WorkspaceCaller, act: KeyAct, person: str, role: Role | None, changes: Changes
) -> None:
    """Emails the owner what the key does, in the transaction that does it.

    It sends nothing if a person acts. `person` is the name or the address of the person affected.
    """
    if caller.key is None:
        return
    repository = WorkspaceRepository(caller.workspace)
    workspace, membership = repository.get(), repository.owner()
    owner = find_person(membership.person) if membership else None
    key = ApiKeyRepository(caller.workspace).get(caller.key.key_id)
    if workspace is None or owner is None or key is None:
        return
    message = messages.KeyChangedPeople(
        workspace=workspace.name,
        key_name=key.name,
        prefix=key.prefix,
        act=act,
        person=person,
        role=role.value if role else None,
        when=clock.now(),
    )
    send_email(changes, owner.email, message, account_tags(owner.id))
