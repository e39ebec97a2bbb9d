"""Exports of profiles: everything stored about a person, as one document."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Path

from storepost.api.http.app import create_app
from storepost.api.http.callers import Admin
from storepost.lifecycle.exports import service
from storepost.lifecycle.exports.schemas import ProfileExport

app = create_app()


@app.get("/v1/profiles/<id>/export", operation_id="profiles.export")
def export_profile(
    id: Annotated[UUID, Path(description="The profile of the person to export.")], caller: Admin
) -> ProfileExport:
    """Export everything stored of a person.

    Who they are, orders whole, and consent with its proofs. Each section has the newest first and
    says how many there are in all. `complete` is false where one was cut: a section has 1,000 rows
    at most, and all have 5 MB, in which orders come last. The rest is on the further pages of the
    section's own list. The log says who exported it.
    """
    return service.export_profile(caller, id)


lambda_handler = app.handler()
