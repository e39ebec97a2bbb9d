"""Search over everything that people look for by its name."""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query

from storepost.api.http.app import create_app
from storepost.api.http.callers import Reader
from storepost.api.http.lists import SearchText
from storepost.overview.search import service
from storepost.overview.search.schemas import SearchGroup, SearchResults
from storepost.platform.postings.entries import SearchKind

app = create_app()


@app.get("/v1/search", operation_id="search.get")
def find(
    q: Annotated[
        SearchText, Query(description="What to search for. Case and accents don't matter.")
    ],
    caller: Reader,
    kinds: Annotated[
        list[SearchKind] | None,
        Query(
            description="Only results of this kind. If left out, all kinds but `suppression`, "
            "which has to be named."
        ),
    ] = None,
    limit: Annotated[
        int,
        Query(
            ge=1,
            le=10,
            description="How many results each group has at most: 1 to 10, and 5 if left out.",
        ),
    ] = 5,
) -> SearchResults:
    """Search the workspace.

    Finds profiles, orders, products, coupons, feeds and stores. What the query names exactly comes
    first (an id, email, phone, order number, SKU or coupon code), then an exact title, then titles
    that begin with the query, then what has each of its words as the beginning of a word. What was
    written is found within seconds. Removed products and archived coupons are found only by an
    exact id, SKU or coupon code, not by a title. Suppressions are found by their addresses, where
    `kinds` names them.
    """
    groups = service.search(caller.workspace, q, kinds, limit)
    return SearchResults(groups=[SearchGroup.of(group) for group in groups])


lambda_handler = app.handler()
