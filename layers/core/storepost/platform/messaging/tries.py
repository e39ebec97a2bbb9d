"""How often a queue delivers a message whose work ends by itself: done, failed, or failed at last.

A message whose try fails is delivered again, and the last one notes that the work has failed. One
that is killed notes nothing, and what kills it, such as a lack of memory, may kill each. So these
queues deliver a message once more than there are tries, and that time nothing is tried: it has
failed.
"""

TRIES = 7
RECEIVES = TRIES + 1
"""They come again in growing waits (`platform/messaging/queues.py`), the last within 37 minutes."""


class NeverEnded(Exception):  # noqa: N818 - it is what happened
    """The last try was killed, as there is one more."""


def check_tries(tries: int) -> None:
    """Raises NeverEnded where the queue delivered the message more often than it is tried."""
    if tries > TRIES:
        raise NeverEnded()
