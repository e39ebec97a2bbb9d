"""Changes consent by request, and retries a failed write-back."""

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.people.consent.model import ConsentChange, SkipReason, WriteBack, WriteBackStatus
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.statements import ConsentStatement, StatementOutcome
from storepost.people.consent.states import Channel
from storepost.people.consent.write_back_queue import queue_write_backs
from storepost.people.consent.write_back_statuses import WriteBackStatusRepository
from storepost.people.consent_changes.listing import get_change
from storepost.people.consent_changes.problems import NoEmail, NoPhone, WriteBackNotFailed
from storepost.people.consent_changes.recording import record_statement
from storepost.people.profiles.consent_summary import primary_address
from storepost.people.profiles.service import get_profile
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.problems import NotFound, Problem, needed
from storepost.values.scope import WorkspaceScope

MAX_PENDING = timedelta(days=1)
"""An attempt due for this long has lost its message."""
_REASONS_THAT_END = frozenset(
    {
        SkipReason.STORE_DISCONNECTED,
        SkipReason.PERMISSION_MISSING,
        SkipReason.CUSTOMER_DELETED,
        SkipReason.NO_EMAIL,
    }
)
"""Reasons for a skipped write-back that may end."""


def change_email_consent(
    caller: WorkspaceCaller, profile_id: UUID, statement: ConsentStatement, changes: Changes
) -> ConsentChange:
    """Subscribes or unsubscribes the email address that the profile shows.

    Returns the change that holds: the new one, unless the address already had the state or a later
    statement holds. Raises NoEmail.
    """
    return _change(caller, profile_id, Channel.EMAIL, NoEmail(), statement, changes)


def change_sms_consent(
    caller: WorkspaceCaller, profile_id: UUID, statement: ConsentStatement, changes: Changes
) -> ConsentChange:
    """Subscribes or unsubscribes the phone number that the profile shows. Raises NoPhone."""
    return _change(caller, profile_id, Channel.SMS, NoPhone(), statement, changes)


def retry_write_back(
    workspace: WorkspaceScope, profile_id: UUID, change_id: UUID, store_id: UUID, changes: Changes
) -> ConsentChange:
    """Retries a write-back that failed, or that was skipped for a reason that may end.

    One whose attempt is due for longer than a day is sent again too: no queue still has its
    message. The worker decides again whether it is sent. Raises NotFound and WriteBackNotFailed.
    """
    change = get_change(workspace, profile_id, change_id)
    write_back = needed(
        change.write_back_to(store_id),
        NotFound("This change has no write-back to a store with this id."),
    )
    if not (_may_be_retried(write_back) or _is_lost(change, write_back)):
        raise WriteBackNotFailed()
    pending = replace(write_back.with_new_delivery(0), pending_since=clock.now())
    WriteBackStatusRepository(workspace).mark(changes, change, pending, write_back.status)
    queue_write_backs(changes, workspace, change, (store_id,))
    return change.with_write_back(pending)


def _may_be_retried(write_back: WriteBack) -> bool:
    """Whether the write-back failed, or was skipped for a reason that may have ended."""
    is_skipped = write_back.skip_reason in _REASONS_THAT_END
    return is_skipped or write_back.status is WriteBackStatus.FAILED


def _is_lost(change: ConsentChange, write_back: WriteBack) -> bool:
    """Whether its attempt is due for so long that its message must be lost."""
    since = write_back.due_since or change.recorded_at
    return write_back.status is WriteBackStatus.PENDING and since < clock.now() - MAX_PENDING


def _change(
    caller: WorkspaceCaller,
    profile_id: UUID,
    channel: Channel,
    without: Problem,
    statement: ConsentStatement,
    changes: Changes,
) -> ConsentChange:
    """Raises `without` where the profile shows no address of the channel."""
    profile = get_profile(caller.workspace, profile_id)
    address = primary_address(profile, channel)
    if address is None:
        raise without
    return _holding(caller.workspace, record_statement(changes, profile, address, statement))


def _holding(workspace: WorkspaceScope, outcome: StatementOutcome) -> ConsentChange:
    if outcome.recorded and outcome.recorded.id == outcome.holds.change_id:
        return outcome.recorded
    return needed(ConsentRepository(workspace).get(outcome.holds), NotFound())
