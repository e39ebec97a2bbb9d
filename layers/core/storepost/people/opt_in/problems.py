"""What can be wrong with asking for an opt-in, and with its link."""

from storepost.values.problems import Conflict, Gone, TooManyRequests


class AlreadyConfirmed(Conflict):
    """The address is subscribed, and its owner has confirmed that."""

    code = "already_confirmed"
    title = "The person has confirmed already"
    remedy = "Nothing is to be done: the address is subscribed, with a confirmed opt-in."


class Unsubscribed(Conflict):
    """The person said no, or was erased, and the form isn't known to be later."""

    code = "unsubscribed"
    title = "The person doesn't want marketing"
    remedy = (
        "The address was unsubscribed, or its person erased. If the person filled in the form "
        "after that, send when they did as `occurredAt`."
    )


class Suppressed(Conflict):
    """Nothing is sent to the address: it bounced, its owner complained, or it was suppressed by
    hand.
    """

    code = "suppressed"
    title = "The address is suppressed"
    remedy = (
        "If you know that the address works and its owner wants your emails, lift the "
        "suppression first."
    )


class OptInRecentlySent(TooManyRequests):
    """An address gets one opt-in email a day at most, and two in 30 days."""

    code = "opt_in_recently_sent"
    title = "The address got an opt-in email recently"
    remedy = (
        "An address gets one opt-in email a day at most, and two in 30 days. Wait as "
        "`Retry-After` says."
    )


class OptInSendLimit(TooManyRequests):
    """A workspace has sent as many opt-in emails as it may in a day."""

    code = "opt_in_send_limit"
    title = "Too many opt-in emails today"
    remedy = (
        "Wait as `Retry-After` says. A workspace may send only so many opt-in emails a day. The "
        "service's operator can allow more."
    )


class OptInLinkOver(Gone):
    """The link is too old, or its request was answered or deleted."""

    title = "The opt-in link is no longer valid"
    remedy = "Sign up once more where you did so before: you get an email with a new link."
