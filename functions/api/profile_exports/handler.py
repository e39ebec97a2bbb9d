"""Exports of profiles: everything held of a person, as one document."""

from uuid import UUID

from storepost.api.http.app import create_app
from storepost.api.http.callers import Admin
from storepost.lifecycle.exports import service
from storepost.lifecycle.exports.schemas import ProfileExport

app = create_app()


@app.get("/v1/profiles/<id>/export", operation_id="profiles.export")
def export_profile(id: UUID, caller: Admin) -> ProfileExport:
    """Everything held of a person: who they are, orders whole, and consent with its proofs.

    Each section has the newest first and says how many there are in all. `complete` is false where
    one was cut: a section has 1,000 rows at most, and all have 5 MB, in which orders come last. The
    rest is on the further pages of the section's own list.
    """
    return service.export_profile(caller, id)


lambda_handler = app.handler()
