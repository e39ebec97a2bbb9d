"""Changes of one row outside of transactions."""

from typing import Any

import pytest
from botocore.exceptions import ClientError
from pynamodb.exceptions import UpdateError

from storepost.accounts.identity.repository import PersonItem, person_key
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import amend, find
from storepost.values.scope import PersonScope
from tests.harness.accounts import row_of
from tests.harness.world import Someone, World


def renamed(someone: Someone, before: str, after: str) -> bool:
    """Whether the account was renamed."""
    row = PersonItem(*person_key(PersonScope(someone.id)))
    return amend(row, [PersonItem.name.set(after)], PersonItem.name == before)


class TestAmend:
    """One row, if a condition holds."""

    def test_row_is_changed_if_the_condition_holds(self, world: World) -> None:
        someone = world.person("Ann")
        assert renamed(someone, "Ann", "Bea")
        assert not renamed(someone, "Ann", "Cid")
        assert row_of(someone).name == "Bea"

    def test_missing_row_is_not_created(self, world: World) -> None:
        row = PersonItem(*person_key(PersonScope(world.person().id)))
        row.sk = "nobody"
        assert not amend(row, [PersonItem.name.set("Ann")], PersonItem.pk.exists())
        assert find(PersonItem, row.key) is None

    def test_increments_the_version(self, world: World) -> None:
        someone = world.person("Ann")
        before = row_of(someone)
        assert renamed(someone, "Ann", "Bea")
        assert row_of(someone).version == before.version + 1

    def test_conflict_with_a_transaction_is_retried(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        someone, tries, plain = world.person("Ann"), list[object](), PersonItem.update

        def busy_at_first(self: PersonItem, actions: Any, *more: Any, **named: Any) -> Any:
            tries.append(actions)
            if len(tries) < 4:
                answer = {"Error": {"Code": "TransactionConflictException", "Message": "busy"}}
                raise UpdateError("busy", ClientError(answer, "UpdateItem"))  # type: ignore[arg-type]
            return plain(self, actions, *more, **named)

        monkeypatch.setattr(PersonItem, "update", busy_at_first)
        assert renamed(someone, "Ann", "Bea")
        assert len(tries) == 4
        assert row_of(someone).name == "Bea"


class TestDelete:
    """Changes.delete of a versioned row."""

    def test_row_not_read_before_is_deleted_at_any_version(self, world: World) -> None:
        someone = world.person("Ann")
        assert renamed(someone, "Ann", "Bea")
        changes = Changes()
        changes.delete(PersonItem(*person_key(PersonScope(someone.id))), PersonItem.name == "Bea")
        changes.commit()
        assert find(PersonItem, person_key(PersonScope(someone.id))) is None
