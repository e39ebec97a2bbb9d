"""Lists on the wire: the page's query parameters and the envelope."""

from collections.abc import Callable
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query
from pydantic import StringConstraints

from storepost.values.pagination import MAX_PAGE, Listing, PageSize
from storepost.values.wire import Shape

PageNumber = Annotated[int, Query(ge=1, le=MAX_PAGE, description="Pages count from 1.")]
Size = Annotated[PageSize, Query(alias="pageSize", description="Rows a page.")]
Search = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=200),
    Query(description="Each word must begin a word of the row; case and accents don't count."),
]


class Page[T](Shape):
    """One page of a list with the exact total."""

    items: list[T]
    total: int
    page: int
    page_size: int

    @classmethod
    def of[R](cls, listing: Listing[R], shape: Callable[[R], T]) -> "Page[T]":
        """A page with each row in its shape."""
        return cls(
            items=[shape(row) for row in listing.items],
            total=listing.total,
            page=listing.request.number,
            page_size=listing.request.size,
        )
