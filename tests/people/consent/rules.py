"""The rules of consent as a plain model, compared with the service in random histories.

It knows no rows, no order of arrival and none of the service's decisions: an address keeps every
statement ever made of it, and its state is looked up from all of them (docs/semantics.md, section
1.9, 2.2, 2.4 and 2.7).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

SUBSCRIBED, PENDING, UNSUBSCRIBED = "subscribed", "pending", "unsubscribed"
NOT_SUBSCRIBED = "not_subscribed"
RANK = [SUBSCRIBED, PENDING, UNSUBSCRIBED]
"""What wins at the same moment, the winner last."""


@dataclass(frozen=True)
class Statement:
    """A state of an address at a moment."""

    state: str
    at: datetime
    is_proven: bool = True
    """Whether the moment is the person's own."""
    is_question: bool = False
    """Whether the person was asked by email to confirm."""

    @property
    def yields(self) -> bool:
        """Whether it never overrides `unsubscribed`."""
        return self.state == SUBSCRIBED and not self.is_proven

    @property
    def order(self) -> tuple[datetime, int, bool]:
        """The greater one holds."""
        return (self.at, RANK.index(self.state), self.is_question)


@dataclass
class AddressRules:
    """All statements about an address since its person was erased."""

    statements: list[Statement] = field(default_factory=list)
    erased_at: datetime | None = None

    def add(self, statement: Statement, since: datetime | None = None) -> None:
        """Adds a statement.

        One that isn't `unsubscribed` must be proven later than `since` and any erasure.
        """
        over = [each for each in (since, self.erased_at) if each]
        is_too_late = bool(over) and (not statement.is_proven or statement.at <= max(over))
        if statement.state == UNSUBSCRIBED or not is_too_late:
            self.statements.append(statement)

    def add_now(self, state: str, now: datetime) -> None:
        """Adds a statement without a time: later than all that are known."""
        known = [each.at for each in self.statements] + [self.erased_at] * bool(self.erased_at)
        later = [each + timedelta(milliseconds=1) for each in known if each]
        self.add(Statement(state, max([now, *later])))

    @property
    def holds(self) -> Statement | None:
        """The statement that holds; None if there is none."""
        proven = [each for each in self.statements if not each.yields]
        greatest = max(proven, key=lambda each: each.order, default=None)
        was_refused = any(each.state == UNSUBSCRIBED for each in self.statements)
        is_asked_anew = greatest is not None and greatest.is_question and was_refused
        if greatest and (greatest.state == UNSUBSCRIBED or is_asked_anew):
            return greatest
        return max(self.statements, key=lambda each: each.order, default=None)

    @property
    def state(self) -> tuple[str, datetime | None]:
        """The state, and its statement's moment."""
        holds = self.holds
        return (holds.state, holds.at) if holds else (NOT_SUBSCRIBED, None)


@dataclass(frozen=True)
class Record:
    """A customer as a store sends it."""

    email: str
    state: str
    updated_at: datetime
    consent_at: datetime | None = None
    keeps_times: bool = False
    """Whether the store keeps the consent time that it is told."""


@dataclass
class Known:
    """A customer's last consent that a store gave, or took from us."""

    email: str
    state: str
    updated_at: datetime
    consent_at: datetime | None
    has_taken: bool = False
    """Whether the store took a state of this address from us."""
    is_deleted: bool = False
    refused_at: datetime | None = None
    """When an address that they had before was unsubscribed."""
    contradictions: int = 0
    """How often the store gave something else after it took a no."""

    def is_newer_than(self, record: Record, now: datetime) -> bool:
        """Whether the record has a state from before the one that the store gave or took."""
        if record.email != self.email or self.consent_at is None:
            return False
        moments = [record.updated_at, record.consent_at or record.updated_at]
        if max(moments) < self.consent_at:
            is_yes_after_no = (self.state, record.state) == (UNSUBSCRIBED, SUBSCRIBED)
            return not (is_yes_after_no and record.updated_at > self.updated_at)
        own = record.consent_at and record.consent_at > self.consent_at
        is_again = self.has_taken and record.updated_at <= self.updated_at and not own
        return is_again and record.state == NOT_SUBSCRIBED


type Customer = tuple[UUID, str]
"""A store, and what it calls the customer."""


