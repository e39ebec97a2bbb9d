"""The states of consent, the channels that it is given for, and how sure it is."""

from enum import StrEnum


class Channel(StrEnum):
    """What consent is for."""

    EMAIL = "email"
    SMS = "sms"


class OptInLevel(StrEnum):
    """How sure it is that the address's own person subscribed it."""

    SINGLE = "single"
    CONFIRMED = "confirmed"
    """The person followed a link that was sent to the address."""
    UNKNOWN = "unknown"


class ConsentState(StrEnum):
    """What somebody wants."""

    SUBSCRIBED = "subscribed"
    NOT_SUBSCRIBED = "not_subscribed"
    UNSUBSCRIBED = "unsubscribed"
    PENDING = "pending"
