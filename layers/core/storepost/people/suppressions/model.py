"""Suppressions as values: why an address may not be written to.

A suppression belongs to an address, as consent does, and stands beside it: neither changes the
other. An address has one of each reason at most. Each is lifted by itself, so that who lifts a
bounce doesn't lift what somebody else entered by hand.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from storepost.people.consent.model import Address
from storepost.people.consent.states import Channel
from storepost.values.stored_enum import StoredEnum


class SuppressionReason(StoredEnum):
    """Why an address may not be written to. `complaint`: its owner reported an email as spam.
    `hard_bounce`: it refuses whatever is sent. `invalid`: it can't exist. `manual`: somebody
    entered it; what the person needs, such as an order's confirmation, may still be sent.
    """

    HARD_BOUNCE = "hard_bounce"
    COMPLAINT = "complaint"
    MANUAL = "manual"
    INVALID = "invalid"


class SuppressionSource(StoredEnum):
    """How a suppression came. `ses`: from what Amazon SES says of an email. `api`: by an API key.
    `manual`: by a signed-in person. `import`: from an import, or from a store.
    """

    SES = "ses"
    API = "api"
    MANUAL = "manual"
    IMPORT = "import"


STRONGEST_FIRST = (
    SuppressionReason.COMPLAINT,
    SuppressionReason.HARD_BOUNCE,
    SuppressionReason.INVALID,
    SuppressionReason.MANUAL,
)
"""Where an address has several suppressions, the first of these is the one that is shown."""

NEED_A_NOTE = frozenset({SuppressionReason.HARD_BOUNCE, SuppressionReason.COMPLAINT})
"""Who lifts one of these says why."""


@dataclass(frozen=True)
class Suppression:
    """One suppression of an address, in force or lifted."""

    id: UUID
    channel: Channel
    address: str | None = field(repr=False)
    """None once whoever had the address was erased."""
    reason: SuppressionReason
    source: SuppressionSource
    created_at: datetime
    note: str | None = None
    by: str | None = None
    """The name of the person or the key."""
    ends_at: datetime | None = None
    """When it ends by itself; None where it doesn't."""
    lifted_at: datetime | None = None
    lifted_by: str | None = None
    lift_note: str | None = None

    def is_in_force(self, now: datetime) -> bool:
        """Returns whether it holds: neither lifted nor ended."""
        return self.lifted_at is None and (self.ends_at is None or self.ends_at > now)

    @property
    def blocks_everything(self) -> bool:
        """Returns whether not even what the person needs may be sent."""
        return self.reason is not SuppressionReason.MANUAL

    def erased(self) -> "Suppression":
        """Returns the suppression without what names the person."""
        return replace(self, address=None, note=None, lift_note=None)

    def lifted(self, at: datetime, by: str | None, note: str | None) -> "Suppression":
        """Returns the suppression as it is kept in the history."""
        return replace(self, lifted_at=at, lifted_by=by, lift_note=note)

    def ended(self) -> "Suppression":
        """Returns the suppression once it ended by itself."""
        return replace(self, lifted_at=self.ends_at)


@dataclass(frozen=True)
class AddressSuppressions:
    """All suppressions of an address that nobody lifted, as they are stored."""

    digest: str
    """The keyed hash of the address: it is all that is left after an erasure."""
    channel: Channel
    address: str | None = field(default=None, repr=False)
    stored: tuple[Suppression, ...] = ()
    """Those that ended by themselves are among them until they are moved to the history."""
    version: int | None = field(default=None, compare=False, repr=False)

    def in_force(self, now: datetime) -> tuple[Suppression, ...]:
        """Returns those that hold, the strongest first."""
        return tuple(
            sorted(
                (each for each in self.stored if each.is_in_force(now)),
                key=lambda each: STRONGEST_FIRST.index(each.reason),
            )
        )

    def shown(self, now: datetime) -> Suppression | None:
        """Returns the strongest that holds; None where none does."""
        return next(iter(self.in_force(now)), None)

    def blocks_for_good(self, now: datetime) -> bool:
        """Returns whether nothing at all may be sent until somebody lifts something."""
        holding = self.in_force(now)
        return any(each.blocks_everything and each.ends_at is None for each in holding)

    def of_reason(self, reason: SuppressionReason) -> Suppression | None:
        """Returns the stored one of that reason."""
        return next((each for each in self.stored if each.reason is reason), None)

    def with_one(self, suppression: Suppression) -> "AddressSuppressions":
        """Returns the suppressions with this one, in place of the one of the same reason."""
        return replace(self, stored=(*self._without(suppression), suppression))

    def without(self, suppression: Suppression) -> "AddressSuppressions":
        """Returns the suppressions without the one of the same reason."""
        return replace(self, stored=self._without(suppression))

    def erased(self) -> "AddressSuppressions":
        """Returns the suppressions without what names the person."""
        stored = tuple(each.erased() for each in self.stored)
        return replace(self, address=None, stored=stored)

    def of_address(self, address: str | None) -> "AddressSuppressions":
        """Returns the suppressions with the address in clear, or (None) without."""
        stored = tuple(replace(each, address=address) for each in self.stored)
        return replace(self, address=address, stored=stored)

    def _without(self, suppression: Suppression) -> tuple[Suppression, ...]:
        return tuple(each for each in self.stored if each.reason is not suppression.reason)


def address_of(suppression: Suppression) -> Address | None:
    """Returns the address; None after an erasure."""
    if suppression.address is None:
        return None
    return Address(suppression.channel, suppression.address)
