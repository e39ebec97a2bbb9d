"""What can be wrong with an unsubscribe link (docs/interface.md, section 6)."""

from storepost.values.problems import Gone, NotFound


class UnknownLink(NotFound):
    """Only a link that is whole, to the last letter, leads to somebody."""

    title = "The unsubscribe link isn't whole"
    remedy = "Open the link from the email again, or copy all of it."


class LinkOver(Gone):
    """The person whom the link was made for was erased, or the sender's workspace deleted.

    And no other workspace that has its shops now knows the address.
    """

    title = "The unsubscribe link leads to nobody any more"
    remedy = "Nothing is left to unsubscribe from: what the link was about was deleted."
