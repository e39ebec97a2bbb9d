"""Why a store can't be pulled from now (docs/interface.md, section 5)."""

from storepost.values.problems import Conflict


class StoreNotPullable(Conflict):
    """A custom store sends what it has; there is nothing to pull from."""

    code = "store_not_pullable"
    title = "The store sends its own data"
    remedy = "Send customers, orders and products with `POST /stores/{id}/batches`."


class NeedsReauth(Conflict):
    """The platform doesn't let the service in any more."""

    code = "needs_reauth"
    title = "The store's connection has to be renewed"
    remedy = "Connect the store again; it keeps its id and what it brought."


class ImportInProgress(Conflict):
    """One import of a scope is open at a time."""

    code = "import_in_progress"
    title = "Such an import waits or runs already"
    remedy = "Wait until the store's open import of this scope has ended."
