"""`events/`: a sample for each function, that `sam local invoke` takes and its handler knows."""

import json
from typing import Any

import pytest

from local import gateway
from local.functions import invoke
from local.pumps import schedule_event
from local.template import ROOT, Function, functions
from tests.world import Answer, World

# Nobody knows the samples' tokens and ids; these need neither.
ANONYMOUS = {
    "sign_in": (401, "credentials_invalid"),
    "invitations": (404, "not_found"),
    "connect_links": (404, "not_found"),
    "webhooks": (401, "signature_invalid"),
    "unsubscribe": (404, "not_found"),
}
# What can't be opened comes again: the sample was sealed under a key that exists nowhere.
FAILING = {"email_sender"}


def of(kind: str) -> list[Any]:
    """The template's functions of a kind."""
    return [pytest.param(f, id=f.job) for f in functions() if f.folder.split("/")[1] == kind]


def sample(function: Function) -> dict[str, Any]:
    """The function's sample event."""
    _, kind, job = function.folder.split("/")
    event: dict[str, Any] = json.loads((ROOT / "events" / kind / f"{job}.json").read_text())
    return event


def shape(value: Any) -> Any:
    """The names in a JSON object, down to its leaves."""
    if isinstance(value, dict):
        return {name: shape(inner) for name, inner in value.items()}
    return [shape(inner) for inner in value] if isinstance(value, list) else None


@pytest.mark.parametrize("function", of("api"))
def test_an_api_function_answers_its_sample(function: Function, world: World) -> None:
    event = sample(function)
    assert gateway.function_for(event["rawPath"]) == function
    made = gateway.http_event(
        event["requestContext"]["http"]["method"],
        event["rawPath"],
        query=event["rawQueryString"],
        headers=event["headers"],
        body=event.get("body", "").encode(),
    )
    assert shape(event) == shape(made)
    assert event.get("queryStringParameters") == made.get("queryStringParameters")
    told = gateway.handle(event)
    answer = Answer(told.status, told.headers, told.body)
    if function.job == "docs":
        assert answer.status == 200
    else:
        assert answer.problem() == ANONYMOUS.get(function.job, (401, "unauthenticated"))


@pytest.mark.parametrize("function", of("workers"))
def test_a_worker_says_which_of_its_sample_failed(function: Function, world: World) -> None:
    event = sample(function)
    failed = [{"itemIdentifier": event["Records"][0].get("messageId")}]
    assert invoke(function, event) == {
        "batchItemFailures": failed if function.job in FAILING else []
    }


def test_the_relays_sample_reaches_its_queue(world: World) -> None:
    (relay,) = [f for f in functions() if f.job == "outbox_relay"]
    invoke(relay, sample(relay))
    assert world.queue_depth("EmailQueue") == 1


@pytest.mark.parametrize("function", of("schedules"))
def test_a_schedule_takes_its_sample(function: Function, world: World) -> None:
    event = sample(function)
    made = schedule_event(function)
    assert shape(event) == shape(made)
    assert event["resources"] == made["resources"]
    assert isinstance(invoke(function, event), dict)
