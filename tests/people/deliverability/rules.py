"""Who may be sent email, as a plain model, compared with the service in random histories.

It keeps every statement ever made of an address, and looks up from all of them what may be sent
(docs/semantics.md, sections 2.9 to 2.11). The consent rules come from the model of consent.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tests.people.consent.rules import (
    NOT_SUBSCRIBED,
    SUBSCRIBED,
    UNSUBSCRIBED,
    AddressRules,
    Statement,
)

STRONGEST_FIRST = ["complaint", "hard_bounce", "invalid", "manual"]
MOMENT = timedelta(milliseconds=1)
type Answered = tuple[int, str | None]
"""An answer's status, and its problem's code."""


@dataclass
class Request:
    """An opt-in request."""

    profile: str
    since: datetime
    sent_at: datetime
    path: str
    is_confirmed: bool = False


@dataclass
class Sent:
    """An email, and SES's events about it."""

    sent_at: datetime
    outcomes: dict[str, datetime] = field(default_factory=dict)


@dataclass
class Deliverability:
    """One address."""

    consent: AddressRules
    suppressions: dict[str, datetime | None] = field(default_factory=dict)
    """By reason: when it ends, if it does."""
    confirmed: list[datetime] = field(default_factory=list)
    requested_at: list[datetime] = field(default_factory=list)
    emails: dict[str, Sent] = field(default_factory=dict)
    applied_end: datetime | None = None

    def reasons(self, now: datetime) -> list[str]:
        """Why it is suppressed, the strongest first."""
        ends = self.suppressions
        return [r for r in STRONGEST_FIRST if r in ends and (ends[r] is None or ends[r] > now)]  # type: ignore[operator]

    def why(self, now: datetime) -> list[str]:
        """The reasons against marketing."""
        state, _ = self.consent.state
        return [state] * (state != SUBSCRIBED) + ["suppressed"] * bool(self.reasons(now))

    def transactional(self, now: datetime) -> bool:
        """Whether an order's confirmation may be sent."""
        return self.reasons(now) in ([], ["manual"])

    def suppress(
        self,
        reason: str,
        now: datetime,
        *,
        ends: datetime | None = None,
        at: datetime | None = None,
        is_known: bool,
    ) -> bool:
        """It is suppressed; whether that is new. `at`: when its cause was; `is_known`: whether
        anybody has the address.
        """
        is_new = reason not in self.reasons(now)
        before = ends if is_new else self.suppressions[reason]
        self.suppressions[reason] = max(before, ends) if before and ends else None
        if reason == "complaint" and is_known:
            state, _ = self.consent.state
            if is_new or state != UNSUBSCRIBED:
                self._unsubscribe(at, now)
        return is_new

    def _unsubscribe(self, at: datetime | None, now: datetime) -> None:
        if at:
            self.consent.add(Statement(UNSUBSCRIBED, min(at, now)))
        else:
            self.consent.add_now(UNSUBSCRIBED, now)

    @property
    def refused_at(self) -> datetime | None:
        """The last opt-out of all that are known."""
        return max((s.at for s in self.consent.statements if s.state == UNSUBSCRIBED), default=None)

    @property
    def is_confirmed(self) -> bool:
        """Whether its subscription was confirmed."""
        confirmed = max(self.confirmed, default=None)
        refused_at = self.refused_at
        return confirmed is not None and (refused_at is None or confirmed > refused_at)

    def problem(self, form: datetime | None, now: datetime) -> Answered | None:
        """Why no opt-in email is sent to it."""
        state, as_of = self.consent.state
        erased_at = self.consent.erased_at
        if state == SUBSCRIBED and self.is_confirmed:
            return 409, "already_confirmed"
        if self.reasons(now):
            return 409, "suppressed"
        if state == UNSUBSCRIBED and as_of and (form is None or form <= as_of):
            return 409, "unsubscribed"
        if erased_at and form and form <= erased_at:
            return 409, "unsubscribed"
        lately = [each for each in self.requested_at if now - each < timedelta(days=30)]
        if len(lately) >= 2 or any(now - each < timedelta(days=1) for each in lately):
            return 429, "opt_in_recently_sent"
        return None

    def ask(self, form: datetime | None, now: datetime) -> datetime:
        """An opt-in email is sent; returns from when on an opt-out ends the request."""
        refused_at, known = self.refused_at, [each.at for each in self.consent.statements]
        known += [self.consent.erased_at] if self.consent.erased_at else []
        left_out = max([now, *(each + MOMENT for each in known)])
        if self.consent.state[0] != SUBSCRIBED:
            self.consent.add(Statement("pending", form or left_out, is_question=True))
        self.requested_at.append(now)
        return max([form or left_out, *([refused_at + MOMENT] if refused_at else [])])

    def is_over(self, request: Request, now: datetime) -> bool:
        """Whether a link of the request has no effect any more, whoever has the address."""
        ends = (self.refused_at, self.consent.erased_at)
        life = timedelta(days=30 if request.is_confirmed else 7)
        is_late = now - request.sent_at >= life
        return is_late or any(end and end >= request.since for end in ends)

    def confirm(self, request: Request, now: datetime) -> None:
        """Its owner presses the button."""
        if not request.is_confirmed:
            request.is_confirmed = True
            self.consent.add_now(SUBSCRIBED, now)
            self.confirmed.append(self.consent.statements[-1].at)

    def erase(self, now: datetime) -> None:
        """Its person is erased: only that, and its suppressions, are kept."""
        self.consent.statements.clear()
        self.consent.erased_at = now
        self.confirmed.clear()

    def hears(
        self, email: str, sent_at: datetime, outcome: str, at: datetime, now: datetime, known: bool
    ) -> None:
        """SES has an event about an email to it; `known`: a profile has the address."""
        outcomes = self.emails.setdefault(email, Sent(sent_at)).outcomes
        if outcome in outcomes:
            return
        outcomes[outcome] = at
        if outcome == "bounced":
            self.suppress("hard_bounce", now, at=at, is_known=known)
        if outcome == "complained":
            self.suppress("complaint", now, at=at, is_known=known)
        self._settle(now)

    def _settle(self, now: datetime) -> None:
        until, applied = self._bounces_until(), self.applied_end
        if applied and (until is None or until < applied):
            if "hard_bounce" in self.reasons(now) and self.suppressions["hard_bounce"] == applied:
                del self.suppressions["hard_bounce"]
            applied = None
        if until and until != applied and until > now:
            self.suppress("hard_bounce", now, ends=until, is_known=False)
        self.applied_end = until

    def _bounces_until(self) -> datetime | None:
        end, run = None, list[datetime]()
        for email in sorted(self.emails.values(), key=lambda each: each.sent_at):
            if email.outcomes.keys() & {"arrived", "complained"}:
                run = []
            elif "returned" in email.outcomes:
                run = [*run, email.sent_at][-7:]
                if len(run) == 7 and run[-1] - run[0] < timedelta(days=60):
                    end = max(end or run[-1], email.outcomes["returned"]) + timedelta(0)
                    run = []
        return end + timedelta(days=180) if end else None


def not_subscribed() -> list[str]:
    """The reasons against marketing to an address that no profile has."""
    return [NOT_SUBSCRIBED]
