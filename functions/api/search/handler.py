"""Search over everything that people look for by its name."""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query

from storepost.api.http.app import create_app
from storepost.api.http.callers import Reader
from storepost.api.http.lists import Search
from storepost.overview.search import service
from storepost.overview.search.schemas import SearchGroup, SearchResults
from storepost.platform.postings.entries import SearchKind

app = create_app()


@app.get("/v1/search", operation_id="search.find")
def find(
    q: Search,
    caller: Reader,
    kinds: Annotated[list[SearchKind] | None, Query()] = None,
    limit: Annotated[int, Query(ge=1, le=10, description="Results a group.")] = 5,
) -> SearchResults:
    """Finds what is named by the query, called by it, or has words that begin with its words.

    What was written is found within seconds.
    """
    groups = service.search(caller.workspace, q, kinds, limit)
    return SearchResults(groups=[SearchGroup.of(group) for group in groups])


lambda_handler = app.handler()
