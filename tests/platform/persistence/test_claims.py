"""Claims on idempotency keys, beyond what the operations' own replays show."""

from uuid import uuid4

from storepost.platform.persistence.idempotency import Claim
from storepost.platform.persistence.item import dynamodb_client


def test_claim_adds_no_handlers_to_the_shared_client() -> None:
    client = dynamodb_client()

    _take_one()
    before = sorted(map(str, _handlers(client)))
    for _ in range(5):
        _take_one()
    assert sorted(map(str, _handlers(client))) == before


def _take_one() -> None:
    claim = Claim({"key": uuid4().hex}, {"body": None})
    assert claim.acquire(1000) is None
    claim.release()


def _handlers(client: object) -> list[object]:
    """What hangs on the making of a request, where Powertools adds its own."""
    emitter = client.meta.events  # type: ignore[attr-defined]
    return list(emitter._emitter._handlers.prefix_search("request-created.dynamodb.PutItem"))
