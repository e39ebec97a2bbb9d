"""Requests for opt-in, and how often an address may get one, as values."""

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
"""How long an emailed link subscribes."""

KEPT_FOR = timedelta(days=30)
"""How long a request can be read, and a link that was followed says so."""

_MOMENT = timedelta(milliseconds=1)

DAY, MONTH = timedelta(days=1), timedelta(days=30)
SENDS_A_MONTH = 2
"""To one address; and one a day."""


class OptInStatus(StoredEnum):
    """The status of a request. `sent`: the email is on its way, or wasn't answered yet.
    `confirmed`: the person confirmed. `expired`: nobody confirmed within seven days.
    """

    SENT = "sent"
    CONFIRMED = "confirmed"
    EXPIRED = "expired"


@dataclass(frozen=True)
class Form:
    """Says what a person filled in to get marketing emails."""

    proof: Proof = field(repr=False)
    occurred_at: datetime | None
    """When; None where that is now."""
    evidence: EvidenceDetails = field(repr=False)


@dataclass(frozen=True)
class OptInRequest:
    """Says that an address got an email that asks whether it may get marketing emails."""

    id: UUID
    workspace: WorkspaceScope
    profile_id: UUID
    """In whose partition it stands: whose the address was."""
    email: str = field(repr=False)
    origin: ConsentOrigin = field(repr=False)
    """Who made the request, and the reference of the form."""
    since: datetime
    """When the person filled in the form: a no from then on ends the request."""
    sent_at: datetime
    language: Language
    sender: str
    """The workspace's name, as the email has it."""
    wording: str = field(repr=False)
    """What the email says."""
    confirmed_at: datetime | None = None

    @property
    def address(self) -> Address:
        """Returns the address that gets the request."""
        return Address(Channel.EMAIL, self.email)

    @property
    def link(self) -> OptInLink:
        """Returns the link that the email has."""
        return OptInLink(self.workspace, self.profile_id, self.id)

    @property
    def expires_at(self) -> datetime:
        """Returns from when on the link subscribes nobody any more."""
        return self.sent_at + VALID_FOR

    def status_at(self, now: datetime) -> OptInStatus:
        """Returns what has become of the request by a moment."""
        if self.confirmed_at is not None:
            return OptInStatus.CONFIRMED
        return OptInStatus.SENT if now < self.expires_at else OptInStatus.EXPIRED

    def is_over(self, consent: AddressConsent) -> bool:
        """Returns whether the person said no, or was erased, since they filled in the form.

        A link never overrides that, not even one that has subscribed the address before.
        """
        ends = (consent.unsubscribed_at, consent.erased_at)
        return any(end is not None and end >= self.since for end in ends)


def moment_of(form: Form, consent: AddressConsent, now: datetime) -> datetime:
    """Returns when the person filled in the form, and later than each no that is known by now."""
    known = [consent.unsubscribed_at] if consent.unsubscribed_at else []
    filled_in = form.occurred_at or consent.moment_left_out(now)
    return max([filled_in, *(refused_at + _MOMENT for refused_at in known)])


def wait_of(sends: Sequence[datetime], now: datetime) -> timedelta:
    """Returns how long an address can't get another request, by when it got the last ones, oldest
    first.

    Zero or less: it may get one now.
    """
    free_at = [sent + DAY for sent in sends[-1:]]
    free_at += [sent + MONTH for sent in sends[-SENDS_A_MONTH:][:1] if len(sends) >= SENDS_A_MONTH]
    return max(free_at, default=now) - now


def recent(sends: Sequence[datetime], now: datetime) -> tuple[datetime, ...]:
    """Returns those of the moments that still count."""
    return tuple(sent for sent in sends if sent + MONTH > now)