class Rules:
    """Addresses of several workspaces, and the consent that stores gave for their customers."""

    def __init__(self, max_contradictions: int) -> None:
        """Nothing was stated yet.

        So often a store may contradict the opt-outs that it took; a contradiction after that is
        undated.
        """
        self.max_contradictions = max_contradictions
        self.addresses: dict[tuple[UUID, str], AddressRules] = {}
        self.customers: dict[Customer, Known] = {}

    def address(self, workspace: UUID, email: str) -> AddressRules:
        """The statements about an address in a workspace."""
        return self.addresses.setdefault((workspace, email), AddressRules())

    def import_row(self, workspace: UUID, email: str, statement: Statement, now: datetime) -> None:
        """An import has a statement; `is_proven` is whether it has a proof."""
        is_past = statement.at <= now
        at = min(statement.at, now)
        statement = Statement(statement.state, at, statement.is_proven and is_past)
        self.address(workspace, email).add(statement)

    def push(self, workspace: UUID, customer: Customer, record: Record, now: datetime) -> None:
        """A store sends a customer: a value other than its last one is a statement."""
        known = self.customers.get(customer)
        refused_at = self._refused_at(workspace, known, record)
        is_past = record.consent_at is not None and record.consent_at <= now
        consent_at = record.consent_at if is_past else None
        if known and known.is_newer_than(record, now):
            after = Known(record.email, known.state, record.updated_at, known.consent_at)
        else:
            after = Known(record.email, record.state, record.updated_at, consent_at)
            after.contradictions = int(_contradicts(known, record))
            if (state := _stated_state(known, record, now)) is not None:
                at = min(record.consent_at or record.updated_at, now)
                before = known.contradictions if known else 0
                is_loop = before + after.contradictions > self.max_contradictions
                if not (is_loop and state == PENDING):
                    statement = Statement(state, at, is_past and not is_loop)
                    self.address(workspace, record.email).add(statement, since=refused_at)
        after.contradictions += known.contradictions if known else 0
        is_same = known is not None and known.email == record.email
        after.has_taken = known is not None and known.has_taken and is_same
        after.refused_at = refused_at
        self.customers[customer] = after

    def _refused_at(self, workspace: UUID, known: Known | None, record: Record) -> datetime | None:
        if known is None:
            return None
        moments = [known.refused_at]
        if known.email != record.email:
            state, as_of = self.address(workspace, known.email).state
            moments.append(as_of if state == UNSUBSCRIBED else None)
        return max((each for each in moments if each), default=None)

    def take(self, customer: Customer, email: str | None, state: str, at: datetime) -> None:
        """A store took a state from us: it counts as given by the store.

        An erased person's write-back, which has no address, doesn't: nothing records who was sent
        that.
        """
        known = self.customers.get(customer)
        if known and known.email == email:
            known.state, known.consent_at, known.has_taken = state, at, True

    def delete(self, customer: Customer) -> None:
        """A store deleted a customer."""
        self.customers[customer].is_deleted = True

    def erase(
        self, workspace: UUID, emails: Iterable[str], customers: Iterable[Customer], now: datetime
    ) -> None:
        """A person with these addresses and these customers is erased."""
        for email in emails:
            self.addresses[workspace, email] = AddressRules(erased_at=now)
        for customer in customers:
            self.customers.pop(customer, None)


def _contradicts(known: Known | None, record: Record) -> bool:
    """Whether a record contradicts the opt-out that the store took."""
    if known is None or known.email != record.email or not known.has_taken:
        return False
    return known.state == UNSUBSCRIBED and record.state in {SUBSCRIBED, PENDING}


def _stated_state(known: Known | None, record: Record, now: datetime) -> str | None:
    """The state that a record states; None if it states nothing new."""
    if known is None or known.is_deleted or known.email != record.email:
        return None if record.state == NOT_SUBSCRIBED else record.state
    if record.state == NOT_SUBSCRIBED:
        return UNSUBSCRIBED if known.state == SUBSCRIBED else None
    if known.state != record.state:
        return record.state
    at, is_own = record.consent_at, record.keeps_times or not known.has_taken
    since = known.consent_at + timedelta(seconds=1) if known.consent_at else at
    is_later = at is not None and since is not None and since <= at <= now
    return record.state if is_own and is_later else None
