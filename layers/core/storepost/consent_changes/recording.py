"""Recording what somebody says of an address, in the history of the profile that has it."""

from storepost.consent.assertions import Outcome, Word, assert_consent
from storepost.consent.model import Address
from storepost.persistence.changes import Changes
from storepost.profiles.model import Profile
from storepost.profiles.repository import ProfileRepository
from storepost.profiles.shown import show_consents, subject_of


def record_word(changes: Changes, profile: Profile, address: Address, word: Word) -> Outcome:
    """Asserts the word, as far as it is new, and saves the profile with it."""
    outcome = assert_consent(
        changes,
        subject_of(profile),
        address,
        word.state,
        word.origin,
        occurred_at=word.occurred_at,
        dated=word.dated,
    )
    if outcome.recorded:
        # Also where the copy stays as it is: the profile of a new change must not have gone
        # meanwhile.
        shown = show_consents(changes, profile, profile, {address: outcome.state})
        ProfileRepository(profile.workspace).save(changes, profile, shown)
    return outcome
