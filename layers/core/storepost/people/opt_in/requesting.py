"""Emails a person the question whether they want marketing, and keeps the form that they sent."""

from collections.abc import Sequence
from datetime import datetime
from math import ceil
from uuid import UUID

from storepost.accounts.emails import messages
from storepost.accounts.emails.outgoing import send_email
from storepost.accounts.emails.shopper_texts import opt_in_wording
from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.people.consent.decision import AddressConsent
from storepost.people.consent.model import Address, ConsentOrigin
from storepost.people.consent.statements import ConsentStatement, origin_of
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.consent_changes.problems import NoEmail
from storepost.people.deliverability.service import suppression_of
from storepost.people.opt_in.model import Form, OptInRequest, moment_of, recent, wait_of
from storepost.people.opt_in.problems import (
    AlreadyConfirmed,
    OptInLinkOver,
    OptInRecentlySent,
    OptInSendLimit,
    Suppressed,
    Unsubscribed,
)
from storepost.people.opt_in.recording import AddressRecord
from storepost.people.opt_in.repository import OptInRepository
from storepost.people.opt_in.service import follow_link
from storepost.people.profiles.consent_summary import primary_address
from storepost.people.profiles.model import Profile
from storepost.people.profiles.service import get_profile
from storepost.platform.budgets.daily import take_one
from storepost.platform.budgets.repository import opt_in_budget_key
from storepost.platform.messaging.email_tags import EmailKind, EmailTags
from storepost.platform.persistence.changes import Changes
from storepost.stores.locales.repository import LocaleRepository
from storepost.values import clock
from storepost.values.ids import timed_id
from storepost.values.languages import Language, language_of
from storepost.values.problems import NotFound, needed
from storepost.values.scope import WorkspaceScope
from storepost.values.settings import settings


def request_opt_in(
    caller: WorkspaceCaller, profile_id: UUID, form: Form, base_url: str, changes: Changes
) -> OptInRequest:
    """Emails a link to the address that the profile shows, which is `pending` until it is followed.

    A subscribed address stays subscribed. Raises NoEmail, AlreadyConfirmed, Suppressed,
    Unsubscribed, OptInRecentlySent and OptInSendLimit.
    """
    workspace, now = caller.workspace, clock.now()
    profile = get_profile(workspace, profile_id)
    address = needed(primary_address(profile, Channel.EMAIL), NoEmail())
    requests, record = OptInRepository(workspace), AddressRecord(changes, profile, address)
    consent, origin = record.consent, origin_of(caller, proof=form.proof)
    _check_confirmable(address, profile, consent, form)
    sends = _checked_sends(requests, address, now)
    _count_for_workspace(workspace)
    pending = ConsentStatement(
        ConsentState.PENDING,
        origin,
        form.occurred_at,
        awaits_answer=True,
        evidence=form.evidence,
    )
    record.add(pending, asserts=consent.state is not ConsentState.SUBSCRIBED)
    request = _request(profile, address, moment_of(form, consent, now), origin, now)
    requests.add(changes, request)
    requests.save_sends(changes, address, (*sends, now))
    _send(changes, request, base_url)
    return request


def is_still_wanted(link: str) -> bool:
    """Returns whether the email with a link may be sent now, some time after its request.

    It may wait in its queue for hours. It may not be sent where the link is over, nor where the
    address was suppressed or confirmed meanwhile.
    """
    try:
        followed = follow_link(link.rpartition("/")[2])
    except OptInLinkOver:
        return False
    address, consent = followed.request.address, followed.record.consent
    is_confirmed = consent.state is ConsentState.SUBSCRIBED and consent.is_confirmed
    suppression = suppression_of(followed.request.workspace, address.channel, address.value)
    return not is_confirmed and suppression is None


def _check_confirmable(
    address: Address, profile: Profile, consent: AddressConsent, form: Form
) -> None:
    if consent.state is ConsentState.SUBSCRIBED and consent.is_confirmed:
        raise AlreadyConfirmed()
    # A concurrent suppression of the address writes the profile, as this request does.
    if suppression_of(profile.workspace, address.channel, address.value):
        raise Suppressed()
    _check_no_later_no(consent, form)


def _check_no_later_no(consent: AddressConsent, form: Form) -> None:
    refused_at, erased_at, filled_in = consent.refused_at, consent.erased_at, form.occurred_at
    if refused_at is not None and (filled_in is None or filled_in <= refused_at):
        raise Unsubscribed()
    if erased_at is not None and filled_in is not None and filled_in <= erased_at:
        raise Unsubscribed()


def _checked_sends(
    requests: OptInRepository, address: Address, now: datetime
) -> Sequence[datetime]:
    """When the address recently got requests. Raises OptInRecentlySent."""
    sends = recent(requests.sends_to(address), now)
    wait = wait_of(sends, now).total_seconds()
    if wait > 0:
        raise OptInRecentlySent(retry_after=ceil(wait))
    return sends


def _count_for_workspace(workspace: WorkspaceScope) -> None:
    """Counts an email, even if it isn't sent after all. Raises OptInSendLimit."""
    per_day = settings().opt_in_emails_per_day
    wait = take_one(opt_in_budget_key(workspace), per_day) if per_day else None
    if wait:
        raise OptInSendLimit(retry_after=ceil(wait.total_seconds()))


def _request(
    profile: Profile,
    address: Address,
    since: datetime,
    origin: ConsentOrigin,
    now: datetime,
) -> OptInRequest:
    workspace = needed(WorkspaceRepository(profile.workspace).get(), NotFound())
    language = _language_for(profile)
    return OptInRequest(
        id=timed_id(now),
        workspace=profile.workspace,
        profile_id=profile.id,
        email=address.value,
        origin=origin,
        since=since,
        sent_at=now,
        language=language,
        sender=workspace.name,
        wording=opt_in_wording(language, workspace.name),
    )


def _language_for(profile: Profile) -> Language:
    """The profile's language if this service has it, else the workspace's default, else English."""
    return language_of(profile.locale) or _language_of(profile.workspace) or Language.ENGLISH


def _language_of(workspace: WorkspaceScope) -> Language | None:
    locales = LocaleRepository(workspace).get().by_code.values()
    return language_of(next((each.code for each in locales if each.is_default), None))


def _send(changes: Changes, request: OptInRequest, base_url: str) -> None:
    link = f"{base_url}/opt-in/{request.link.token}"
    message = messages.OptIn(request.sender, request.language, link)
    tags = EmailTags(EmailKind.OPT_IN, request.id, request.workspace.id)
    send_email(changes, request.email, message, tags)
