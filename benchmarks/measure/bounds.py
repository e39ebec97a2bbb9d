"""The limits on the units, calls and cost of a page of a million orders."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Bound:
    """A page's limits, without authentication."""

    units: int
    calls: int | None = None


FIRST, ANY = Bound(3, 2), Bound(8, 4)
"""The limits of the first page, and of any other, with and without concurrent writers."""
FIRST_DOLLARS, ANY_DOLLARS = 3.0, 4.0
"""The limits for a million pages."""
