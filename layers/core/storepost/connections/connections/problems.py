"""What can be wrong with a connection (docs/interface.md, section 5)."""

from storepost.values.problems import Conflict


class AlreadyConnected(Conflict):
    """The workspace has the shop, and the shop takes its tokens."""

    code = "already_connected"
    title = "The shop is connected"
    remedy = "Use the store that is there, or disconnect it first."
