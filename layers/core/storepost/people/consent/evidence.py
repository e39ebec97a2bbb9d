"""Evidence of consent as values: each statement about an address, with its proof.

docs/semantics.md, section 2.8 has the rules. Evidence is kept beside the history: also for a
statement that changes nothing, or is older than the one that holds.
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
    """What a sender adds to a proof: what the person agreed to, where, and the opt-in level."""

    text: str | None = field(default=None, repr=False)
    """The wording that the person agreed to."""
    text_version: str | None = None
    url: str | None = field(default=None, repr=False)
    """The page that had the form."""
    opt_in_level: OptInLevel = OptInLevel.UNKNOWN

    @property
    def is_level_alone(self) -> bool:
        """Returns whether it has nothing but the opt-in level."""
        return replace(self, opt_in_level=OptInLevel.UNKNOWN) == NO_EVIDENCE


NO_EVIDENCE = EvidenceDetails()


@dataclass(frozen=True)
class Evidence:
    """One statement about an address, as it was made."""

    address: Address | None
    """None where only the statement is left, without its address."""
    channel: Channel
    state: ConsentState
    origin: ConsentOrigin
    details: EvidenceDetails
    occurred_at: datetime
    recorded_at: datetime
    change_id: UUID | None
    """The change in the history; None where the statement changed nothing."""
    id: UUID | None = None
    """Set once the evidence is written."""


type SeriesKey = tuple[UUID, Channel]
"""The profile whose partition stores the evidence, and the evidence's channel."""


@dataclass(frozen=True)
class Series:
    """The evidence of one series: its rows are numbered from 1 to `last`."""

    last: int = 0
    removed: tuple[int, ...] = ()
    """Numbers whose rows were deleted, ascending: they were of a customer that a shop redacted."""

    @property
    def count(self) -> int:
        """Returns how many rows there are."""
        return self.last - len(self.removed)

    def number_at(self, index: int) -> int:
        """Returns the number of the row at an index, newest first; `index` is less than `count`."""
        number = self.last - index
        for each in reversed(self.removed):
            if each < number:
                break
            number -= 1
        return number

    def without(self, numbers: set[int]) -> "Series":
        """Returns the series without these rows."""
        return replace(self, removed=tuple(sorted({*self.removed, *numbers})))


def count_of(series: Mapping[SeriesKey, Series]) -> int:
    """Returns how many rows there are in all series."""
    return sum(each.count for each in series.values())


def digest_of(
    state: ConsentState, occurred_at: datetime | None, origin: object, more: object
) -> str:
    """Returns the digest of a statement, which detects an exact repetition."""
    return _digest([state, occurred_at, origin, more])


def digest_of_proof(proof: Proof | None, details: EvidenceDetails | None) -> str | None:
    """Returns the digest of the proof that a store sends; None where it sends none."""
    if proof is None and details is None:
        return None
    return _digest([asdict(each) if each else None for each in (proof, details)])


def _digest(content: object) -> str:
    text = json.dumps(content, default=str, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_LENGTH]
