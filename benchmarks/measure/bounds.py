"""What a page of a million orders may take and cost."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Bound:
    """What a page may take beside authentication."""

    units: int
    calls: int | None = None


FIRST, ANY = Bound(3, 2), Bound(8, 4)
"""Of the first page, and of any other: in quiet, and beside those who write."""
FIRST_DOLLARS, ANY_DOLLARS = 3.0, 4.0
"""For a million of them."""
