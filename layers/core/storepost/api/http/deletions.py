"""A repeated `DELETE`: 204 as the first one, although nothing is found any more.

An id that never existed, or that belongs to another workspace, stays 404.
"""

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.deletions import deletion_id, keep_deletion, was_deleted


def note_deletion(app: APIGatewayHttpResolver, changes: Changes) -> None:
    """Adds to the changes of a `DELETE` that it was done, if it did anything."""
    if app.current_event.http_method == "DELETE" and not changes.is_empty:
        keep_deletion(changes, _id_of(app))


def is_repeated(app: APIGatewayHttpResolver) -> bool:
    """Returns whether the request is a `DELETE` that the workspace has done before."""
    return app.current_event.http_method == "DELETE" and was_deleted(_id_of(app))


def _id_of(app: APIGatewayHttpResolver) -> str:
    event, workspace = app.current_event, app.context.get("workspace")
    owner = workspace or app.context["caller"]
    return deletion_id(str(owner.id), event.path, event.raw_query_string or "")
