"""Suppressions as values: why an address may not be written to.

A suppression belongs to an address, as consent does, and is independent of it: neither changes the
other. An address has at most one for each reason. Each is lifted separately, so that lifting a
bounce doesn't lift a manual one.
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
"""Of an address's suppressions, the first by this order is shown."""

NEED_A_NOTE = frozenset({SuppressionReason.HARD_BOUNCE, SuppressionReason.COMPLAINT})
"""Lifting one of these requires a note."""


@dataclass(frozen=True)
class Suppression:
    """One suppression of an address, in force or lifted."""

    id: UUID
    channel: Channel
    address: str | None = field(repr=False)
    """None once the person with the address was erased."""
    reason: SuppressionReason
    source: SuppressionSource
    created_at: datetime
    note: str | None = None
    by: str | None = None
    """The name of the person or the key."""
    ends_at: datetime | None = None
    """When it ends by itself, if it does."""
    lifted_at: datetime | None = None
    lifted_by: str | None = None
    lift_note: str | None = None

    def is_in_force(self, now: datetime) -> bool:
        """Returns whether it is in force: neither lifted nor ended."""
        return self.lifted_at is None and (self.ends_at is None or self.ends_at > now)

    @property
    def blocks_everything(self) -> bool:
        """Returns whether even necessary emails may not be sent."""
        return self.reason is not SuppressionReason.MANUAL

    def erased(self) -> "Suppression":
        """Returns the suppression without the fields that identify the person."""
        return replace(self, address=None, note=None, lift_note=None)

    def without_notes(self, until: datetime) -> "Suppression":
        """Returns the suppression without the notes that were made until then."""
        lifted_at = self.lifted_at
        return replace(
            self,
            note=self.note if self.created_at > until else None,
            lift_note=self.lift_note if lifted_at and lifted_at > until else None,
        )

    def lifted(self, at: datetime, by: str | None, note: str | None) -> "Suppression":
        """Returns the suppression as lifted, for the history."""
        return replace(self, lifted_at=at, lifted_by=by, lift_note=note)

    def ended(self) -> "Suppression":
        """Returns the suppression after it ended by itself."""
        return replace(self, lifted_at=self.ends_at)


@dataclass(frozen=True)
class AddressSuppressions:
    """All suppressions of an address that aren't lifted, as they are stored."""

    digest: str
    """The keyed hash of the address, which is all that is left of it after an erasure."""
    channel: Channel
    address: str | None = field(default=None, repr=False)
    stored: tuple[Suppression, ...] = ()
    """Ended ones are among them until they are moved to the history."""
    version: int | None = field(default=None, compare=False, repr=False)

    def in_force(self, now: datetime) -> tuple[Suppression, ...]:
        """Returns those in force, the strongest one first."""
        return tuple(
            sorted(
                (each for each in self.stored if each.is_in_force(now)),
                key=lambda each: STRONGEST_FIRST.index(each.reason),
            )
        )

    def shown(self, now: datetime) -> Suppression | None:
        """Returns the strongest one in force, or None."""
        return next(iter(self.in_force(now)), None)

    def blocks_for_good(self, now: datetime) -> bool:
        """Returns whether nothing may be sent until a suppression is lifted."""
        holding = self.in_force(now)
        return any(each.blocks_everything and each.ends_at is None for each in holding)

    def of_reason(self, reason: SuppressionReason) -> Suppression | None:
        """Returns the stored one with that reason, or None."""
        return next((each for each in self.stored if each.reason is reason), None)

    def with_one(self, suppression: Suppression) -> "AddressSuppressions":
        """Returns the suppressions with this one, in place of the one of the same reason."""
        return replace(self, stored=(*self._without(suppression), suppression))

    def without(self, suppression: Suppression) -> "AddressSuppressions":
        """Returns the suppressions without the one of the same reason."""
        return replace(self, stored=self._without(suppression))

    def erased(self) -> "AddressSuppressions":
        """Returns the suppressions without the fields that identify the person."""
        stored = tuple(each.erased() for each in self.stored)
        return replace(self, address=None, stored=stored)

    def of_address(self, address: str | None) -> "AddressSuppressions":
        """Returns the suppressions with the address in clear, or with None, without it."""
        stored = tuple(replace(each, address=address) for each in self.stored)
        return replace(self, address=address, stored=stored)

    def _without(self, suppression: Suppression) -> tuple[Suppression, ...]:
        return tuple(each for each in self.stored if each.reason is not suppression.reason)


def address_of(suppression: Suppression) -> Address | None:
    """Returns the address; None after an erasure."""
    if suppression.address is None:
        return None
    return Address(suppression.channel, suppression.address)
