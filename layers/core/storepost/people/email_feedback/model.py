"""What became of the emails to one address, as a value, and when it counts as one that bounces.

What follows is a function of the set of events that came: neither their order nor their number
matters.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from storepost.platform.messaging.ses_events import EmailEvent, Outcome

RETURNED_IN_A_ROW = 7
WITHIN = timedelta(days=60)
"""So many emails that came back, sent within that time, and none between them that arrived."""

BOUNCES_FOR = timedelta(days=180)
"""How long such an address counts as one that bounces, from the last of the seven on."""

KEPT_FOR = WITHIN + timedelta(days=30)
"""How long it is known that an event came: longer than any event waits, dead letters included."""

MAX_EMAILS = 50
"""That are kept of an address; more than anybody sends to one that bounces."""

_ARRIVED = frozenset({Outcome.DELIVERED, Outcome.COMPLAINED})


@dataclass(frozen=True)
class KnownEmail:
    """One email, and all that SES said of it."""

    message_id: str
    sent_at: datetime
    noted_at: datetime
    """When the last event about it was taken in."""
    outcomes: dict[Outcome, datetime] = field(default_factory=dict)
    """Each with its own moment."""

    @property
    def has_arrived(self) -> bool:
        """Returns whether somebody got it, be it that their mailbox answers by itself."""
        return not _ARRIVED.isdisjoint(self.outcomes)

    @property
    def returned_at(self) -> datetime | None:
        """Returns when it came back, if it did; None where it was refused for good."""
        return None if self.has_arrived else self.outcomes.get(Outcome.RETURNED)


@dataclass(frozen=True)
class AddressEmails:
    """The emails to one address that something is known of."""

    emails: tuple[KnownEmail, ...] = ()
    applied_end: datetime | None = None
    """The end of the suppression that emails in a row have caused; None where none did."""

    def knows(self, event: EmailEvent) -> bool:
        """Returns whether the event was taken in before."""
        return any(
            each.message_id == event.message_id and event.outcome in each.outcomes
            for each in self.emails
        )

    def with_event(self, event: EmailEvent, now: datetime) -> "AddressEmails":
        """Returns what is known with the event, without what is too long ago to matter.

        Nothing is, as long as a suppression that emails in a row have caused may still change.
        """
        known = {each.message_id: each for each in self.emails}
        email = known.get(event.message_id, KnownEmail(event.message_id, event.sent_at, now))
        outcomes = {**email.outcomes, event.outcome: event.at}
        known[event.message_id] = replace(email, outcomes=outcomes, noted_at=now)
        is_open = self.applied_end is not None and self.applied_end > now
        remaining = sorted(
            (each for each in known.values() if is_open or each.noted_at > now - KEPT_FOR),
            key=lambda each: each.noted_at,
        )[-MAX_EMAILS:]
        remaining.sort(key=lambda each: (each.sent_at, each.message_id))
        return replace(self, emails=tuple(remaining))

    @property
    def bounces_until(self) -> datetime | None:
        """Returns until when the address counts as one that bounces; None where it doesn't.

        Emails that have counted once don't count for the next seven.
        """
        return max((end + BOUNCES_FOR for end in self._ends_of_runs()), default=None)

    def _ends_of_runs(self) -> Iterator[datetime]:
        """When the seventh of each run came back."""
        run: list[KnownEmail] = []
        for email in self.emails:
            if email.has_arrived:
                run = []
            elif email.returned_at:
                run = [each for each in run if each.sent_at > email.sent_at - WITHIN] + [email]
                if len(run) == RETURNED_IN_A_ROW:
                    yield email.returned_at
                    run = []
