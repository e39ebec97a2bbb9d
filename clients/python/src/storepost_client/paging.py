"""Lists of the service: page after page, fetched when they are looked at."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol


class Page[Item](Protocol):
    """What every list answers."""

    @property
    def items(self) -> Sequence[Item]:
        """The page's rows."""
        ...

    @property
    def total(self) -> int:
        """How many rows the list has."""
        ...

    @property
    def page(self) -> int:
        """The page's number, from 1."""
        ...

    @property
    def page_size(self) -> int:
        """How many rows a page may have."""
        ...


class Pages[OnePage: Page[object], Item]:
    """A list: iterate it for its items, from the requested page to the last.

    Pages are counted, so what is added or removed meanwhile may bring an item twice, or not at all.
    """

    def __init__(self, fetch: Callable[[int], OnePage], first: int) -> None:
        """`fetch` gets the page of a number; `first` is the requested one."""
        self._fetch = fetch
        self._first = first

    def page(self) -> OnePage:
        """The requested page, with the list's exact `total`."""
        return self._fetch(self._first)

    def pages(self) -> Iterator[OnePage]:
        """Each page from the requested one to the last; one at least."""
        number = self._first
        while True:
            page = self._fetch(number)
            yield page
            if not page.items or number * page.page_size >= page.total:
                return
            number += 1

    def __iter__(self) -> Iterator[Item]:
        """The items of those pages."""
        for page in self.pages():
            yield from page.items  # type: ignore[misc]
