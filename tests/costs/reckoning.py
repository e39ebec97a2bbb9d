"""What a request costs with all that it sets off, in dollars a million of it."""

from collections.abc import Iterator
from functools import cache

from benchmarks import prices
from local.template import Function, functions, globals_, resources
from tests.costs.measuring import Measured
from tests.costs.usage import Usage

WHOLE_CPU_MB = 1769
"""With so much memory a function has one CPU, with less of it a share (Lambda, "Memory")."""

CPU_MS_A_RUN, CPU_MS_A_CALL, CPU_MS_A_PASSWORD = 2.0, 1.2, 30.0
"""Of a whole CPU, by `time.process_time` on a 2.1 GHz Xeon: the least that warm runs took."""

WAIT_MS_A_READ, WAIT_MS_A_WRITE, WAIT_MS_A_TRANSACTION = 4, 5, 12
WAIT_MS_A_SEND, WAIT_MS_A_MAC, WAIT_MS_AN_EMAIL, WAIT_MS_A_STORE = 10, 8, 60, 150
"""What AWS, and a store, take to answer a function in the same region. Assumed, not measured."""

ARCHITECTURE = "arm64"


def milliseconds(usage: Usage, memory_mb: int) -> float:
    """How long the runs take that asked for so much: their CPU, and what they wait for."""
    asked = usage.calls + usage.sends + usage.macs + usage.emails + usage.told
    cpu = (
        CPU_MS_A_RUN * usage.invocations
        + CPU_MS_A_CALL * asked
        + CPU_MS_A_PASSWORD * usage.passwords
    )
    waits = (
        WAIT_MS_A_READ * usage.read_calls
        + WAIT_MS_A_WRITE * usage.write_calls
        + WAIT_MS_A_TRANSACTION * usage.transactions
        + WAIT_MS_A_SEND * usage.sends
        + WAIT_MS_A_MAC * usage.macs
        + WAIT_MS_AN_EMAIL * usage.emails
        + WAIT_MS_A_STORE * usage.told
    )
    return cpu * WHOLE_CPU_MB / memory_mb + waits


def memory_of(function: Function) -> int:
    """The function's, in MB."""
    return int(function.properties.get("MemorySize") or globals_()["MemorySize"])


def bill(measured: Measured) -> dict[str, float]:
    """What AWS asks for a million of the request, by what it is asked for."""
    lines = {"HTTP API": prices.HTTP_API_REQUEST}
    for name, usage in measured.used.items():
        for item, dollars in _lines(_functions()[name], usage):
            lines[item] = lines.get(item, 0) + dollars
    return {item: dollars * prices.MILLION for item, dollars in lines.items()}


def _lines(function: Function, usage: Usage) -> Iterator[tuple[str, float]]:
    memory = memory_of(function)
    gb_seconds = milliseconds(usage, memory) / 1000 * memory / 1024
    yield "Lambda, requests", usage.invocations * prices.LAMBDA_REQUEST
    yield "Lambda, duration", gb_seconds * prices.LAMBDA_GB_SECOND[ARCHITECTURE]
    yield "DynamoDB, reads", usage.reads * prices.DYNAMODB_READ_UNIT
    yield "DynamoDB, writes", usage.writes * prices.DYNAMODB_WRITE_UNIT
    yield "SQS", usage.sends * prices.SQS_REQUEST + usage.fifo_sends * _MORE_FOR_FIFO
    # What Lambda itself asks of a reader's queue: each message comes alone and is deleted alone.
    yield "SQS", 2 * usage.invocations * _price_of_queue(function)
    yield "KMS", usage.macs * prices.KMS_REQUEST
    yield "SES", usage.emails * prices.SES_EMAIL


_MORE_FOR_FIFO = prices.SQS_FIFO_REQUEST - prices.SQS_REQUEST


def _price_of_queue(function: Function) -> float:
    """A request to the queue that a function reads; nothing where it reads none."""
    for source in function.events_of("SQS"):
        queue = resources("AWS::SQS::Queue")[source["Queue"]["Fn::GetAtt"][0]]
        return prices.SQS_FIFO_REQUEST if queue.get("FifoQueue") else prices.SQS_REQUEST
    return 0


@cache
def _functions() -> dict[str, Function]:
    return {function.name: function for function in functions()}
