"""The address to which a custom store gets changes of consent."""

from uuid import UUID

import pytest

from storepost.platform.persistence.idempotency import RecordItem, unpacked
from storepost.stores.stores.write_back import WriteBackRepository
from storepost.values.scope import WorkspaceScope
from tests.harness.world import Someone, World

HOOK = "https://hooks.olive.example.com/consent"


class TestWriteBack:
    """PUT, GET, DELETE /stores/{id}/write-back and POST …/rotate."""

    def test_unknown(self, world: World, owner: Someone) -> None:
        path = f"/stores/{world.store(owner)}/write-back"
        for method in ("GET", "DELETE"):
            answer = owner.call(method, path)
            assert answer.problem() == (404, "not_found")
        answer = owner.call("POST", f"{path}/rotate")
        assert answer.problem() == (404, "not_found")

    @pytest.mark.parametrize(
        "url", ["http://hooks.example.com/", "https://127.0.0.1/", "https://localhost/", "x"]
    )
    def test_url_not_allowed(self, world: World, owner: Someone, url: str) -> None:
        path = f"/stores/{world.store(owner)}/write-back"
        answer = owner.call("PUT", path, {"url": url})
        assert answer.problem() == (422, "url_not_allowed")
        assert [error["path"] for error in answer.json["errors"]] == ["/url"]

    def test_secret_is_returned_only_by_the_first_put(self, world: World, owner: Someone) -> None:
        store = world.store(owner)
        path = f"/stores/{store}/write-back"
        first = owner.call("PUT", path, {"url": HOOK})
        assert first.status == 200
        assert set(first.json) == {"url", "secret"}
        assert first.json["secret"].startswith("whsec_")
        again = owner.call("PUT", path, {"url": HOOK + "2"})
        assert again.json == {"url": HOOK + "2", "secret": None}
        answer = owner.call("GET", path)
        assert answer.json == {"url": HOOK + "2", "lastSucceededAt": None, "lastError": None}
        body = owner.call("GET", f"/stores/{store}").json
        assert body["permissions"] == {"coupons": True, "consent": True}

    def test_old_secret_signs_for_24_hours_after_rotation(
        self, world: World, owner: Someone
    ) -> None:
        workspace: WorkspaceScope = world.workspace(owner)
        store = world.store(owner)
        path = f"/stores/{store}/write-back"
        old = owner.call("PUT", path, {"url": HOOK}).json["secret"]
        new = owner.call("POST", f"{path}/rotate").json["secret"]
        repository = WriteBackRepository(workspace)
        config = repository.get(UUID(store))
        assert config is not None
        assert config.secrets == (new, old)
        world.advance(hours=23)
        newest = owner.call("POST", f"{path}/rotate").json["secret"]
        config = repository.get(UUID(store))
        assert config is not None
        assert config.secrets == (newest, new, old)
        world.advance(hours=1)
        config = repository.get(UUID(store))
        assert config is not None
        assert config.secrets == (newest, new)

    def test_delete_revokes_the_consent_permission(self, world: World, owner: Someone) -> None:
        store = world.store(owner)
        path = f"/stores/{store}/write-back"
        owner.call("PUT", path, {"url": HOOK})
        assert owner.call("DELETE", path).status == 204
        assert owner.call("GET", path).problem() == (404, "not_found")
        body = owner.call("GET", f"/stores/{store}").json
        assert body["permissions"]["consent"] is False

    def test_replay_only_for_the_same_session(self, world: World, owner: Someone) -> None:
        workspace = world.workspace(owner)
        path = f"/stores/{world.store(owner)}/write-back"
        body = {"url": HOOK}
        first = owner.call("PUT", path, body, key="k")
        again = owner.call("PUT", path, body, key="k")
        assert (again.status, again.body) == (200, first.body)
        assert again.header("idempotency-replayed") == "true"
        other, _ = world.sign_in(owner.id, workspace)
        answer = world.call("PUT", path, token=other, json_body=body, key="k")
        assert answer.problem() == (409, "idempotency_secret_sealed")
        secret = first.json["secret"]
        stored = [str(unpacked(record.answer)) for record in RecordItem.scan() if record.answer]
        assert stored
        assert all(secret not in answer for answer in stored)
        assert all(secret not in str(row.attribute_values) for row in world.rows())
