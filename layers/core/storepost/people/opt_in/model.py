"""Opt-in requests, and how often an address may get one, as values."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from storepost.people.consent.decision import AddressConsent
from storepost.people.consent.evidence import EvidenceDetails
from storepost.people.consent.model import Address, ConsentOrigin, Proof
from storepost.people.consent.states import Channel
from storepost.people.opt_in.links import OptInLink
from storepost.values.languages import Language
from storepost.values.scope import WorkspaceScope
from storepost.values.stored_enum import StoredEnum

VALID_FOR = timedelta(days=7)
"""How long an emailed link can subscribe."""

KEPT_FOR = timedelta(days=30)
"""How long a request can be read, and its link shows that it was confirmed."""

_MOMENT = timedelta(milliseconds=1)

DAY, MONTH = timedelta(days=1), timedelta(days=30)
SENDS_A_MONTH = 2
"""The most requests to one address in 30 days; one a day is the most, too."""


class OptInStatus(StoredEnum):
    """The status of a request. `sent`: the email is on its way, or wasn't answered yet.
    `confirmed`: the person confirmed. `expired`: nobody confirmed within seven days.
    """

    SENT = "sent"
    CONFIRMED = "confirmed"
    EXPIRED = "expired"


@dataclass(frozen=True)
class Form:
    """A form by which a person asked for marketing emails."""

    proof: Proof = field(repr=False)
    occurred_at: datetime | None
    """When the form was sent; None means now."""
    evidence: EvidenceDetails = field(repr=False)


@dataclass(frozen=True)
class OptInRequest:
    """A request that was emailed to an address, asking whether it may get marketing emails."""

    id: UUID
    workspace: WorkspaceScope
    profile_id: UUID
    """The profile whose partition stores it: the one that had the address."""
    email: str = field(repr=False)
    origin: ConsentOrigin = field(repr=False)
    """The caller that made the request, and the reference of the form."""
    since: datetime
    """When the person sent the form: an unsubscription from then on ends the request."""
    sent_at: datetime
    language: Language
    sender: str
    """The workspace's name in the email."""
    wording: str = field(repr=False)
    """The email's text."""
    confirmed_at: datetime | None = None

    @property
    def address(self) -> Address:
        """Returns the address that the request was sent to."""
        return Address(Channel.EMAIL, self.email)

    @property
    def link(self) -> OptInLink:
        """Returns the link in the email."""
        return OptInLink(self.workspace, self.profile_id, self.id)

    @property
    def expires_at(self) -> datetime:
        """Returns the time from which on the link can no longer subscribe."""
        return self.sent_at + VALID_FOR

    def status_at(self, now: datetime) -> OptInStatus:
        """Returns the request's status at a time."""
        if self.confirmed_at is not None:
            return OptInStatus.CONFIRMED
        return OptInStatus.SENT if now < self.expires_at else OptInStatus.EXPIRED

    def is_over(self, consent: AddressConsent) -> bool:
        """Returns whether the person unsubscribed, or was erased, since they sent the form.

        A link never overrides that, not even a link that has subscribed the address before.
        """
        ends = (consent.unsubscribed_at, consent.erased_at)
        return any(end is not None and end >= self.since for end in ends)


def moment_of(form: Form, consent: AddressConsent, now: datetime) -> datetime:
    """Returns the form's time, moved after every known unsubscription."""
    known = [consent.unsubscribed_at] if consent.unsubscribed_at else []
    filled_in = form.occurred_at or consent.moment_left_out(now)
    return max([filled_in, *(refused_at + _MOMENT for refused_at in known)])


def wait_of(sends: Sequence[datetime], now: datetime) -> timedelta:
    """Returns how long the address must wait for another request; at most zero if it needn't.

    `sends` are the times of its last requests, oldest first.
    """
    free_at = [sent + DAY for sent in sends[-1:]]
    free_at += [sent + MONTH for sent in sends[-SENDS_A_MONTH:][:1] if len(sends) >= SENDS_A_MONTH]
    return max(free_at, default=now) - now


def recent(sends: Sequence[datetime], now: datetime) -> tuple[datetime, ...]:
    """Returns those of the times that still count."""
    return tuple(sent for sent in sends if sent + MONTH > now)
