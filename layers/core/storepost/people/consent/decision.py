"""Decides which assertion of an address's consent holds (docs/semantics.md, section 2).

An address keeps the greatest assertion by (`occurredAt`, unsubscribed > pending > subscribed). An
undated `subscribed`, whose time isn't proven to be the consent's own, is an exception: it never
overrides `unsubscribed`, nor does it once the person was only asked to confirm since. So it is
stored separately, and counts wherever neither holds. All values are maxima, and the state derives
from them: every order of arrival ends in the same state.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from storepost.people.consent.states import ConsentState, OptInLevel

_RANK = {ConsentState.SUBSCRIBED: 0, ConsentState.PENDING: 1, ConsentState.UNSUBSCRIBED: 2}
_MOMENT = timedelta(milliseconds=1)
_NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)
"""The confirmation time of an undated opt-in, earlier than every unsubscription."""


@dataclass(frozen=True)
class Assertion:
    """A statement that an address had a state at a time."""

    state: ConsentState
    """Never `not_subscribed`, which asserts nothing."""
    occurred_at: datetime
    dated: bool = True
    """Whether `occurred_at` is proven to be the consent's own time.

    It isn't where it is the time of the store's record, was in the future, or is an import's
    without proof.
    """
    awaits_answer: bool = False
    """Whether it says that the person was asked by email to confirm."""

    def __post_init__(self) -> None:
        """Raises ValueError for a state that asserts nothing."""
        if self.state not in _RANK:
            raise ValueError(f"{self.state} asserts nothing")

    @property
    def is_undated_opt_in(self) -> bool:
        """Returns whether it never overrides `unsubscribed`."""
        return self.state is ConsentState.SUBSCRIBED and not self.dated


@dataclass(frozen=True)
class ChangeRef:
    """Identifies a recorded change, by its profile and its id."""

    profile_id: UUID
    change_id: UUID


@dataclass(frozen=True, order=True)
class CustomerRef:
    """Identifies a store's customer, by the store's own id."""

    store_id: UUID
    external_id: str


@dataclass(frozen=True)
class EffectiveConsent:
    """The greatest assertion of its kind, and the change that answers show for it."""

    state: ConsentState
    as_of: datetime
    change: ChangeRef
    awaits_answer: bool = False
    """Whether the person was asked by email to confirm."""

    @property
    def order(self) -> tuple[datetime, int, bool]:
        """Returns the key by which assertions are compared."""
        return (self.as_of, _RANK[self.state], self.awaits_answer)


@dataclass(frozen=True)
class AddressConsent:
    """An address's consent, with all values that the next assertion is compared with."""

    dated: EffectiveConsent | None = None
    undated: EffectiveConsent | None = None
    """The greatest `subscribed` whose time isn't proven."""
    erased_at: datetime | None = None
    """When a person with the address was last erased: only an opt-in dated later subscribes it."""
    other_customers: frozenset[CustomerRef] = frozenset()
    """Customers who have this address and belong to another profile than its changes."""
    confirmed_at: datetime | None = None
    """The latest time at which it was subscribed with a confirmed opt-in."""
    unsubscribed_at: datetime | None = None
    """The latest time at which it was unsubscribed: this ends earlier confirmations."""
    last_statement: str | None = None
    """A digest of the last statement that left evidence: repeating it leaves no more evidence."""

    @property
    def is_confirmed(self) -> bool:
        """Returns whether the subscription that holds was confirmed.

        For an unsubscribed address: whether any subscription was.
        """
        if self.confirmed_at is None or self.unsubscribed_at is None:
            return self.confirmed_at is not None
        is_refused = self.state is ConsentState.UNSUBSCRIBED
        return is_refused or self.confirmed_at > self.unsubscribed_at

    def with_level(self, assertion: Assertion, level: OptInLevel) -> "AddressConsent":
        """Returns the consent with the statement's opt-in level; keeps maxima, in any order."""
        moment = assertion.occurred_at
        if assertion.state is ConsentState.UNSUBSCRIBED:
            return replace(self, unsubscribed_at=max(moment, self.unsubscribed_at or moment))
        if assertion.state is ConsentState.SUBSCRIBED and level is OptInLevel.CONFIRMED:
            moment = moment if assertion.dated else _NO_TIME
            return replace(self, confirmed_at=max(moment, self.confirmed_at or moment))
        return self

    @property
    def holds(self) -> EffectiveConsent | None:
        """Returns the assertion that holds; None where there is none yet."""
        dated, undated = self.dated, self.undated
        if dated is None or undated is None:
            return dated or undated
        if self.needs_proof or dated.order >= undated.order:
            return dated
        return undated

    @property
    def needs_proof(self) -> bool:
        """Returns whether no undated `subscribed` counts.

        The address is unsubscribed, or it was and its person was only asked to confirm since.
        """
        dated = self.dated
        if dated is None or dated.state is ConsentState.UNSUBSCRIBED:
            return dated is not None
        return dated.awaits_answer and self.unsubscribed_at is not None

    def with_change(self, change: ChangeRef) -> "AddressConsent":
        """Returns the consent with another change shown for the assertion that holds."""
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
        """Returns when the address was unsubscribed, if it still is."""
        return self.as_of if self.state is ConsentState.UNSUBSCRIBED else None

    def moment_left_out(self, now: datetime) -> datetime:
        """Returns the time of a request without `occurredAt`.

        This is now, or 1 ms after the latest known time if that is later.
        """
        known = [effective.as_of for effective in (self.dated, self.undated) if effective]
        erased = [self.erased_at] if self.erased_at else []
        return max([now, *(moment + _MOMENT for moment in (*known, *erased))])

    def with_customer(self, customer: CustomerRef) -> "AddressConsent":
        """Returns the consent with one more customer, of another profile, who has this address."""
        return replace(self, other_customers=self.other_customers | {customer})

    def without_customer(self, customer: CustomerRef) -> "AddressConsent":
        """Returns the consent without a customer whose address has changed."""
        return replace(self, other_customers=self.other_customers - {customer})


