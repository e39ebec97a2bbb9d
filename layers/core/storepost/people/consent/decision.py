"""Which assertion of an address's consent holds (docs/semantics.md, section 2).

An address keeps the greatest assertion by (`occurredAt`, unsubscribed > pending > subscribed). One
kind stands apart: `subscribed` that can't be proven to be later, as it comes without a time that
counts. It never overrides `unsubscribed`, so it is kept beside the others and counts wherever no
unsubscription holds. Both are maxima, and what holds follows from the two: every order of arrival
ends in the same state.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from storepost.people.consent.states import ConsentState, OptInLevel

_RANK = {ConsentState.SUBSCRIBED: 0, ConsentState.PENDING: 1, ConsentState.UNSUBSCRIBED: 2}
_MOMENT = timedelta(milliseconds=1)
_NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)
"""When somebody confirmed, where nobody knows that: before every unsubscription."""


@dataclass(frozen=True)
class Assertion:
    """The statement that an address had a state at a moment."""

    state: ConsentState
    """Never `not_subscribed`, which asserts nothing."""
    occurred_at: datetime
    dated: bool = True
    """Whether `occurred_at` is proven to be the consent's own time.

    It isn't where it is that of the store's record, was in the future, or is an import's without
    proof.
    """

    def __post_init__(self) -> None:
        """Refuses what asserts nothing."""
        if self.state not in _RANK:
            raise ValueError(f"{self.state} asserts nothing")

    @property
    def is_undated_opt_in(self) -> bool:
        """Returns whether it never overrides `unsubscribed`."""
        return self.state is ConsentState.SUBSCRIBED and not self.dated


@dataclass(frozen=True)
class ChangeRef:
    """Says where a recorded change stands."""

    profile_id: UUID
    change_id: UUID


@dataclass(frozen=True, order=True)
class CustomerRef:
    """A store's customer, by what the store calls them."""

    store_id: UUID
    external_id: str


@dataclass(frozen=True)
class EffectiveConsent:
    """The greatest assertion of its kind so far, and the change that an answer shows for it."""

    state: ConsentState
    as_of: datetime
    change: ChangeRef

    @property
    def order(self) -> tuple[datetime, int]:
        """Returns what the greater assertion has more of."""
        return (self.as_of, _RANK[self.state])


