"""What can be wrong with a connect link (docs/interface.md, section 5)."""

from storepost.values.problems import Conflict, Gone


class LinkUsed(Conflict):
    """The link was used: it is good once."""

    code = "link_used"
    title = "The link was used"
    remedy = "Begin the connection again with `POST /connections`."


class LinkExpired(Gone):
    """The link's hour is over, or the shop was disconnected since."""

    code = "link_expired"
    title = "The link has expired"
    remedy = "Begin the connection again with `POST /connections`."
