"""`make bench-warm`: the CPU time of a warm request, beside the same DynamoDB calls by botocore.

The engine is a process of its own, so that only the function's work counts. In each round a request
is rehearsed to record its calls, which the floor then makes for real; then another request of the
same kind runs in the function.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import botocore.session
from moto import mock_aws

from benchmarks.measure.measuring import Sample, cpu_seconds, in_turn
from benchmarks.measure.rehearsal import rehearse, repeat
from benchmarks.measure.reporting import Column, Table
from local import aws, gateway
from local.aws.dynoxide import VERSION, Dynoxide
from local.functions import Context, handler_of

if TYPE_CHECKING:
    from benchmarks.data.typical import Typical

LIBRARIES = ("aws-lambda-powertools", "botocore", "pydantic", "pynamodb")
WARM_UP = 10
ROUNDS = 100
COLUMNS = (
    Column("request"),
    Column("calls"),
    Column("ours", "ms", 2),
    Column("floor", "ms", 2),
    Column("ratio", digits=2, most=1.5),
    Column("own client", "ms", 2),
    Column("its ratio", digits=2),
)


class Refused(Exception):  # noqa: N818 - it is what happened
    """A request that had to succeed was refused."""


@dataclass
class Comparison:
    """One kind of request and its floors."""

    kind: "Typical"
    service: Any
    """The functions' shared client."""
    plain: Any
    """A botocore client with default settings."""
    calls: int = 0
    numbers: "count[int]" = field(default_factory=lambda: count(1))

    def measure(self) -> dict[str, Sample]:
        """Returns the milliseconds of CPU, by way."""
        ways = {
            "ours": self._service,
            "floor": lambda: self._floor(self.plain),
            "own client": lambda: self._floor(self.service),
        }
        return in_turn(ways, ROUNDS)

    def warm_up(self) -> None:
        """Does a container's one-time work: imports, connections and KMS keys."""
        in_turn({"ours": self._service, "floor": lambda: self._floor(self.plain)}, WARM_UP)

    def _service(self) -> float:
        return 1000 * cpu_seconds(self._request())

    def _floor(self, client: Any) -> float:  # noqa: ANN401 - botocore's clients
        calls = rehearse(self.service, self.plain, self._request())
        self.calls = len(calls)
        return 1000 * cpu_seconds(lambda: repeat(client, calls))

    def _request(self) -> Callable[[], None]:
        """Returns the next request, ready to run."""
        event = self.kind.event(next(self.numbers))
        function = gateway.function_for(event["rawPath"])
        handler = handler_of(function.name)
        context = Context(function.name, function.timeout_seconds * 1000)

        def run() -> None:
            answer = handler(event, context)
            if answer["statusCode"] >= 400:
                raise Refused(answer["body"])

        return run


def compared() -> Table:
    """Measures every kind of request in a new shop."""
    plain = botocore.session.get_session().create_client("dynamodb")
    with _keys():
        # The service's client is made on import, for the engine that is running by now.
        from benchmarks.data.shop import CUSTOMERS, ORDERS, open_shop  # noqa: PLC0415
        from benchmarks.data.typical import typical  # noqa: PLC0415
        from storepost.platform.persistence.item import dynamodb_client  # noqa: PLC0415

        comparisons = [Comparison(kind, dynamodb_client(), plain) for kind in typical(open_shop())]
        for comparison in comparisons:
            comparison.warm_up()
    table = Table(
        "warm",
        f"CPU of a warm request, in a shop of {CUSTOMERS} customers and {ORDERS} orders",
        COLUMNS,
        {"dynoxide": VERSION, **{name: version(name) for name in LIBRARIES}},
        (
            "floor: the same calls by botocore's client as it comes; medians of both.",
            "own client: the same by the functions' own client, which does less (docs/adr/0012).",
        ),
    )
    for comparison in comparisons:
        medians = {way: sample.median for way, sample in comparison.measure().items()}
        service, floor, own = medians["ours"], medians["floor"], medians["own client"]
        kind, calls = comparison.kind.name, comparison.calls
        table.add(kind, calls, service, floor, service / floor, own, service / own)
    return table


@contextmanager
def _keys() -> Iterator[None]:
    """Runs KMS in this process while functions fetch their keys: not while they are measured."""
    with mock_aws():
        aws.create_resources()
        yield


if __name__ == "__main__":
    aws.prepare_environment()
    with Dynoxide() as engine, Path(os.devnull).open("w") as nowhere:
        aws.keep_tables_at(engine.url)
        with redirect_stdout(nowhere):  # each request writes a line of log
            made = compared()
    made.publish()
