"""Importing suppressions from elsewhere: many addresses, in several transactions."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial

from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.people.consent.model import Address
from storepost.people.deliverability.suppressing import (
    Holder,
    NewSuppression,
    Result,
    add_in_turn,
    new_by,
    unsubscribe_former_holder,
)
from storepost.people.profiles.consent_summary import identity_of
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.resolution import look_up
from storepost.people.suppressions.model import SuppressionReason, SuppressionSource
from storepost.people.suppressions.repository import SuppressionRepository
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.ledger import Ledger
from storepost.platform.persistence.rounds import in_parts, in_rounds
from storepost.values.scope import WorkspaceScope

ROOM = 70
"""Writes of suppressions in one transaction; the rest is left to the nodes of the lists."""

MAX_OF_ONE = 10
"""Suppressions of one person's addresses in one transaction; the others come in the next."""

_WRITES = 3
"""Of one suppression: its address's row, its own, and its place in the list."""

_WRITES_OF_A_COMPLAINT = 5
"""And of the unsubscription: the address's consent, the change, its place in the index, the
evidence, and one row for whoever moves in a list."""


class BatchResult(StrEnum):
    """Says what became of an imported suppression; a letter, as the ledger keeps it."""

    CREATED = "c"
    KNOWN = "k"
    """The address had one of that reason."""

    @classmethod
    def of(cls, result: Result) -> "BatchResult":
        """Returns what the result means."""
        _, is_new = result
        return cls.CREATED if is_new else cls.KNOWN


@dataclass(frozen=True)
class ImportedSuppression:
    """A row of an import."""

    row: int
    """Its place in the request."""
    address: Address
    reason: SuppressionReason
    note: str | None = field(default=None, repr=False)

    @property
    def writes(self) -> int:
        """Returns how many rows there are to write at most, but for the nodes of the lists."""
        is_complaint = self.reason is SuppressionReason.COMPLAINT
        return _WRITES + (_WRITES_OF_A_COMPLAINT if is_complaint else 0)


def import_suppressions(
    caller: WorkspaceCaller, rows: Sequence[ImportedSuppression], ledger: Ledger
) -> Counter[BatchResult]:
    """Suppresses the addresses; returns how many of the rows became what.

    Raises Conflict where others go on changing the same; what is done by then stays.
    """
    in_rounds(
        ledger,
        lambda: [row for row in rows if ledger.outcome(row.row) is None],
        lambda remaining: _Round(caller, remaining, ledger).work(),
    )
    return Counter(BatchResult(ledger.outcome(row.row) or "") for row in rows)


@dataclass(frozen=True)
class _Person:
    """Whose addresses rows are about, or an address that nobody has."""

    holder: Holder
    rows: list[ImportedSuppression]

    @property
    def writes(self) -> int:
        """Returns how many rows are written at most: also a profile with its lists, or a claim."""
        return sum(row.writes for row in self.rows) + (4 if self.holder.profile else 1)


class _Round:
    """What is known of some addresses: who has them, and then what suppresses them."""

    def __init__(
        self, caller: WorkspaceCaller, rows: Sequence[ImportedSuppression], ledger: Ledger
    ) -> None:
        """Reads everything, a hundred rows a call."""
        self._caller, self._rows, self._ledger = caller, rows, ledger
        addresses = list(dict.fromkeys(row.address for row in rows))
        profiles = ProfileRepository(self._workspace)
        self._known = look_up(profiles, map(identity_of, addresses))
        self._states = SuppressionRepository(self._workspace).states_of(addresses)

    @property
    def _workspace(self) -> WorkspaceScope:
        return self._caller.workspace

    def work(self) -> None:
        """Suppresses the addresses, as many a transaction as it takes. Raises LostRace."""
        in_parts(self._people(), ROOM, lambda person: person.writes, self._suppress_part)

    def _people(self) -> list[_Person]:
        people: dict[object, _Person] = {}
        for row in self._rows:
            identity = identity_of(row.address)
            profile, claim = self._known.holder_of(identity), self._known.claims.get(identity)
            key = profile.id if profile else row.address
            person = people.setdefault(key, _Person(Holder(profile, {}), []))
            if claim:
                person.holder.claims[row.address] = claim
            if len(person.rows) < MAX_OF_ONE:
                person.rows.append(row)
        return list(people.values())

    def _suppress_part(self, people: Iterable[_Person]) -> None:
        """Suppresses the addresses of some people in one transaction."""
        changes, results = Changes(), dict[int, BatchResult]()
        for person in people:
            self._unsubscribe_former_holder(person)
            suppressions = [(row.address, self._new(row)) for row in person.rows]
            states = {address: self._states[address] for address, _ in suppressions}
            done = add_in_turn(changes, self._workspace, person.holder, states, suppressions)
            results |= {
                row.row: BatchResult.of(each) for row, each in zip(person.rows, done, strict=True)
            }
        self._ledger.commit(changes, results)

    def _unsubscribe_former_holder(self, person: _Person) -> None:
        """In a transaction before: the former holder may be one of those who are written here."""
        rows = [] if person.holder.profile else person.rows
        for row in (each for each in rows if each.reason is SuppressionReason.COMPLAINT):
            unsubscribe = partial(unsubscribe_former_holder, address=row.address)
            commit_anew(partial(unsubscribe, workspace=self._workspace, new=self._new(row)))

    def _new(self, row: ImportedSuppression) -> NewSuppression:
        source, began = SuppressionSource.IMPORT, self._ledger.began
        return new_by(self._caller, row.reason, source, note=row.note, at=began)
