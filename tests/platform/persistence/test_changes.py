"""A transaction's effect on the version of a row."""

from contextlib import nullcontext
from copy import deepcopy
from typing import Any

import pytest
from botocore.client import BaseClient
from botocore.exceptions import ClientError
from pynamodb.exceptions import QueryError

from storepost.accounts.identity.repository import (
    EmailClaimItem,
    PersonItem,
    email_claim_key,
)
from storepost.platform.persistence.changes import Changes, LostRace
from storepost.platform.persistence.item import Item, dynamodb_client, find
from storepost.values.ids import new_id
from tests.harness.accounts import rename, row_of
from tests.harness.faults import lost_answer, refusal
from tests.harness.world import World


class TestCreate:
    """Changes.create on rows that have no version."""

    def test_existing_row_is_not_overwritten(self, world: World) -> None:
        someone, key = world.person(), email_claim_key("taken@example.com")
        for person_id, is_refused in ((someone.id, False), (new_id(), True)):
            changes = Changes()
            changes.create(EmailClaimItem(*key, person_id=str(person_id)))
            with pytest.raises(LostRace) if is_refused else nullcontext():
                changes.commit()
        claim = find(EmailClaimItem, key)
        assert claim is not None
        assert claim.person_id == someone.id


class TestUpdate:
    """Changes.update on versioned rows."""

    def test_increments_the_version(self, world: World) -> None:
        someone = world.person()
        first = row_of(someone).version
        rename(someone, "Ann")
        rename(someone, "Bea")
        assert (row_of(someone).name, row_of(someone).version) == ("Bea", first + 2)

    def test_save_of_a_stale_read_is_a_lost_race(self, world: World) -> None:
        someone = world.person()
        rename(someone, "Ann")
        before = row_of(someone)
        rename(someone, "Bea")
        before.name = "Cid"
        changes = Changes()
        changes.save(before)
        with pytest.raises(LostRace):
            changes.commit()
        assert row_of(someone).name == "Bea"

    def test_retry_sends_the_identical_transaction(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        someone, sent = world.person(), list[Any]()
        plain = BaseClient._make_api_call  # type: ignore[attr-defined]

        def busy_at_first(client: BaseClient, operation: str, sends: Any) -> Any:
            if operation == "TransactWriteItems":
                sent.append(deepcopy(sends))
                if len(sent) == 1:
                    raise refusal("TransactionInProgressException")
            return plain(client, operation, sends)

        monkeypatch.setattr(BaseClient, "_make_api_call", busy_at_first)
        rename(someone, "Ann")
        assert sent[0] == sent[1]
        assert row_of(someone).name == "Ann"


class TestLostResponse:
    """A transaction was written, and its answer got lost."""

    def test_retry_after_a_lost_response_writes_once(self, world: World) -> None:
        """The row's version counts the writes."""
        someone = world.person()
        first = row_of(someone).version
        with lost_answer("TransactWriteItems") as calls:
            rename(someone, "Ann")
        assert calls.made.count("TransactWriteItems") == 2
        assert row_of(someone).version == first + 1
        rename(someone, "Bea")
        assert row_of(someone).version == first + 2

    def test_token_reused_for_another_transaction_is_refused(self, world: World) -> None:
        client = dynamodb_client()

        def put(key: str) -> None:
            item = {"pk": {"S": key}, "sk": {"S": "x"}, "kind": {"S": "any"}}
            client.transact_write_items(
                TransactItems=[{"Put": {"TableName": Item.Meta.table_name, "Item": item}}],
                ClientRequestToken="one",
            )

        put("a")
        put("a")
        with pytest.raises(ClientError) as refused:
            put("b")
        assert refused.value.response["Error"]["Code"] == "IdempotentParameterMismatchException"


def test_query_with_inverted_range_is_refused(world: World) -> None:
    """DynamoDB refuses it too: code with an empty range must not send the query."""
    query = PersonItem.query("p", PersonItem.sk.between("b", "a"))
    with pytest.raises(QueryError, match="ValidationException"):
        list(query)
    assert list(PersonItem.query("p", PersonItem.sk.between("a", "a"))) == []