@dataclass(frozen=True)
class AddressConsent:
    """Says what an address's consent is, and all that the next assertion is measured by."""

    dated: EffectiveConsent | None = None
    undated: EffectiveConsent | None = None
    """`subscribed` without a time that counts."""
    erased_at: datetime | None = None
    """When a person who had the address was erased last: only what is dated later subscribes it."""
    other_customers: frozenset[CustomerRef] = frozenset()
    """Customers whose own address it is and who belong to somebody else than its changes."""
    confirmed_at: datetime | None = None
    """The latest moment at which somebody subscribed it with a confirmed opt-in."""
    unsubscribed_at: datetime | None = None
    """The latest moment at which somebody unsubscribed it: what was confirmed before is over."""
    last_statement: str | None = None
    """A digest of the last statement that left evidence: one that is repeated leaves none."""

    @property
    def is_confirmed(self) -> bool:
        """Returns whether the subscription that holds was confirmed;
        of an unsubscribed address any.
        """
        if self.confirmed_at is None or self.unsubscribed_at is None:
            return self.confirmed_at is not None
        is_refused = self.state is ConsentState.UNSUBSCRIBED
        return is_refused or self.confirmed_at > self.unsubscribed_at

    def with_level(self, assertion: Assertion, level: OptInLevel) -> "AddressConsent":
        """Returns the consent after somebody stated that level; greatest moments, in any order."""
        moment = assertion.occurred_at
        if assertion.state is ConsentState.UNSUBSCRIBED:
            return replace(self, unsubscribed_at=max(moment, self.unsubscribed_at or moment))
        if assertion.state is ConsentState.SUBSCRIBED and level is OptInLevel.CONFIRMED:
            moment = moment if assertion.dated else _NO_TIME
            return replace(self, confirmed_at=max(moment, self.confirmed_at or moment))
        return self

    @property
    def holds(self) -> EffectiveConsent | None:
        """Returns the statement that holds; None while nobody asserted anything."""
        dated, undated = self.dated, self.undated
        if dated is None or undated is None:
            return dated or undated
        if dated.state is ConsentState.UNSUBSCRIBED or dated.order >= undated.order:
            return dated
        return undated

    def with_change(self, change: ChangeRef) -> "AddressConsent":
        """Returns the consent with another change shown for what holds."""
        effective = self.holds
        if effective is None:
            return self
        updated = replace(effective, change=change)
        return (
            replace(self, dated=updated)
            if effective is self.dated
            else replace(self, undated=updated)
        )

    @property
    def state(self) -> ConsentState:
        """Returns the address's state."""
        return self.holds.state if self.holds else ConsentState.NOT_SUBSCRIBED

    @property
    def as_of(self) -> datetime | None:
        """Returns the greatest `occurredAt` that asserted the state."""
        return self.holds.as_of if self.holds else None

    @property
    def refused_at(self) -> datetime | None:
        """Returns when it was unsubscribed, while it is."""
        return self.as_of if self.state is ConsentState.UNSUBSCRIBED else None

    def moment_left_out(self, now: datetime) -> datetime:
        """Returns the `occurredAt` of a request that has none: now,
        and at least 1 ms after `asOf`.
        """
        known = [effective.as_of for effective in (self.dated, self.undated) if effective]
        erased = [self.erased_at] if self.erased_at else []
        return max([now, *(moment + _MOMENT for moment in (*known, *erased))])

    def with_customer(self, customer: CustomerRef) -> "AddressConsent":
        """Returns the consent with one more customer of somebody else whose own address it is."""
        return replace(self, other_customers=self.other_customers | {customer})

    def without_customer(self, customer: CustomerRef) -> "AddressConsent":
        """Returns the consent without a customer who has another address now."""
        return replace(self, other_customers=self.other_customers - {customer})


@dataclass(frozen=True)
class Decision:
    """Says what an assertion does."""

    after: AddressConsent
    recorded: bool
    """Whether it enters the history: it does unless it says what holds already."""
    superseded: bool
    """Whether it is in the history only, because another assertion holds."""
    restored: ChangeRef | None = None
    """The change before it that holds again, where the assertion made the state that one's."""
    is_set_aside: bool = False
    """Whether it asserts nothing."""


def decide(before: AddressConsent, assertion: Assertion, change: ChangeRef) -> Decision:
    """Measures the assertion; `change` is where it stands if it is recorded."""
    effective = before.holds
    recorded = effective is None or effective.state is not assertion.state
    ref = change if effective is None or recorded else effective.change
    new = EffectiveConsent(assertion.state, assertion.occurred_at, ref)
    if assertion.is_undated_opt_in:
        after = replace(before, undated=_greater(before.undated, new))
    else:
        after = replace(before, dated=_greater(before.dated, new))
    if recorded and after.state is assertion.state:
        # It changes what holds, if only because the statement behind which another one stood is
        # gone: this is the change that the stores get.
        after = after.with_change(change)
    holds = after.holds.change if after.holds else None
    restored = holds if after.state is not before.state and holds != change else None
    return Decision(after, recorded, recorded and holds != change, restored)


def set_aside(before: AddressConsent, *, recorded: bool) -> Decision:
    """Leaves everything as it is: the assertion enters the history at most."""
    return Decision(before, recorded, superseded=recorded, is_set_aside=True)


def _greater(current: EffectiveConsent | None, new: EffectiveConsent) -> EffectiveConsent:
    return new if current is None or new.order > current.order else current
