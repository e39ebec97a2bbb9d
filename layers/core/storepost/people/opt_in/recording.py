"""Records a statement about an address, on the condition that the state it was decided on holds."""

from storepost.people.consent.assertions import assert_in_turn
from storepost.people.consent.decision import AddressConsent
from storepost.people.consent.evidence_rows import add_evidence, pending_evidence
from storepost.people.consent.evidence_writing import AssertedStatement
from storepost.people.consent.model import Address
from storepost.people.consent.repository import ConsentRepository
from storepost.people.consent.statements import ConsentStatement
from storepost.people.consent.states import ConsentState
from storepost.people.consent.write_back_queue import restart_one, stores_to_update
from storepost.people.profiles.consent_summary import show_consents, subject_of
from storepost.people.profiles.model import Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.platform.persistence.changes import Changes
from storepost.stores.stores.repository import StoreRepository
from storepost.values import clock


class AddressRecord:
    """An address's consent as it was read, and the statements about it in a unit of work."""

    def __init__(self, changes: Changes, profile: Profile, address: Address) -> None:
        """Reads the consent of the address, which the profile has."""
        self._changes, self._profile, self._address = changes, profile, address
        self._consents = ConsentRepository(profile.workspace, changes.reads)
        consent = self._consents.consent_of(address)
        self.consent: AddressConsent = self._consents.with_erasure(address, consent)

    def add(self, statement: ConsentStatement, *, asserts: bool = True) -> None:
        """Records the statement with its evidence; a lost race if the consent changed meanwhile.

        Without `asserts` it only leaves its evidence. The profile gets the evidence, even of a
        repeated statement.
        """
        state = self._assert(statement) if asserts else self.consent.state
        if not self._consents.is_saved(self._changes, self._address):
            self._consents.expect_consent(self._changes, self._address)
        workspace, profile_id = self._profile.workspace, self._profile.id
        if not pending_evidence(self._changes, profile_id):
            now = clock.now()
            moment = statement.occurred_at or self.consent.moment_left_out(now)
            evidence = AssertedStatement(self._address, statement, moment, now).evidence
            add_evidence(self._changes, workspace, profile_id, evidence)
        states = {self._address: state}
        updated = show_consents(self._changes, self._profile, self._profile, states)
        ProfileRepository(workspace).save(self._changes, self._profile, updated)

    def queue_level_updates(self) -> None:
        """Queues the change that holds for each shop again, with the confirmed opt-in level.

        It is for a unit of work that adds a confirmation without changing the state. Other stores
        have no levels.
        """
        subject, holds = subject_of(self._profile), self.consent.holds
        if holds is None or holds.state is not ConsentState.SUBSCRIBED:
            return
        stores = StoreRepository(subject.workspace).named(stores_to_update(subject, self.consent))
        shops = [store.id for store in stores if store.is_active and not store.is_custom]
        if shops and (change := self._consents.get(holds.change)):
            for store_id in shops:
                restart_one(self._changes, subject.workspace, change, store_id)

    def _assert(self, statement: ConsentStatement) -> ConsentState:
        [outcome] = assert_in_turn(
            self._changes,
            self._consents,
            subject_of(self._profile),
            self._address,
            self.consent,
            [statement],
        )
        return outcome.state if outcome else self.consent.state
