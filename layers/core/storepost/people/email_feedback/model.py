"""The events about emails to one address, as a value, and when the address counts as bouncing.

The result is a function of the set of events: neither their order nor repetitions matter.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from storepost.platform.messaging.ses_events import EmailEvent, Outcome

RETURNED_IN_A_ROW = 7
WITHIN = timedelta(days=60)
"""How many returned emails in a row, sent within that time and with no delivered one between, make
an address bounce.
"""

BOUNCES_FOR = timedelta(days=180)
"""How long such an address counts as bouncing, from the return of the seventh email on."""

KEPT_FOR = WITHIN + timedelta(days=30)
"""How long an event is remembered: longer than any event is delayed, dead letters included."""

MAX_EMAILS = 50
"""How many emails of an address are kept; more than are sent to one that bounces."""

_ARRIVED = frozenset({Outcome.DELIVERED, Outcome.COMPLAINED})


@dataclass(frozen=True)
class KnownEmail:
    """One email, with the events of SES about it."""

    message_id: str
    sent_at: datetime
    noted_at: datetime
    """When the last event about it was recorded."""
    outcomes: dict[Outcome, datetime] = field(default_factory=dict)
    """Each with its own time."""

    @property
    def has_arrived(self) -> bool:
        """Returns whether it arrived, even if the mailbox answers automatically."""
        return not _ARRIVED.isdisjoint(self.outcomes)

    @property
    def returned_at(self) -> datetime | None:
        """Returns when it was returned; None if it wasn't, or was refused for good."""
        return None if self.has_arrived else self.outcomes.get(Outcome.RETURNED)


@dataclass(frozen=True)
class AddressEmails:
    """The emails to one address that events are known of."""

    emails: tuple[KnownEmail, ...] = ()
    applied_end: datetime | None = None
    """The end of the suppression that returned emails in a row caused; None without one."""

    def knows(self, event: EmailEvent) -> bool:
        """Returns whether the event is already recorded."""
        return any(
            each.message_id == event.message_id and event.outcome in each.outcomes
            for each in self.emails
        )

    def with_event(self, event: EmailEvent, now: datetime) -> "AddressEmails":
        """Returns the emails with the event added, without those that are too old to matter.

        None is too old while a suppression by returned emails in a row may still change.
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
        """Returns until when the address counts as bouncing; None where it doesn't.

        Emails that have counted once don't count for the next seven.
        """
        return max((end + BOUNCES_FOR for end in self._ends_of_runs()), default=None)

    def _ends_of_runs(self) -> Iterator[datetime]:
        """When the seventh email of each run was returned."""
        run: list[KnownEmail] = []
        for email in self.emails:
            if email.has_arrived:
                run = []
            elif email.returned_at:
                run = [each for each in run if each.sent_at > email.sent_at - WITHIN] + [email]
                if len(run) == RETURNED_IN_A_ROW:
                    yield email.returned_at
                    run = []