@dataclass(frozen=True)
class Decision:
    """The effect of an assertion."""

    after: AddressConsent
    recorded: bool
    """Whether it enters the history: it does unless it repeats the state that holds."""
    superseded: bool
    """Whether it only enters the history, because another assertion holds."""
    restored: ChangeRef | None = None
    """The earlier change that holds again because of this assertion."""
    is_set_aside: bool = False
    """Whether it asserts nothing."""


def decide(
    before: AddressConsent,
    assertion: Assertion,
    change: ChangeRef,
    level: OptInLevel = OptInLevel.UNKNOWN,
) -> Decision:
    """Decides an assertion's effect; `change` identifies it if it is recorded."""
    effective = before.holds
    recorded = effective is None or effective.state is not assertion.state
    ref = change if effective is None or recorded else effective.change
    new = EffectiveConsent(assertion.state, assertion.occurred_at, ref, assertion.awaits_answer)
    if assertion.is_undated_opt_in:
        after = replace(before, undated=_greater(before.undated, new))
    else:
        after = replace(before, dated=_greater(before.dated, new))
    after = after.with_level(assertion, level)
    if recorded and after.state is assertion.state:
        # The assertion changes the state, perhaps only by replacing the statement that overrode an
        # older one. So this is the change that the stores get.
        after = after.with_change(change)
    holds = after.holds.change if after.holds else None
    restored = holds if after.state is not before.state and holds != change else None
    return Decision(after, recorded, recorded and holds != change, restored)


def set_aside(before: AddressConsent, *, recorded: bool) -> Decision:
    """Returns a decision without effect; the assertion enters at most the history."""
    return Decision(before, recorded, superseded=recorded, is_set_aside=True)


def _greater(current: EffectiveConsent | None, new: EffectiveConsent) -> EffectiveConsent:
    return new if current is None or new.order > current.order else current
