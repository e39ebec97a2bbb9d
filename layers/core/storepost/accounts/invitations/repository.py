"""Rows of invitations: by id for the holder of the link, by address for the workspace's list."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from itertools import islice
from uuid import UUID

from pynamodb.attributes import JSONAttribute, UnicodeAttribute

from storepost.accounts.invitations.model import DAY, Invitation, InvitationStatus
from storepost.platform.messaging.email_results import EmailResult, EmailResultAttribute, is_older
from storepost.platform.messaging.ses_events import Outcome
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import (
    Identifier,
    Item,
    Key,
    UtcDateTimeAttribute,
    VersionedItem,
    amend,
    find,
    find_all,
)
from storepost.platform.persistence.mapping import as_row, as_value
from storepost.values import clock
from storepost.values.ids import short
from storepost.values.scope import PersonScope, WorkspaceScope


class InvitationItem(VersionedItem, discriminator="invitation"):
    """An invitation, in its workspace's partition."""

    id = Identifier()
    workspace_id = Identifier()
    email = UnicodeAttribute()
    role = UnicodeAttribute()
    invited_by = UnicodeAttribute()
    status = UnicodeAttribute()
    created_at = UtcDateTimeAttribute()
    sent_at = UtcDateTimeAttribute()
    expires_at = UtcDateTimeAttribute()
    key_id = Identifier(null=True)
    email_result = EmailResultAttribute(null=True)
    """The result of the newest email with the link; None until SES reports one."""


class InvitationPointerItem(Item, discriminator="invitation_pointer"):
    """The workspace of an invitation."""

    workspace_id = Identifier()


class InvitedItem(Item, discriminator="invited"):
    """The claim of an address with an open invitation; deleted when that is answered or deleted."""

    invitation_id = Identifier()
    key_id = Identifier(null=True)
    """The API key that made it, or None."""


class InvitationSendsItem(VersionedItem, discriminator="invitation_sends"):
    """When a person sent invitation emails in the last 24 hours, in seconds."""

    sent = JSONAttribute()


def invitation_key(workspace: WorkspaceScope, invitation_id: UUID) -> Key:
    """Returns the key of an invitation."""
    return (workspace.key, f"invitation#{short(invitation_id)}")


def invited_key(workspace: WorkspaceScope, email: str) -> Key:
    """Returns the key of the claim of an open invitation's address."""
    return (workspace.key, f"invited#{email}")


def pointer_key(invitation_id: UUID) -> Key:
    """Returns the key by which the holder of the link finds the workspace."""
    return (f"invitation#{short(invitation_id)}", "pointer")


def sends_key(person: PersonScope) -> Key:
    """Returns the key of the row that counts a person's sends."""
    return (person.key, "invitation_sends")


class InvitationRepository:
    """A workspace's invitations."""

    def __init__(self, workspace: WorkspaceScope) -> None:
        """For one workspace."""
        self._scope = workspace

    def get(self, invitation_id: UUID) -> Invitation | None:
        """Returns the invitation, whatever its status."""
        item = find(InvitationItem, invitation_key(self._scope, invitation_id))
        return _as_invitation(item) if item else None

    def open_for(self, email: str) -> UUID | None:
        """Returns the open invitation of an address."""
        claim = find(InvitedItem, invited_key(self._scope, email))
        return claim.invitation_id if claim else None

    def all_open(self) -> list[Invitation]:
        """Returns the open invitations, expired ones too."""
        return self._named_by(self._claims())

    def open_of_key(self, key_id: UUID, limit: int) -> list[Invitation]:
        """Returns some of the open invitations that an API key made."""
        made = (claim for claim in self._claims() if claim.key_id == key_id)
        return self._named_by(islice(made, limit))

    def _claims(self) -> Iterable[InvitedItem]:
        return InvitedItem.rows_in(self._scope.key, "invited#")

    def _named_by(self, claims: Iterable[InvitedItem]) -> list[Invitation]:
        keys = [invitation_key(self._scope, claim.invitation_id) for claim in claims]
        rows = find_all(keys).values()
        return [_as_invitation(row) for row in rows if isinstance(row, InvitationItem)]

    def add(self, changes: Changes, invitation: Invitation) -> None:
        """Adds a new invitation with its pointer and the claim of its address."""
        changes.create(self._item(invitation))
        changes.create(
            InvitationPointerItem(*pointer_key(invitation.id), workspace_id=self._scope.id)
        )
        changes.create(
            InvitedItem(
                *invited_key(self._scope, invitation.email),
                invitation_id=invitation.id,
                key_id=invitation.key_id,
            )
        )

    def mark_sent(self, changes: Changes, invitation: Invitation) -> None:
        """Records another send, if the invitation is open and wasn't sent meanwhile."""
        changes.update(
            self._item(invitation),
            [
                InvitationItem.sent_at.set(invitation.sent_at),
                InvitationItem.expires_at.set(invitation.expires_at),
            ],
            (InvitationItem.status == InvitationStatus.PENDING)
            & (InvitationItem.sent_at < invitation.sent_at),
        )

    def note_result(self, invitation_id: UUID, result: EmailResult) -> None:
        """Stores the result of an email with the link, unless a newer one's is stored.

        It stores nothing if the invitation is gone, with its workspace.
        """
        amend(
            InvitationItem(*invitation_key(self._scope, invitation_id)),
            [InvitationItem.email_result.set(result)],
            InvitationItem.pk.exists() & is_older(InvitationItem.email_result, result),
        )

    def close(self, changes: Changes, invitation: Invitation, status: InvitationStatus) -> None:
        """Ends an open invitation, which frees its address."""
        closed = replace(invitation, status=status)
        changes.update(
            self._item(closed),
            [InvitationItem.status.set(status)],
            InvitationItem.status == InvitationStatus.PENDING,
        )
        changes.delete(InvitedItem(*invited_key(self._scope, invitation.email)))

    def _item(self, invitation: Invitation) -> InvitationItem:
        return as_row(
            InvitationItem,
            invitation_key(self._scope, invitation.id),
            invitation,
            workspace_id=self._scope.id,
        )


def find_invitation(invitation_id: UUID) -> Invitation | None:
    """Returns the invitation for a holder of its id."""
    pointer = find(InvitationPointerItem, pointer_key(invitation_id))
    if pointer is None:
        return None
    return InvitationRepository(WorkspaceScope(pointer.workspace_id)).get(invitation_id)


def sends_of(person: PersonScope, now: datetime) -> InvitationSendsItem:
    """Returns the row with the person's sends of the last 24 hours, to be added to and saved."""
    item = find(InvitationSendsItem, sends_key(person))
    if item is None:
        item = InvitationSendsItem(*sends_key(person), sent=[])
    since = (now - DAY).timestamp()
    item.sent = [moment for moment in item.sent if moment > since]
    item.expiration = clock.now() + DAY
    return item


def _as_invitation(item: InvitationItem) -> Invitation:
    return as_value(Invitation, item, is_undeliverable=_is_undeliverable(item.email_result))


def _is_undeliverable(result: EmailResult | None) -> bool:
    return result is not None and result.outcome is not Outcome.DELIVERED
