"""What can be wrong with a store (docs/interface.md, section 5)."""

from storepost.values.problems import Conflict, ValidationFailed


class StoreExists(Conflict):
    """A store with that external id is connected."""

    code = "store_exists"
    title = "The store is connected"
    remedy = "Use the store that is there, or disconnect it first."


class StoreManagedByPlatform(Conflict):
    """The platform keeps this; it can't be written here."""

    code = "store_managed_by_platform"
    title = "The platform manages this store"
    remedy = "Make the change on the store's own platform."


class StoreDisconnected(Conflict):
    """The store takes no data while it is disconnected."""

    code = "store_disconnected"
    title = "The store is disconnected"
    remedy = "Connect it again, with `POST /stores` or `POST /connections`; it keeps its id."


class StaleUpdate(Conflict):
    """What arrived is older than what is held."""

    code = "stale_update"
    title = "A newer version is held"
    remedy = "Send the record's newest state with its own time of update."


class UrlNotAllowed(ValidationFailed):
    """The service doesn't open that address."""

    code = "url_not_allowed"
    title = "The address isn't allowed"
    remedy = "Use a public https address."


class CurrencyMismatch(ValidationFailed):
    """An amount isn't in the store's currency."""

    code = "currency_mismatch"
    title = "An amount isn't in the store's currency"
    remedy = "Give every amount in the store's own currency."
