"""Evidence of consent as values: each statement about an address, with what proves it.

docs/semantics.md, section 2.8 has the rules. Evidence stands beside the history: also where a
statement changes nothing, or is older than what holds.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from uuid import UUID

from storepost.people.consent.model import Address, ConsentOrigin, Proof
from storepost.people.consent.states import Channel, ConsentState, OptInLevel

_DIGEST_LENGTH = 16


@dataclass(frozen=True)
class EvidenceDetails:
    """Says what somebody sends beside a proof: what the person agreed to, where, and how surely."""

    text: str | None = field(default=None, repr=False)
    """The wording that the person agreed to."""
    text_version: str | None = None
    url: str | None = field(default=None, repr=False)
    """The page that had the form."""
    opt_in_level: OptInLevel = OptInLevel.UNKNOWN

    @property
    def is_level_alone(self) -> bool:
        """Returns whether it says nothing but the opt-in level."""
        return replace(self, opt_in_level=OptInLevel.UNKNOWN) == NO_EVIDENCE


NO_EVIDENCE = EvidenceDetails()


@dataclass(frozen=True)
class Evidence:
    """One statement about an address, as it was made."""

    address: Address | None
    """None where only the statement is left."""
    channel: Channel
    state: ConsentState
    origin: ConsentOrigin
    details: EvidenceDetails
    occurred_at: datetime
    recorded_at: datetime
    change_id: UUID | None
    """The change in the history; None where the statement changed nothing."""
    id: UUID | None = None
    """Set once it is written."""


type SeriesKey = tuple[UUID, Channel]
"""In which profile's partition evidence of a channel stands."""


@dataclass(frozen=True)
class Series:
    """The evidence of one series: its rows are numbered from 1 to `last`."""

    last: int = 0
    removed: tuple[int, ...] = ()
    """Numbers whose rows are gone, ascending: of a customer that a shop had redacted."""

    @property
    def count(self) -> int:
        """Returns how many rows there are."""
        return self.last - len(self.removed)

    def number_at(self, index: int) -> int:
        """Returns the number of the row that has so many newer ones;
        `index` is less than `count`.
        """
        number = self.last - index
        for each in reversed(self.removed):
            if each < number:
                break
            number -= 1
        return number

    def without(self, numbers: set[int]) -> "Series":
        """Returns the series once these rows are gone."""
        return replace(self, removed=tuple(sorted({*self.removed, *numbers})))


def count_of(series: Mapping[SeriesKey, Series]) -> int:
    """Returns how many rows there are in all series."""
    return sum(each.count for each in series.values())


def digest_of(
    state: ConsentState, occurred_at: datetime | None, origin: object, more: object
) -> str:
    """Returns the digest of a statement, by which one that is repeated word for word is known."""
    return _digest([state, occurred_at, origin, more])


def digest_of_proof(proof: Proof | None, details: EvidenceDetails | None) -> str | None:
    """Returns the digest of what a store gives to prove a consent; None where it gives nothing."""
    if proof is None and details is None:
        return None
    return _digest([asdict(each) if each else None for each in (proof, details)])


def _digest(content: object) -> str:
    text = json.dumps(content, default=str, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_LENGTH]
