"""Each function of the template in its container, with the layers alone: on its sample event."""

from typing import Any

import pytest

from local.containers.sam import NoAnswer, invoke_at
from local.template import Function, functions
from tests.end_to_end.service import Service, soon
from tests.local.test_sample_events import ANONYMOUS, FAILING, of, sample

NOTHING_DUE = {
    "coupon_expiry": {"moved": 0},
    "feed_schedule": {"queued": 0},
    "outbox_sweep": {"sent": 0},
    "shop_tokens": {"shops": 0},
}
"""What each schedule answers where there was nothing to do."""


@pytest.mark.parametrize("function", of("api"))
def test_an_api_function_answers_its_sample(service: Service, function: Function) -> None:
    event = sample(function)
    query = event["rawQueryString"]
    answer = service.call(
        event["requestContext"]["http"]["method"],
        event["rawPath"] + (f"?{query}" if query else ""),
        body=event.get("body", "").encode() or None,
        headers={n: v for n, v in event["headers"].items() if not n.startswith(("x-", "host"))},
    )
    if function.job == "docs":
        assert answer.status == 200
    else:
        expected = ANONYMOUS.get(function.job, (401, "unauthenticated"))
        assert (answer.status, answer.json["code"]) == expected


@pytest.mark.parametrize("function", of("workers"))
def test_a_worker_says_which_of_its_sample_failed(service: Service, function: Function) -> None:
    event = sample(function)
    failed = [{"itemIdentifier": event["Records"][0].get("messageId")}]
    assert invoke_at(service.lambda_port, function, event) == {
        "batchItemFailures": failed if function.job in FAILING else []
    }


def test_what_fails_five_times_is_a_dead_letter(service: Service) -> None:
    """The relay's sample carries an email that was sealed under a key that exists nowhere."""
    (relay,) = [function for function in functions() if function.job == "outbox_relay"]

    def dead_letters() -> int | None:
        """How many there are once nothing is on its way."""
        queue = service.told(200, "GET", "/_local/queues")["EmailQueue"]
        return None if queue["waiting"] or queue["inFlight"] else queue["deadLetters"]

    # It may have been relayed before.
    soon(lambda: dead_letters() is not None)
    before = dead_letters()
    assert before is not None
    invoke_at(service.lambda_port, relay, sample(relay))
    soon(lambda: dead_letters() == before + 1)


@pytest.mark.parametrize("function", of("schedules"))
def test_a_schedule_takes_its_sample(service: Service, function: Function) -> None:
    assert invoke_at(service.lambda_port, function, sample(function)) == NOTHING_DUE[function.job]


def test_a_schedule_is_run_by_hand(service: Service) -> None:
    ran = service.told(200, "POST", "/_local/schedules/outbox_sweep")
    assert ran == {"name": "outbox_sweep", "result": {"sent": 0}}
    unknown = service.told(404, "POST", "/_local/schedules/outbox")
    assert unknown == {"message": "No scheduled function has this name."}


def test_a_function_that_there_is_not(service: Service) -> None:
    nobody = Function("NobodyFunction", "functions/api/nobody", {}, {"Timeout": 1})
    with pytest.raises(NoAnswer, match="404"):
        invoke_at(service.lambda_port, nobody, {})


def test_the_time_is_the_machines(service: Service) -> None:
    told: dict[str, Any] = service.told(
        501, "POST", "/_local/clock", json_body={"advanceSeconds": 60}
    )
    assert told == {
        "message": "Containers keep the machine's time. Only `make run` can move the service's."
    }
