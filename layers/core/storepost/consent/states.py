"""The states of consent and the channels that it is given for."""

from enum import StrEnum


class Channel(StrEnum):
    """What consent is for."""

    EMAIL = "email"
    SMS = "sms"


class ConsentState(StrEnum):
    """What somebody wants."""

    SUBSCRIBED = "subscribed"
    NOT_SUBSCRIBED = "not_subscribed"
    UNSUBSCRIBED = "unsubscribed"
    PENDING = "pending"
