"""What can be wrong with a connect link (docs/interface.md, section 5)."""

from storepost.values.problems import Conflict, Gone


class LinkUsed(Conflict):
    """A connect link works once, and this one was used."""

    code = "link_used"
    title = "The connect link was used already"
    remedy = "Start the connection again with `POST /connections`."


class LinkExpired(Gone):
    """The connect link is older than an hour, or meanwhile the shop was disconnected or withdrew
    permissions that the app needs.
    """

    code = "link_expired"
    title = "The connect link has expired"
    remedy = "Start the connection again with `POST /connections`."
