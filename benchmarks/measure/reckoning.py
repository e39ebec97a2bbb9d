"""Calculates a request's cost on AWS, with all runs that it causes, from its functions' calls.

Logs and traces are excluded. Nothing of this was measured on AWS: the units are those that the
engine counts, and a function's time is calculated from them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache

from benchmarks.measure import prices
from local.template import Function, functions, globals_, parameter_defaults, resources


@dataclass(frozen=True)
class Usage:
    """The calls and units of one function's runs."""

    reads: float = 0
    """Read units."""
    writes: float = 0
    """Write units."""
    read_calls: float = 0
    write_calls: float = 0
    """DynamoDB calls that write one row each."""
    transactions: float = 0
    sends: int = 0
    """SQS sends; a batch is one."""
    fifo_sends: int = 0
    """The sends to a FIFO queue."""
    macs: int = 0
    """KMS MACs; data keys are requested once a container, and aren't counted."""
    objects_put: int = 0
    objects_got: int = 0
    """S3 reads; deletions cost nothing."""
    emails: int = 0
    """Emails sent by SES."""
    deliveries: int = 0
    """Requests to external servers, such as write-backs of consent to a store."""
    passwords: int = 0
    """Passwords hashed or verified."""
    invocations: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        """Returns the sum of both."""
        return Usage(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Usage)))

    @property
    def calls(self) -> float:
        """The calls of DynamoDB."""
        return self.read_calls + self.write_calls + self.transactions

    @property
    def all_calls(self) -> float:
        """The calls of all services."""
        objects = self.objects_put + self.objects_got
        return self.calls + self.sends + self.macs + objects + self.emails + self.deliveries


type ByFunction = Mapping[str, Usage]
"""The usage by the functions' logical ids."""

WHOLE_CPU_MB = 1769
"""The memory with which a function has one CPU; with less it has a share (Lambda, "Memory")."""

CPU_MS_A_RUN, CPU_MS_A_CALL, CPU_MS_A_UNIT, CPU_MS_A_PASSWORD = 1.0, 1.3, 0.1, 30.0
"""Time on a whole CPU, fitted to the least of warm runs on a 2.1 GHz Xeon by `time.process_time`.
It is within 2 ms of requests with 0 to 14 calls, and within 4 ms of pages of profiles."""

WAIT_MS_A_READ, WAIT_MS_A_WRITE, WAIT_MS_A_TRANSACTION = 4, 5, 12
WAIT_MS_A_SEND, WAIT_MS_A_MAC, WAIT_MS_AN_OBJECT = 10, 8, 30
WAIT_MS_AN_EMAIL, WAIT_MS_A_STORE = 60, 150
"""The answer times of AWS and of a store for a function in the same region, which are assumed."""


def milliseconds(usage: Usage, memory_mb: int) -> float:
    """Returns the duration of runs with this usage: their CPU time, and their waits."""
    cpu = (
        CPU_MS_A_RUN * usage.invocations
        + CPU_MS_A_CALL * usage.all_calls
        + CPU_MS_A_UNIT * (usage.reads + usage.writes)
        + CPU_MS_A_PASSWORD * usage.passwords
    )
    waits = (
        WAIT_MS_A_READ * usage.read_calls
        + WAIT_MS_A_WRITE * usage.write_calls
        + WAIT_MS_A_TRANSACTION * usage.transactions
        + WAIT_MS_A_SEND * usage.sends
        + WAIT_MS_A_MAC * usage.macs
        + WAIT_MS_AN_OBJECT * (usage.objects_put + usage.objects_got)
        + WAIT_MS_AN_EMAIL * usage.emails
        + WAIT_MS_A_STORE * usage.deliveries
    )
    return cpu * WHOLE_CPU_MB / min(memory_mb, WHOLE_CPU_MB) + waits


def memory_of(function: Function) -> int:
    """Returns the function's memory in MB."""
    return int(function.properties.get("MemorySize") or globals_()["MemorySize"])


def architecture() -> str:
    """Returns the template's default architecture."""
    return parameter_defaults()["Architecture"]


def request_bill(used: ByFunction, size_bytes: int = 0) -> dict[str, float]:
    """Returns the cost of a million of a request in dollars, by the charged item.

    The size is that of the request's body or of its answer's, whichever is larger.
    """
    requests = max(1, -(-size_bytes // prices.HTTP_API_BYTES))
    return _sum([("HTTP API", requests * prices.HTTP_API_REQUEST), *_of_all(used)])


def bill(used: ByFunction) -> dict[str, float]:
    """Returns the same for runs that no request started."""
    return _sum(_of_all(used))


def _sum(lines: list[tuple[str, float]]) -> dict[str, float]:
    together: dict[str, float] = {}
    for item, dollars in lines:
        together[item] = together.get(item, 0) + dollars * prices.MILLION
    return together


def _of_all(used: ByFunction) -> list[tuple[str, float]]:
    return [line for name, usage in used.items() for line in _lines(_functions()[name], usage)]


def _lines(function: Function, usage: Usage) -> Iterator[tuple[str, float]]:
    memory = memory_of(function)
    gb_seconds = milliseconds(usage, memory) / 1000 * memory / 1024
    yield "Lambda, requests", usage.invocations * prices.LAMBDA_REQUEST
    yield "Lambda, duration", gb_seconds * prices.LAMBDA_GB_SECOND[architecture()]
    yield "DynamoDB, reads", usage.reads * prices.DYNAMODB_READ_UNIT
    yield "DynamoDB, writes", usage.writes * prices.DYNAMODB_WRITE_UNIT
    yield "SQS", usage.sends * prices.SQS_REQUEST + usage.fifo_sends * _MORE_FOR_FIFO
    # Lambda's own requests to a reader's queue: each message is received and deleted alone.
    yield "SQS", 2 * usage.invocations * _price_of_queue(function)
    yield "S3", usage.objects_put * prices.S3_PUT + usage.objects_got * prices.S3_GET
    yield "KMS", usage.macs * prices.KMS_REQUEST
    yield "SES", usage.emails * prices.SES_EMAIL


_MORE_FOR_FIFO = prices.SQS_FIFO_REQUEST - prices.SQS_REQUEST


def _price_of_queue(function: Function) -> float:
    """Returns the price of a request to the queue that a function reads; 0 if it reads none."""
    for source in function.events_of("SQS"):
        queue = resources("AWS::SQS::Queue")[source["Queue"]["Fn::GetAtt"][0]]
        return prices.SQS_FIFO_REQUEST if queue.get("FifoQueue") else prices.SQS_REQUEST
    return 0


@cache
def _functions() -> dict[str, Function]:
    return {function.name: function for function in functions()}
