"""What can be wrong with a profile (operations.md, section 6)."""

from storepost.problems import Conflict, ValidationFailed


class IdentityConflict(Conflict):
    """The identifiers are several people's, or a strong one contradicts the match."""

    code = "identity_conflict"
    title = "The identifiers belong to several people"
    mend = "Send identifiers of one person, or merge the profiles first."


class IdentityLimit(Conflict):
    """A profile has at most 1,000 identities, so that its row stays small."""

    code = "identity_limit"
    title = "The profile has too many identities"
    mend = "A profile has at most 1,000 identities; check what sends ever new ones for one person."


class FilterTooBroad(ValidationFailed):
    """A combination of filters would have to look at more than 20,000 rows (section 2)."""

    code = "filter_too_broad"
    title = "The filters leave too many rows to look through"
    mend = "Narrow the list with one of the filters that `errors` names."
