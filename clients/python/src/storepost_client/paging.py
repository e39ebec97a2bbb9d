"""Lists of the service, whose pages are fetched when they are read."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol


class Page[Item](Protocol):
    """A page of any list."""

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

    Pages are requested by number, so rows that are added or removed meanwhile may make an item
    appear twice, or not at all.
    """

    def __init__(self, fetch: Callable[[int], OnePage], first: int) -> None:
        """`fetch` gets a page by its number; `first` is the requested one."""
        self._fetch = fetch
        self._first = first

    def page(self) -> OnePage:
        """Returns the requested page, with the list's exact `total`."""
        return self._fetch(self._first)

    def pages(self) -> Iterator[OnePage]:
        """Yields each page from the requested one to the last; at least one."""
        number = self._first
        while True:
            page = self._fetch(number)
            yield page
            if not page.items or number * page.page_size >= page.total:
                return
            number += 1

    def __iter__(self) -> Iterator[Item]:
        """Yields the items of those pages."""
        for page in self.pages():
            yield from page.items  # type: ignore[misc]
