"""Lists on the wire: the page's query parameters and the envelope."""

from collections.abc import Callable
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query
from pydantic import Field, StringConstraints

from storepost.values.pagination import MAX_PAGE, Listing, PageSize
from storepost.values.wire import Shape

PageNumber = Annotated[
    int,
    Query(
        ge=1,
        le=MAX_PAGE,
        description="Which page of the list to answer, counted from 1. A page past the end is "
        "answered without items.",
    ),
]
Size = Annotated[
    PageSize,
    Query(description="How many items a page has at most: 25 if left out."),
]
SearchText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Search = Annotated[
    SearchText,
    Query(
        description="Words to search for. Each must be the beginning of a word of an item; case "
        "and accents don't matter."
    ),
]


class Page[T](Shape):
    """One page of a list, with the exact total of the whole list."""

    items: list[T] = Field(description="The rows of this page; none past the end of the list.")
    total: int = Field(
        description="How many items the whole list has with these filters, over all pages. It is "
        "exact."
    )
    page: int = Field(description="Which page this is, counted from 1, as requested.")
    page_size: int = Field(
        description="How many items a full page has, as requested; the last page may have fewer."
    )

    @classmethod
    def of[R](cls, listing: Listing[R], shape: Callable[[R], T]) -> "Page[T]":
        """Returns a page with each row in its shape."""
        return cls(
            items=[shape(row) for row in listing.items],
            total=listing.total,
            page=listing.request.number,
            page_size=listing.request.size,
        )
