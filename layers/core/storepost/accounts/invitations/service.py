"""Invites people, and lets the invited person accept or decline."""

from dataclasses import replace
from datetime import datetime
from math import ceil
from uuid import UUID

from storepost.accounts.api_keys.owner_emails import email_owner
from storepost.accounts.api_keys.repository import ApiKeyRepository
from storepost.accounts.emails import messages
from storepost.accounts.emails.outgoing import send_email
from storepost.accounts.identity.model import Person, SignedInPerson
from storepost.accounts.identity.repository import NOBODY, find_account, find_person
from storepost.accounts.invitations.model import (
    DAY,
    RESEND_AFTER,
    SENDS_A_DAY,
    VALID_FOR,
    Invitation,
    InvitationStatus,
)
from storepost.accounts.invitations.problems import (
    AlreadyInvited,
    AlreadyMember,
    InvitationClosed,
    InvitationExpired,
    NotInvited,
    RecentlySent,
    SendLimit,
)
from storepost.accounts.invitations.repository import (
    InvitationRepository,
    find_invitation,
    sends_of,
)
from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.accounts.workspaces.model import Membership, Role, Workspace
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.accounts.workspaces.service import activate_on_joining
from storepost.platform.messaging.email_tags import EmailKind, EmailTags
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.links import page_link
from storepost.values.pagination import Listing, PageRequest, cut
from storepost.values.problems import NotFound, Unauthenticated, needed
from storepost.values.scope import PersonScope, WorkspaceScope
from storepost.values.text import matches


def list_invitations(
    workspace: WorkspaceScope, q: str | None, page: PageRequest
) -> Listing[Invitation]:
    """Returns the open invitations, expired ones too, newest first."""
    rows = InvitationRepository(workspace).all_open()
    found = [row for row in rows if q is None or matches(q, row.email)]
    found.sort(key=lambda row: (row.created_at, row.id), reverse=True)
    return cut(found, page)


def get_invitation(workspace: WorkspaceScope, invitation_id: UUID) -> Invitation:
    """Returns the workspace's open invitation, an expired one too. Raises NotFound."""
    invitation = _as_it_counts(_found(InvitationRepository(workspace).get(invitation_id)))
    if not invitation.is_open:
        raise NotFound.of("open invitation")
    return invitation


def invite(
    caller: WorkspaceCaller, email: str, role: Role, base_url: str, changes: Changes
) -> Invitation:
    """Invites an address and emails it the link."""
    workspace, repository = caller.workspace, InvitationRepository(caller.workspace)
    person = find_account(email)
    # It is read even for an unknown address, so that nothing shows who has an account elsewhere.
    if WorkspaceRepository(workspace).membership_of(person.id if person else NOBODY):
        raise AlreadyMember()
    if repository.open_for(email):
        raise AlreadyInvited()
    now, inviter = clock.now(), _inviter(caller)
    invitation = Invitation(
        id=new_id(),
        workspace_id=workspace.id,
        email=email,
        role=role,
        invited_by=inviter.name,
        status=InvitationStatus.PENDING,
        created_at=now,
        sent_at=now,
        expires_at=now + VALID_FOR,
        key_id=caller.key.key_id if caller.key else None,
    )
    repository.add(changes, invitation)
    _expect_key(invitation, changes, Unauthenticated())
    _send(invitation, inviter, base_url, changes)
    _email_owner(caller, invitation, changes)
    return invitation


def resend(caller: WorkspaceCaller, invitation_id: UUID, base_url: str, changes: Changes) -> None:
    """Emails an open invitation again; its seven days begin again."""
    repository = InvitationRepository(caller.workspace)
    invitation, now = _open(repository, invitation_id), clock.now()
    wait = invitation.sent_at + RESEND_AFTER - now
    if wait.total_seconds() > 0:
        raise RecentlySent(retry_after=ceil(wait.total_seconds()))
    again = replace(invitation, sent_at=now, expires_at=now + VALID_FOR)
    repository.mark_sent(changes, again)
    _send(again, _inviter(caller), base_url, changes)
    _email_owner(caller, again, changes)


def delete_invitation(workspace: WorkspaceScope, invitation_id: UUID, changes: Changes) -> None:
    """Cancels an open invitation: the emailed link stops working. Repeatable.

    Raises NotFound and InvitationClosed.
    """
    repository = InvitationRepository(workspace)
    invitation = _found(repository.get(invitation_id))
    if invitation.status is InvitationStatus.CANCELED:
        return
    repository.close(changes, _open(repository, invitation_id), InvitationStatus.CANCELED)


