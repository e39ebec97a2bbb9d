"""Lists, page after page."""

from dataclasses import dataclass

import pytest
from storepost_client import Pages


@dataclass(frozen=True)
class OnePage:
    """A page of numbers."""

    items: list[int]
    total: int
    page: int
    page_size: int


class List:
    """A list of numbers in pages of ten."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.requested: list[int] = []

    def fetch(self, number: int) -> OnePage:
        self.requested.append(number)
        rows = list(range(self.total))[(number - 1) * 10 : number * 10]
        return OnePage(rows, self.total, number, 10)


@pytest.mark.parametrize("total", [0, 1, 9, 10, 11, 20, 25])
def test_iterating_it_brings_each_item_once_with_no_page_too_many(total: int) -> None:
    numbers = List(total)
    pages: Pages[OnePage, int] = Pages(numbers.fetch, 1)
    assert list(pages) == list(range(total))
    assert numbers.requested == list(range(1, max(1, -(-total // 10)) + 1))


def test_it_begins_where_it_was_asked_to() -> None:
    numbers = List(25)
    pages: Pages[OnePage, int] = Pages(numbers.fetch, 2)
    assert list(pages) == list(range(10, 25))
    assert pages.page().items == list(range(10, 20))


def test_a_page_past_the_end_ends_it() -> None:
    numbers = List(25)
    pages: Pages[OnePage, int] = Pages(numbers.fetch, 9)
    assert list(pages) == []
    assert numbers.requested == [9]


def test_nothing_is_asked_before_it_is_looked_at() -> None:
    numbers = List(25)
    pages: Pages[OnePage, int] = Pages(numbers.fetch, 1)
    assert numbers.requested == []
    assert next(iter(pages)) == 0
    assert numbers.requested == [1]
    assert [page.total for page in pages.pages()] == [25, 25, 25]
