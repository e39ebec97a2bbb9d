"""Rows of the events about emails to each address of a workspace.

A row's key has a keyed hash of the address, the row names no person, and it expires. So an erasure
has nothing to remove.
"""

from datetime import timedelta
from typing import Any

from storepost.people.consent.model import Address
from storepost.people.email_feedback.model import KEPT_FOR, AddressEmails, KnownEmail
from storepost.platform.messaging.ses_events import outcome_of
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Key, UtcDateTimeAttribute, VersionedItem, find
from storepost.platform.persistence.records import Records
from storepost.platform.persistence.sealing import Purpose, keyed_hash
from storepost.values import clock
from storepost.values.scope import WorkspaceScope

_LATE = timedelta(days=1)
"""How much later than its contents a row expires."""


class AddressEmailsItem(VersionedItem, discriminator="address_emails"):
    """The events about emails to an address; the address is a keyed hash."""

    emails = Records("message_id", "sent_at", "noted_at", "outcomes", named_by=["message_id"])
    """Oldest first; outcomes are `{the outcome's number: its time}`."""
    applied_end = UtcDateTimeAttribute(null=True)


def feedback_partition(workspace: WorkspaceScope) -> str:
    """Returns the partition that has a workspace's rows."""
    return workspace.partition("email_feedback")


def feedback_key(workspace: WorkspaceScope, address: Address) -> Key:
    """Returns the key of the events about emails to an address."""
    digest = keyed_hash(address.value, Purpose.ADDRESS_OF_EMAILS, workspace.key)
    return (feedback_partition(workspace), f"address#{digest}")


class AddressEmailsRepository:
    """One address's emails, read once, and written on the condition that they are unchanged."""

    def __init__(self, workspace: WorkspaceScope, address: Address) -> None:
        """Reads the emails to one address."""
        self._key = feedback_key(workspace, address)
        self._item = find(AddressEmailsItem, self._key)
        self.emails = _as_emails(self._item) if self._item else AddressEmails()

    def save(self, changes: Changes, emails: AddressEmails) -> None:
        """Writes the emails; the commit loses the race if they changed since they were read."""
        row = self._item or AddressEmailsItem(*self._key)
        row.emails = list(map(_as_row, emails.emails))
        row.applied_end = emails.applied_end
        row.expiration = max(clock.now() + KEPT_FOR, emails.applied_end or clock.now()) + _LATE
        changes.save(row)


def _as_emails(item: AddressEmailsItem) -> AddressEmails:
    return AddressEmails(tuple(map(_as_email, item.emails)), item.applied_end)


def _as_email(row: list[Any]) -> KnownEmail:
    message_id, sent_at, noted_at, outcomes = row
    return KnownEmail(
        message_id,
        clock.from_text(sent_at),
        clock.from_text(noted_at),
        {outcome_of(int(number)): clock.from_text(at) for number, at in outcomes.items()},
    )


def _as_row(email: KnownEmail) -> list[Any]:
    outcomes = {str(int(each)): clock.to_text(at) for each, at in email.outcomes.items()}
    sent_at, noted_at = clock.to_text(email.sent_at), clock.to_text(email.noted_at)
    return [email.message_id, sent_at, noted_at, outcomes]
