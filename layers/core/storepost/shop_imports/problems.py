"""What can be wrong with asking for a pull."""

from storepost.problems import Conflict


class ImportInProgress(Conflict):
    """One pull is open per store and scope."""

    code = "import_in_progress"
    title = "Such an import is open already"
    mend = "Wait until it has ended."


class StoreNotPullable(Conflict):
    """A custom store's records come through this interface."""

    code = "store_not_pullable"
    title = "There is nothing to pull from a custom store"
    mend = "Put its records, or send them as batches."


class NeedsReauth(Conflict):
    """The shop takes the app's tokens no more."""

    code = "needs_reauth"
    title = "The app has to be approved in the shop again"
    mend = "Begin a connection of the shop, and have it approved there."
