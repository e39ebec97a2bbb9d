"""The pace of what a service takes only so often: SES's sending rate is the account's."""

import time

CONTAINERS = 2
"""How many containers send emails at once: template.yaml's MaximumConcurrency of their queue."""


class Pace:
    """Spaces one container's calls so that all containers together keep to a rate."""

    def __init__(self, per_second: float) -> None:
        """Takes the rate of all containers together, per second; 0 for no limit."""
        self._seconds = CONTAINERS / per_second if per_second else 0.0
        self._next = 0.0

    def wait(self) -> None:
        """Returns when the next call may be made."""
        delay = self._next - time.monotonic()
        if delay > 0:
            time.sleep(delay)
        self._next = time.monotonic() + self._seconds
