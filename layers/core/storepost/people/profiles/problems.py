"""What can be wrong with a profile (docs/interface.md, section 6)."""

from storepost.values.problems import Conflict


class IdentityConflict(Conflict):
    """The identifiers are several people's, or a strong one contradicts the match."""

    code = "identity_conflict"
    title = "The identifiers belong to several people"
    remedy = "Send identifiers of one person, or merge the profiles first."


class IdentityLimit(Conflict):
    """A profile has at most 1,000 identities, so that its row stays small."""

    code = "identity_limit"
    title = "The profile has too many identities"
    remedy = (
        "A profile has at most 1,000 identities; check what sends ever new ones for one person."
    )


class IdentityOfCustomer(Conflict):
    """A store's customer has the identity: the store would bring it again."""

    code = "identity_of_customer"
    title = "The identity belongs to a store's customer"
    remedy = "Change the address of the customer in the store first. A customer's id always stays."


class LastIdentity(Conflict):
    """Without any identity nothing would lead to the profile any more."""

    code = "last_identity"
    title = "The profile has no other identity"
    remedy = "Give the profile its right address first, or erase the profile."


class SameProfile(Conflict):
    """A profile can't be merged with itself, nor again with what it became part of."""

    code = "same_profile"
    title = "Both are the same profile"
    remedy = "Name another profile; a merged one answers for the one that it became part of."
