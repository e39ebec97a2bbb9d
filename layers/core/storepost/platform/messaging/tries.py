"""How often a queue delivers a message whose work ends by itself: done, failed, or given up.

A message whose attempt fails is delivered again, and the last attempt records that the work has
failed. A killed attempt records nothing, and its cause, such as a lack of memory, may kill every
attempt. So these queues deliver a message once more than there are attempts, and that time nothing
is tried: the work has failed.
"""

TRIES = 7
RECEIVES = TRIES + 1
"""Deliveries have growing waits (`platform/messaging/queues.py`), the last within 37 minutes."""


class NeverEnded(Exception):  # noqa: N818 - it is what happened
    """The last attempt was killed: the message was delivered once more."""


def check_tries(tries: int) -> None:
    """Raises NeverEnded if the queue delivered the message more often than it is tried."""
    if tries > TRIES:
        raise NeverEnded()
