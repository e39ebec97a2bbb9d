"""How long a run may still take: a worker leaves the rest to the next message in time."""

from collections.abc import Callable

type Remaining = Callable[[], int]
"""How many milliseconds that is now."""
