"""Imports suppressions from elsewhere: many addresses, in several transactions."""

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
"""Writes of suppressions per transaction; the remaining items are for the nodes of the lists."""

MAX_OF_ONE = 10
"""Suppressions of one person's addresses per transaction; the others are written in the next."""

_WRITES = 3
"""Per suppression: its address's row, its own row, and its list entry."""

_WRITES_OF_A_COMPLAINT = 5
"""In addition, for the unsubscription: the address's consent, the change, its index row, the
evidence, and one row for a profile that moves in a list.
"""


class BatchResult(StrEnum):
    """Says what became of an imported suppression; a letter, as the ledger keeps it."""

    CREATED = "c"
    KNOWN = "k"
    """The address had one of that reason."""

    @classmethod
    def of(cls, result: Result) -> "BatchResult":
        """Returns the batch's result for one suppression."""
        _, is_new = result
        return cls.CREATED if is_new else cls.KNOWN


@dataclass(frozen=True)
class ImportedSuppression:
    """A row of an import."""

    row: int
    """Its index in the request."""
    address: Address
    reason: SuppressionReason
    note: str | None = field(default=None, repr=False)

    @property
    def writes(self) -> int:
        """Returns the most rows to write, without the nodes of the lists."""
        is_complaint = self.reason is SuppressionReason.COMPLAINT
        return _WRITES + (_WRITES_OF_A_COMPLAINT if is_complaint else 0)


def import_suppressions(
    caller: WorkspaceCaller, rows: Sequence[ImportedSuppression], ledger: Ledger
) -> Counter[BatchResult]:
    """Suppresses the addresses; returns the number of rows by result.

    Raises Conflict where other writers keep changing the same addresses; committed transactions
    stay.
    """
    in_rounds(
        ledger,
        lambda: [row for row in rows if ledger.outcome(row.row) is None],
        lambda remaining: _Round(caller, remaining, ledger).work(),
    )
    return Counter(BatchResult(ledger.outcome(row.row) or "") for row in rows)


@dataclass(frozen=True)
class _Person:
    """A person with the rows about their addresses, or an address without a profile."""

    holder: Holder
    rows: list[ImportedSuppression]

    @property
    def writes(self) -> int:
        """Returns the most rows to write, including a profile with its lists, or a claim."""
        return sum(row.writes for row in self.rows) + (4 if self.holder.profile else 1)


class _Round:
    """Some addresses' holders and then their suppressions, as read at one time."""

    def __init__(
        self, caller: WorkspaceCaller, rows: Sequence[ImportedSuppression], ledger: Ledger
    ) -> None:
        """Reads everything; a hundred rows per call."""
        self._caller, self._rows, self._ledger = caller, rows, ledger
        addresses = list(dict.fromkeys(row.address for row in rows))
        profiles = ProfileRepository(self._workspace)
        self._known = look_up(profiles, map(identity_of, addresses))
        self._states = SuppressionRepository(self._workspace).states_of(addresses)

    @property
    def _workspace(self) -> WorkspaceScope:
        return self._caller.workspace

    def work(self) -> None:
        """Suppresses the addresses, in as many transactions as needed. Raises LostRace."""
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
        """Runs in an earlier transaction: this one may write the former holder too."""
        rows = [] if person.holder.profile else person.rows
        for row in (each for each in rows if each.reason is SuppressionReason.COMPLAINT):
            unsubscribe = partial(unsubscribe_former_holder, address=row.address)
            commit_anew(partial(unsubscribe, workspace=self._workspace, new=self._new(row)))

    def _new(self, row: ImportedSuppression) -> NewSuppression:
        source, began = SuppressionSource.IMPORT, self._ledger.began
        return new_by(self._caller, row.reason, source, note=row.note, at=began)