def preview(invitation_id: UUID) -> tuple[Invitation, Workspace]:
    """Returns the invitation for a holder of its id, and the workspace to which it invites."""
    invitation = _found(find_invitation(invitation_id))
    workspace = needed(
        WorkspaceRepository(invitation.workspace).get(),
        NotFound("No invitation with this id exists."),
    )
    return _as_it_counts(invitation), workspace


def _as_it_counts(invitation: Invitation) -> Invitation:
    """Returns the invitation; an open one of a revoked key counts as canceled in any case."""
    keys, key_id = ApiKeyRepository(invitation.workspace), invitation.key_id
    if not invitation.is_open or key_id is None or keys.is_active(key_id):
        return invitation
    return replace(invitation, status=InvitationStatus.CANCELED)


def _expect_key(invitation: Invitation, changes: Changes, on_conflict: Exception) -> None:
    """Demands that the API key that made the invitation, if any, isn't revoked meanwhile."""
    if invitation.key_id is not None:
        keys = ApiKeyRepository(invitation.workspace)
        keys.expect_active(changes, invitation.key_id, on_conflict)


def _email_owner(caller: WorkspaceCaller, invitation: Invitation, changes: Changes) -> None:
    """Notifies the owner if a key invites an admin."""
    if invitation.role is Role.ADMIN:
        email_owner(caller, "invited", invitation.email, invitation.role, changes)


def accept(caller: SignedInPerson, invitation_id: UUID, changes: Changes) -> Workspace:
    """Makes the invited person a member; the workspace becomes active if none is."""
    invitation, workspace = _for_invited(caller, invitation_id)
    if invitation.has_expired(clock.now()):
        raise InvitationExpired()
    InvitationRepository(workspace.scope).close(changes, invitation, InvitationStatus.ACCEPTED)
    _expect_key(invitation, changes, InvitationClosed())
    members = WorkspaceRepository(workspace.scope)
    if members.membership_of(caller.person.id) is None:
        members.add_member(changes, _membership(invitation, caller.person.id, clock.now()))
    activate_on_joining(caller, workspace.id, changes)
    return workspace


def decline(caller: SignedInPerson, invitation_id: UUID, changes: Changes) -> None:
    """Declines the invitation."""
    invitation, workspace = _for_invited(caller, invitation_id)
    if invitation.has_expired(clock.now()):
        raise InvitationExpired()
    InvitationRepository(workspace.scope).close(changes, invitation, InvitationStatus.REJECTED)


def _for_invited(caller: SignedInPerson, invitation_id: UUID) -> tuple[Invitation, Workspace]:
    invitation, workspace = preview(invitation_id)
    person = caller.person
    if person.email != invitation.email or not person.email_verified:
        raise NotInvited()
    if not invitation.is_open:
        raise InvitationClosed()
    return invitation, workspace


def _open(repository: InvitationRepository, invitation_id: UUID) -> Invitation:
    invitation = _found(repository.get(invitation_id))
    if not invitation.is_open:
        raise InvitationClosed()
    return invitation


def _found(invitation: Invitation | None) -> Invitation:
    if invitation is None:
        raise NotFound("No invitation with this id exists.")
    return invitation


def _inviter(caller: WorkspaceCaller) -> Person:
    """Returns the person who invites, or for whom the key does: an admin now, so there is one."""
    return needed(
        find_person(PersonScope(caller.person_id)) if caller.person_id else None, NotFound()
    )


def _send(invitation: Invitation, inviter: Person, base_url: str, changes: Changes) -> None:
    """Emails the link, within the person's limit of 50 emails in 24 hours."""
    workspace = needed(WorkspaceRepository(invitation.workspace).get(), NotFound())
    now = clock.now()
    sends = sends_of(inviter.scope, now)
    if len(sends.sent) >= SENDS_A_DAY:
        raise SendLimit(retry_after=ceil(min(sends.sent) + DAY.total_seconds() - now.timestamp()))
    sends.sent = [*sends.sent, now.timestamp()]
    changes.save(sends)
    send_email(
        changes,
        invitation.email,
        messages.Invitation(
            workspace=workspace.name,
            invited_by=inviter.name,
            role=invitation.role.value,
            link=page_link(base_url, "invitation", str(invitation.id)),
            expires_at=invitation.expires_at,
        ),
        EmailTags(EmailKind.INVITATION, invitation.id, workspace.id),
    )


def _membership(invitation: Invitation, person_id: UUID, now: datetime) -> Membership:
    return Membership(
        id=new_id(),
        workspace_id=invitation.workspace_id,
        person_id=person_id,
        role=invitation.role,
        joined_at=now,
        last_active_at=None,
    )
