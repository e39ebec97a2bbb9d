"""What SES says of an email to a shopper: addresses that bounce or complain are suppressed.

An event is taken in with what it means in one transaction, once: after somebody lifted a
suppression, the event that caused it doesn't cause it again.
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
    """Takes in one event about an email to an address; nothing once the workspace is deleted."""
    if WorkspaceRepository(workspace).get() is None:
        return
    commit_anew(partial(_note, event=event, workspace=workspace, address=address))
    while commit_anew(partial(_update_suppression, workspace=workspace, address=address)):
        pass


def _note(changes: Changes, event: EmailEvent, workspace: WorkspaceScope, address: Address) -> None:
    """Keeps the event, and suppresses where it alone is enough."""
    known = AddressEmailsRepository(workspace, address)
    if known.emails.knows(event):
        return
    known.save(changes, known.emails.with_event(event, clock.now()))
    if reason := _REASONS.get(event.outcome):
        new = NewSuppression(reason, SuppressionSource.SES, event.at)
        add_suppression(changes, workspace, address, new)


def _update_suppression(changes: Changes, workspace: WorkspaceScope, address: Address) -> bool:
    """Brings the suppression to what emails in a row mean by now; whether there may be more to do.

    One that holds too long is lifted first: events come in any order.
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
    """Lifts the suppression that emails in a row have caused, if it is still that one."""
    state, now = SuppressionRepository(workspace, changes.reads).state_of(address), clock.now()
    stored = state.of_reason(SuppressionReason.HARD_BOUNCE)
    if stored and stored.ends_at == end and stored.is_in_force(now):
        lifted = stored.lifted(now, None, "An email between those that came back has arrived.")
        move_to_history(changes, workspace, state, lifted, now)
