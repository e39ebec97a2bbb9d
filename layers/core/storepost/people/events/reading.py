"""Reads the events of one partition in order, from both kinds of rows that hold them."""

from collections.abc import Iterator
from heapq import merge
from itertools import groupby, islice

from storepost.people.events.keys import EVENTS, ORDERS, bounds, position_of
from storepost.people.events.rows import EventRow, OrderPointerItem, ProfileEventItem, sort_key_of
from storepost.platform.persistence.item import Item

WINDOW = 100
"""How many pointers to orders are read at once if the number of events isn't limited."""
MAX_WINDOW = 1000


def newest_first(
    partition: str, since: str, until: str, limit: int | None = None
) -> Iterator[EventRow]:
    """Returns the events between two times (texts; empty is no bound), `limit` of them or all.

    An event may move from its order's pointer to its own row, and never back. So in each section
    the pointers are read before the own rows: an event that moves meanwhile is found twice rather
    than never.
    """
    found = _stretches(partition, since, until, limit)
    return islice((next(same) for _, same in groupby(found, sort_key_of)), limit)


def _stretches(partition: str, since: str, until: str, limit: int | None) -> Iterator[EventRow]:
    size = min(limit or WINDOW, MAX_WINDOW)
    pointers = _pointers(partition, since, until, size)
    more = True
    while more:
        some = list(islice(pointers, size))
        more = len(some) == size
        last = position_of(some[-1].sk) if more else ""
        carried = [row for row in some if row.carries_event]
        # Another row with the key of the last pointer belongs to the next section.
        own = _own_rows(partition, f"{last}!" if more else since, until, limit)
        yield from merge(carried, own, key=sort_key_of, reverse=True)
        until = last


def _pointers(partition: str, since: str, until: str, size: int) -> Iterator[OrderPointerItem]:
    return iter(
        OrderPointerItem.query(
            partition,
            Item.sk.between(*bounds(ORDERS, since, until)),
            consistent_read=True,
            scan_index_forward=False,
            page_size=size,
        )
    )


def _own_rows(partition: str, since: str, until: str, limit: int | None) -> Iterator[EventRow]:
    return iter(
        ProfileEventItem.query(
            partition,
            Item.sk.between(*bounds(EVENTS, since, until)),
            consistent_read=True,
            scan_index_forward=False,
            limit=limit,
        )
    )
