"""Suppresses shoppers' addresses that bounce or complain, by events of SES.

An event is recorded together with its effect in one transaction, once. So after a suppression was
lifted, the event that caused it doesn't cause it again.
"""

from dataclasses import replace
from datetime import datetime
from functools import partial

from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.people.consent.model import Address
from storepost.people.deliverability.lifting import move_to_history
from storepost.people.deliverability.suppressing import NewSuppression, add_suppression
from storepost.people.email_feedback.repository import AddressEmailsRepository
from storepost.people.suppressions.model import SuppressionReason, SuppressionSource
from storepost.people.suppressions.repository import SuppressionRepository
from storepost.platform.messaging.ses_events import EmailEvent, Outcome
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.values import clock
from storepost.values.scope import WorkspaceScope

_REASONS = {
    Outcome.BOUNCED: SuppressionReason.HARD_BOUNCE,
    Outcome.COMPLAINED: SuppressionReason.COMPLAINT,
}


def work_on_shopper(event: EmailEvent, workspace: WorkspaceScope, address: Address) -> None:
    """Applies one event about an email to an address; does nothing if the workspace is deleted."""
    if WorkspaceRepository(workspace).get() is None:
        return
    commit_anew(partial(_note, event=event, workspace=workspace, address=address))
    while commit_anew(partial(_update_suppression, workspace=workspace, address=address)):
        pass


def _note(changes: Changes, event: EmailEvent, workspace: WorkspaceScope, address: Address) -> None:
    """Records the event, and suppresses the address if this event alone suffices."""
    known = AddressEmailsRepository(workspace, address)
    if known.emails.knows(event):
        return
    known.save(changes, known.emails.with_event(event, clock.now()))
    if reason := _REASONS.get(event.outcome):
        new = NewSuppression(reason, SuppressionSource.SES, event.at)
        add_suppression(changes, workspace, address, new)


def _update_suppression(changes: Changes, workspace: WorkspaceScope, address: Address) -> bool:
    """Updates the suppression by returned emails in a row; returns whether to call it again.

    One that lasts too long is lifted first: events arrive in any order.
    """
    known = AddressEmailsRepository(workspace, address)
    before, until = known.emails.applied_end, known.emails.bounces_until
    if before == until:
        return False
    if before and (until is None or until < before):
        _lift(changes, workspace, address, before)
        until = None
    elif until and until > clock.now():
        new = NewSuppression(SuppressionReason.HARD_BOUNCE, SuppressionSource.SES, ends_at=until)
        add_suppression(changes, workspace, address, new)
    known.save(changes, replace(known.emails, applied_end=until))
    return True


def _lift(changes: Changes, workspace: WorkspaceScope, address: Address, end: datetime) -> None:
    """Lifts the suppression that returned emails in a row caused, if it is still the same."""
    state, now = SuppressionRepository(workspace, changes.reads).state_of(address), clock.now()
    stored = state.of_reason(SuppressionReason.HARD_BOUNCE)
    if stored and stored.ends_at == end and stored.is_in_force(now):
        lifted = stored.lifted(now, None, "An email between those that came back has arrived.")
        move_to_history(changes, workspace, state, lifted, now)
