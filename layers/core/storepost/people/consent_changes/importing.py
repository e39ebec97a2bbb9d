"""Imports consent from elsewhere: many statements about many addresses, in several transactions.

State belongs to the address (docs/semantics.md, section 2.1), and a statement enters the history of
the profile that has the address. Where none has it, a new profile gets it: a subscriber can be
mailed, and an unsubscription is never lost.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.people.consent.assertions import assert_in_turn
from storepost.people.consent.evidence import NO_EVIDENCE, EvidenceDetails
from storepost.people.consent.evidence_rows import pending_evidence
from storepost.people.consent.model import Address, ConsentOrigin, ConsentSource, Proof
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.statements import ConsentStatement, StatementOutcome, origin_of
from storepost.people.consent.states import ConsentState
from storepost.people.consent_changes.recording import newcomer_with
from storepost.people.profiles.consent_summary import identity_of, show_consents, subject_of
from storepost.people.profiles.model import Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.resolution import look_up
from storepost.people.suppressions.repository import SuppressionRepository
from storepost.people.suppressions.suppression_summary import note_states
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.ledger import Ledger
from storepost.platform.persistence.rounds import in_parts, in_rounds
from storepost.platform.persistence.write_marks import WriteMark, marking
from storepost.values.scope import WorkspaceScope

ROOM = 76
"""Writes of people per transaction; the remaining items are for the nodes of the lists."""

MAX_STATEMENTS = 16
"""Statements of one person per transaction; the others are written in the next one."""


class BatchResult(StrEnum):
    """Says what became of an imported statement; a letter, as the ledger keeps it."""

    RECORDED = "r"
    """It is the address's state now."""
    UNCHANGED = "u"
    """The address had that state."""
    OLDER = "o"
    """It is in the history only, as a later statement holds; not even there of an erased person."""

    @classmethod
    def of(cls, outcome: StatementOutcome | None) -> "BatchResult":
        """Returns the result for a statement with that outcome; None means it asserted nothing."""
        if outcome is None:
            return cls.OLDER
        if outcome.recorded is None:
            return cls.UNCHANGED
        return cls.OLDER if outcome.is_superseded else cls.RECORDED


@dataclass(frozen=True)
class ImportedStatement:
    """A row of an import: a statement about an address, and its time."""

    row: int
    """Its index in the request."""
    address: Address
    state: ConsentState
    occurred_at: datetime
    """A time in the future counts as now, and leaves a `subscribed` undated."""
    proof: Proof | None
    evidence: EvidenceDetails = NO_EVIDENCE


def import_consent(
    caller: WorkspaceCaller, statements: Sequence[ImportedStatement], ledger: Ledger
) -> Counter[BatchResult]:
    """Records the statements; returns the number of statements by result.

    Raises Conflict where other writers keep changing the same people; committed transactions stay.
    """
    origin = origin_of(caller, source=ConsentSource.IMPORT)
    with marking(WriteMark.IMPORT):
        in_rounds(
            ledger,
            lambda: [each for each in statements if ledger.outcome(each.row) is None],
            lambda remaining: _Round(caller.workspace, remaining, origin, ledger).record(),
        )
    return Counter(BatchResult(ledger.outcome(statement.row) or "") for statement in statements)


@dataclass(frozen=True)
class _Person:
    """A person, with the statements about them."""

    before: Profile | None
    """None for a new profile."""
    statements: list[ImportedStatement]

    @property
    def by_address(self) -> dict[Address, list[ImportedStatement]]:
        """Returns the statements of each address, in the request's order."""
        found: dict[Address, list[ImportedStatement]] = {}
        for statement in self.statements:
            found.setdefault(statement.address, []).append(statement)
        return found

    @property
    def writes(self) -> int:
        """Returns the most rows to write, without the nodes of the lists."""
        wordings = sum(1 for statement in self.statements if statement.evidence.text is not None)
        of_statements = 2 * len(self.statements) + wordings
        return len(self.by_address) + of_statements + (2 if self.before else 5)

    @property
    def sort_key(self) -> tuple[bool, datetime | None, str]:
        """People who are adjacent by this are adjacent in a list, where they share nodes."""
        return (
            self.before is None,
            self.before.first_seen_at if self.before else None,
            self.statements[0].address.value,
        )


