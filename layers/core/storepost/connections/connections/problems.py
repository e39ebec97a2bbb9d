"""What can be wrong with a connection (docs/interface.md, section 5)."""

from storepost.values.problems import Conflict


class AlreadyConnected(Conflict):
    """The workspace has this shop, and its connection works."""

    code = "already_connected"
    title = "The shop is already connected"
    remedy = "Use the connected store, or disconnect it first."
