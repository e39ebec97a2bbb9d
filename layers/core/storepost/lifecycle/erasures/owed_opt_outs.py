"""Keeps the owed opt-outs of addresses that an erasure itself doesn't erase, as it erases ten.

They are kept for the stores that haven't accepted them, like those of the first ten.
"""

from functools import partial
from itertools import batched

from storepost.lifecycle.erasures.service import owe_opt_out, takes_all
from storepost.people.consent.decision import AddressConsent
from storepost.people.consent.model import Address
from storepost.people.consent.repository import ConsentRepository
from storepost.people.customers.repository import CustomerRepository
from storepost.people.profiles.consent_summary import identity_of
from storepost.people.profiles.erasing import addresses_of, customers_of
from storepost.people.profiles.erasure import Erasure
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.resolution import look_up
from storepost.platform.persistence.changes import Changes, commit_anew

_READ_AT_ONCE = 100


def owe_other_opt_outs(erasure: Erasure) -> bool:
    """Keeps the erased person's unsubscriptions of the addresses that the erasure has left."""
    addresses = addresses_of(erasure.identities)
    if takes_all(addresses):
        return False
    for some in batched(addresses, _READ_AT_ONCE, strict=False):
        for address, consent in ConsentRepository(erasure.workspace).consents_of(some).items():
            if _is_own_no(erasure, consent):
                commit_anew(partial(_owe, erasure=erasure, address=address))
    return False


def _owe(changes: Changes, erasure: Erasure, address: Address) -> None:
    """Keeps an unsubscription and erases the address in one transaction, so that it is done once.

    An address that another profile has by now is left to the erasers that follow.
    """
    workspace, identity = erasure.workspace, identity_of(address)
    profiles, consents = ProfileRepository(workspace), ConsentRepository(workspace)
    known, consent = look_up(profiles, [identity]), consents.consent_of(address)
    if known.holder_of(identity) or not _is_own_no(erasure, consent):
        return
    customers = partial(
        CustomerRepository(workspace).of_person,
        erasure.identities,
        erasure.partitions,
        others=consent.other_customers,
    )
    owe_opt_out(changes, workspace, customers, address, consent)
    consents.erase(changes, address, customers_of(erasure.identities))
    profiles.expect_nobodys(changes, identity, known.claims.get(identity))


def _is_own_no(erasure: Erasure, consent: AddressConsent) -> bool:
    is_own = consent.holds is not None and consent.holds.change.profile_id in erasure.histories
    return is_own and consent.refused_at is not None
