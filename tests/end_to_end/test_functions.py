"""Each function of the template in its container, with the layers alone: on its sample event.

The run has the demo's data, which the samples are about.
"""

import json
import subprocess
import sys
from typing import Any

import pytest

from local import demo
from local.containers import building
from local.containers.sam import NoAnswer, invoke_at
from local.demo.sampling import HOST, path_of
from local.template import ROOT, Function, functions
from tests.end_to_end.service import Service
from tests.local.test_sample_events import ACCEPTED, SCHEDULES, of, sample


def named(name: str) -> Function:
    """The function."""
    return next(function for function in functions() if function.name == name)


def test_relay_sample_sends_one_email(service: Service) -> None:
    """The relay sends somebody's email to the queue, and the sender sends it: once."""
    relay = named("OutboxRelayFunction")
    invoke_at(service.lambda_port, relay, sample(relay))
    email = service.email_to(demo.OWNER, "Choose a new Storepost password")
    assert email["links"][0].startswith(f"http://{HOST}/v1/pages/")


@pytest.mark.parametrize("function", of("api"))
def test_api_function_accepts_the_sample(service: Service, function: Function) -> None:
    answer = invoke_at(service.lambda_port, function, sample(function))
    assert answer["statusCode"] == ACCEPTED.get(function.job, 200), answer["body"]


@pytest.mark.parametrize("function", of("workers"))
def test_worker_accepts_the_sample(service: Service, function: Function) -> None:
    answer = invoke_at(service.lambda_port, function, sample(function))
    assert answer == {"batchItemFailures": []}


@pytest.mark.parametrize("function", of("schedules"))
def test_schedule_accepts_the_sample(service: Service, function: Function) -> None:
    assert invoke_at(service.lambda_port, function, sample(function)) == SCHEDULES[function.job]


@pytest.mark.parametrize("name", ["OrdersFunction", "EmailSenderFunction", "FeedScheduleFunction"])
def test_sam_local_invoke_reaches_the_running_service(service: Service, name: str) -> None:
    """As a person types it, with the options of samconfig.toml: only the event is given."""
    event = path_of(named(name)).relative_to(ROOT)
    done = subprocess.run(
        [sys.executable, "-m", "samcli", "local", "invoke", name, "-e", str(event)],
        check=True,
        cwd=ROOT,
        env=building.sam_environment(),
        capture_output=True,
        text=True,
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    if name == "OrdersFunction":
        assert answer["statusCode"] == 200
        assert json.loads(answer["body"])["total"] >= 30
    else:
        assert answer in ({"batchItemFailures": []}, SCHEDULES["feed_schedule"])


def test_schedule_can_be_run_manually(service: Service) -> None:
    ran = service.json_of(200, "POST", "/_local/schedules/outbox_sweep")
    assert ran == {"name": "outbox_sweep", "result": {"sent": 0}}
    unknown = service.json_of(404, "POST", "/_local/schedules/outbox")
    assert unknown == {"message": "No scheduled function has this name."}


def test_unknown_function_is_404(service: Service) -> None:
    nobody = Function("NobodyFunction", "functions/api/nobody", {}, {"Timeout": 1})
    with pytest.raises(NoAnswer, match="404"):
        invoke_at(service.lambda_port, nobody, {})


def test_moving_the_clock_is_501(service: Service) -> None:
    problem: dict[str, Any] = service.json_of(
        501, "POST", "/_local/clock", json_body={"advanceSeconds": 60}
    )
    assert problem == {
        "message": "Containers keep the machine's time. Only `make run` can move the service's."
    }
