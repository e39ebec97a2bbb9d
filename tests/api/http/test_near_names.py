"""An unknown field of a body is answered with the field that it probably means."""

from storepost.values.scope import WorkspaceScope
from tests.harness.world import Someone


def test_answer_names_fields_of_bodies_and_of_objects_in_them(
    owner: Someone, workspace: WorkspaceScope
) -> None:
    body = {
        "profile": {"email": "ann@example.com", "anonymId": "7"},
        "names": "viewed",
        "properties": {},
    }
    answer = owner.call("POST", "/events", body)
    assert answer.json["errors"] == [
        {
            "path": "/profile/anonymId",
            "message": "There is no such field. Did you mean `anonymousId`?",
        },
        {"path": "/name", "message": "Required"},
        {"path": "/names", "message": "There is no such field. Did you mean `name`?"},
    ]
