"""The states of consent, the channels that it is given for, and how sure it is."""

from storepost.values.stored_enum import StoredEnum


class Channel(StoredEnum):
    """What consent is for: marketing by `email`, or by `sms`."""

    EMAIL = "email"
    SMS = "sms"


class OptInLevel(StoredEnum):
    """How sure it is that the person has the address. `single`: they, or a store, said so.
    `confirmed`: the person followed a link that was sent to it. `unknown`: nobody said.
    """

    SINGLE = "single"
    CONFIRMED = "confirmed"
    """The person followed a link that was sent to the address."""
    UNKNOWN = "unknown"


class ConsentState(StoredEnum):
    """What is known of somebody's wish for marketing. `subscribed`: they want it.
    `unsubscribed`: they said no. `not_subscribed`: nobody ever said anything. `pending`: they
    were asked to confirm, and haven't yet. Only `subscribed` may be written to.
    """

    SUBSCRIBED = "subscribed"
    NOT_SUBSCRIBED = "not_subscribed"
    UNSUBSCRIBED = "unsubscribed"
    PENDING = "pending"
