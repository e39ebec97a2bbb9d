"""The states of consent, the channels that it is given for, and how sure it is."""

from storepost.values.stored_enum import StoredEnum


class Channel(StoredEnum):
    """What consent is for: marketing by `email`, or by `sms`."""

    EMAIL = "email"
    SMS = "sms"


class OptInLevel(StoredEnum):
    """How sure it is that the person has the address. `single`: they, or a store, stated it.
    `confirmed`: the person followed a link that was sent to it. `unknown`: nobody stated it.
    """

    SINGLE = "single"
    CONFIRMED = "confirmed"
    """The person followed a link that was sent to the address."""
    UNKNOWN = "unknown"


class ConsentState(StoredEnum):
    """What is known of a person's choice about marketing. `subscribed`: they want it.
    `unsubscribed`: they said no. `not_subscribed`: there is no statement. `pending`: they were sent
    a request to confirm, and haven't confirmed yet. Only `subscribed` may be written to.
    """

    SUBSCRIBED = "subscribed"
    NOT_SUBSCRIBED = "not_subscribed"
    UNSUBSCRIBED = "unsubscribed"
    PENDING = "pending"
