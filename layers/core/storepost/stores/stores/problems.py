"""What can be wrong with a store (docs/interface.md, section 5)."""

from storepost.values.problems import Conflict, ValidationFailed


class StoreExists(Conflict):
    """A store with that external id is connected."""

    code = "store_exists"
    title = "The store is already connected"
    remedy = "Use the connected store: `GET /stores` has its id. Or disconnect it first."


class StoreManagedByPlatform(Conflict):
    """The store's platform keeps this; it can't be changed here."""

    code = "store_managed_by_platform"
    title = "The platform manages this store"
    remedy = "Make the change in the store's own platform."


class StoreDisconnected(Conflict):
    """The store neither gives nor takes data while it is disconnected."""

    code = "store_disconnected"
    title = "The store is disconnected"
    remedy = "Connect it again, with `POST /stores` or `POST /connections`; it keeps its id."


class StaleUpdate(Conflict):
    """The record is older than the one that is stored."""

    code = "stale_update"
    title = "A newer version is stored already"
    remedy = (
        "Nothing is to be done for an old record. To change the stored one, send its newest state "
        "with the time of that change."
    )


class UrlNotAllowed(ValidationFailed):
    """The service doesn't open that address: it isn't public, or isn't https where that is
    required.
    """

    code = "url_not_allowed"
    title = "The address isn't allowed"
    remedy = "Use a public https address."


class CurrencyMismatch(ValidationFailed):
    """An amount isn't in the store's currency."""

    code = "currency_mismatch"
    title = "An amount isn't in the store's currency"
    remedy = "Give every amount in the store's own currency."
