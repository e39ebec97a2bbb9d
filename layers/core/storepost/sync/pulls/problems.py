"""Why a store can't be pulled from now (docs/interface.md, section 5)."""

from storepost.values.problems import Conflict


class StoreNotPullable(Conflict):
    """A custom store sends what it has; there is nothing to pull from."""

    code = "store_not_pullable"
    title = "A custom store can't be imported from"
    remedy = "Send its customers, orders and products with `POST /stores/{id}/batches`."


class NeedsReauth(Conflict):
    """The platform doesn't let the service in any more."""

    code = "needs_reauth"
    title = "The shop has to be connected again"
    remedy = "Connect the shop again. The store keeps its id and its data."


class ImportInProgress(Conflict):
    """One import of a scope is open at a time."""

    code = "import_in_progress"
    title = "An import of this scope waits or runs already"
    remedy = "Wait until that import has ended: `GET /stores/{id}/imports` shows it."
