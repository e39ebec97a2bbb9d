"""Records an event of SES where the email's tags point to.

An event about an email to an account, or with an invitation, concerns only that person or that
invitation, and never a workspace's shoppers.
"""

from storepost.accounts.identity.email_results import note_result
from storepost.accounts.invitations.repository import InvitationRepository
from storepost.people.consent.model import Address
from storepost.people.consent.states import Channel
from storepost.people.email_feedback.shoppers import work_on_shopper
from storepost.platform.messaging.email_results import EmailResult
from storepost.platform.messaging.email_tags import EmailKind, EmailTags
from storepost.platform.messaging.ses_events import EmailEvent, Outcome
from storepost.values.emails import normalised
from storepost.values.logs import logger
from storepost.values.metrics import count
from storepost.values.scope import PersonScope, WorkspaceScope


def work_on(body: str) -> None:
    """Records one event, which may arrive twice, late and in any order. Raises ValueError."""
    event = EmailEvent.of(body)
    _report(event)
    if event.tags and event.outcome.is_of_the_address:
        _keep(event, event.tags)


def _report(event: EmailEvent) -> None:
    """Logs the event, and counts those that only the operator can fix."""
    is_ours = event.outcome in (Outcome.REJECTED, Outcome.NOT_RENDERED)
    log = logger.warning if is_ours else logger.info
    kind = event.tags.kind if event.tags else None
    log("email event", extra={"email": event.message_id, "reason": event.reason, "about": kind})
    if is_ours:
        count("EmailsRejectedBySes")


def _keep(event: EmailEvent, tags: EmailTags) -> None:
    result = EmailResult(event.sent_at, event.outcome)
    if tags.kind is EmailKind.ACCOUNT:
        note_result(PersonScope(tags.id), normalised(event.recipient), result)
    elif tags.kind is EmailKind.INVITATION and tags.workspace_id:
        InvitationRepository(WorkspaceScope(tags.workspace_id)).note_result(tags.id, result)
    elif tags.kind is EmailKind.OPT_IN and tags.workspace_id:
        address = Address(Channel.EMAIL, normalised(event.recipient))
        work_on_shopper(event, WorkspaceScope(tags.workspace_id), address)
