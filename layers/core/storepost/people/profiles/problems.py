"""What can be wrong with a profile (docs/interface.md, section 6)."""

from storepost.values.problems import Conflict


class IdentityConflict(Conflict):
    """The identifiers belong to several people, or a strong one contradicts the others."""

    code = "identity_conflict"
    title = "The identifiers belong to several people"
    remedy = "Send identifiers of one person, or merge the profiles first."


class IdentityLimit(Conflict):
    """A profile has at most 1,000 identities."""

    code = "identity_limit"
    title = "The profile has too many identities"
    remedy = (
        "This profile already has 1,000 identities, the maximum. Check which integration "
        "keeps adding new ones."
    )


class IdentityOfCustomer(Conflict):
    """A store's customer has the identity, so the store would send it again."""

    code = "identity_of_customer"
    title = "The identity belongs to a store's customer"
    remedy = "Change the address of the customer in the store first. A customer's id always stays."


class LastIdentity(Conflict):
    """A profile must keep at least one identity: without any, nothing would lead to it."""

    code = "last_identity"
    title = "The profile has no other identity"
    remedy = "Give the profile its right address first, or erase the profile."


class SameProfile(Conflict):
    """A profile can't be merged with itself, nor again with what it became part of."""

    code = "same_profile"
    title = "Both are the same profile"
    remedy = (
        "Name another profile. The id of a merged one stands for the profile that it "
        "became part of."
    )