class _Round:
    """The people of some statements, as read at one time."""

    def __init__(
        self,
        workspace: WorkspaceScope,
        statements: Sequence[ImportedStatement],
        origin: ConsentOrigin,
        ledger: Ledger,
    ) -> None:
        """Reads everything; a hundred rows per call."""
        self._workspace, self._statements, self._origin = workspace, statements, origin
        self._ledger = ledger
        self._profiles, self._consents = ProfileRepository(workspace), ConsentRepository(workspace)
        addresses = dict.fromkeys(statement.address for statement in statements)
        self._known = look_up(self._profiles, map(identity_of, addresses))
        self._consents_before = self._consents.consents_of(addresses)
        self._consents.look_for_erasures(addresses)
        nobodys = [each for each in addresses if not self._known.holder_of(identity_of(each))]
        self._suppressions = {
            each: (state, self._was_erased(each))
            for each, state in SuppressionRepository(workspace).states_of(nobodys).items()
        }

    def record(self) -> None:
        """Records the statements, in as many transactions as needed. Raises LostRace."""
        in_parts(self._people(), ROOM, lambda person: person.writes, self._record_part)

    def _was_erased(self, address: Address) -> bool:
        before = self._consents_before[address]
        return self._consents.with_erasure(address, before).erased_at is not None

    def _people(self) -> list[_Person]:
        """The people of the statements, each once, in the order in which lists have them."""
        people: dict[object, _Person] = {}
        for statement in self._statements:
            holder = self._known.holder_of(identity_of(statement.address))
            key = holder.id if holder else statement.address
            person = people.setdefault(key, _Person(holder, []))
            if len(person.statements) < MAX_STATEMENTS:
                person.statements.append(statement)
        return sorted(people.values(), key=lambda person: person.sort_key)

    def _record_part(self, people: Iterable[_Person]) -> None:
        """Records the statements of some people in one transaction."""
        changes, results = Changes(), dict[int, BatchResult]()
        note_states(changes, self._workspace, self._suppressions)
        for person in people:
            results |= self._record_one(changes, person)
        self._ledger.commit(changes, results)

    def _record_one(self, changes: Changes, person: _Person) -> dict[int, BatchResult]:
        profile = person.before or newcomer_with(self._workspace, person.by_address)
        states, results = dict[Address, ConsentState](), dict[int, BatchResult]()
        asserted = False
        for address, statements in person.by_address.items():
            outcomes = assert_in_turn(
                changes,
                self._consents,
                subject_of(profile),
                address,
                self._consents_before[address],
                [self._as_statement(statement) for statement in statements],
            )
            decided = [outcome for outcome in outcomes if outcome]
            if decided:
                states[address] = decided[-1].state
            asserted = asserted or bool(decided)
            results |= {w.row: BatchResult.of(o) for w, o in zip(statements, outcomes, strict=True)}
        if asserted:
            after = show_consents(changes, person.before, profile, states)
            self._save(changes, person, after, results)
        return results

    def _save(
        self, changes: Changes, person: _Person, after: Profile, results: dict[int, BatchResult]
    ) -> None:
        # Saved also where only the history grows: the commit fails if the profile is gone.
        pending = pending_evidence(changes, after.id)
        if after != person.before or pending or {*results.values()} - {BatchResult.UNCHANGED}:
            self._profiles.save(changes, person.before, after)
        if person.before is None:
            self._profiles.claim(changes, after, self._known.claims, after.identities)

    def _as_statement(self, statement: ImportedStatement) -> ConsentStatement:
        occurred_at = min(statement.occurred_at, self._ledger.began)
        is_proven = statement.proof is not None and statement.proof.reference is not None
        dated = is_proven and statement.occurred_at <= self._ledger.began
        return ConsentStatement(
            statement.state,
            self._origin.proven_by(statement.proof),
            occurred_at,
            dated=dated,
            evidence=statement.evidence,
        )
