"""Dollars of measured use, each computed by hand here."""

import pytest

from benchmarks.measure.bounds import ANY, ANY_DOLLARS, FIRST, FIRST_DOLLARS, Bound
from benchmarks.measure.page_costs import FUNCTION, usage_at_most
from benchmarks.measure.prices import MILLION
from benchmarks.measure.reckoning import Usage, bill, memory_of, milliseconds, request_bill
from local.template import functions as declared

READ = Usage(invocations=1, reads=8, read_calls=4)
TELLING = Usage(invocations=1, reads=6, read_calls=6, writes=2, write_calls=2, deliveries=1)


def test_function_duration_is_cpu_plus_wait_time() -> None:
    """1 ms a run, 1.3 a call, 0.1 a unit, of the CPU that 1,769 MB have; 4 ms a read."""
    whole, half = milliseconds(READ, 1769), milliseconds(READ, 1769 // 2)
    assert whole == pytest.approx(1 + 4 * 1.3 + 8 * 0.1 + 4 * 4)
    assert half == pytest.approx(2 * (1 + 4 * 1.3 + 8 * 0.1) + 4 * 4, rel=0.01)


def test_read_request_cost() -> None:
    """One request, one run, eight read units."""
    lines = request_bill({"OrdersFunction": READ})
    assert lines["HTTP API"] == 1
    assert lines["Lambda, requests"] == pytest.approx(0.20)
    assert lines["DynamoDB, reads"] == pytest.approx(8 * 0.125)
    assert lines["DynamoDB, writes"] == lines["SQS"] == lines["KMS"] == lines["SES"] == 0
    seconds = ((1 + 5.2 + 0.8) * 1769 / 1024 + 16) / 1000
    assert lines["Lambda, duration"] == pytest.approx(seconds * 13.3334, rel=1e-6)


def test_fifo_message_costs_three_sqs_requests() -> None:
    """Half a dollar each."""
    relay = Usage(invocations=1, writes=1, write_calls=1, sends=1, fifo_sends=1)
    usages = {"OutboxRelayFunction": relay, "ConsentWriteBackFunction": TELLING}
    lines = request_bill({"OrdersFunction": READ, **usages})
    assert lines["SQS"] == pytest.approx(1.50)
    assert lines["Lambda, requests"] == pytest.approx(0.60)
    assert lines["DynamoDB, writes"] == pytest.approx(3 * 0.625)


def test_email_cost() -> None:
    """SQS bills its three requests as a standard queue's; a code needs one request of KMS."""
    relay = Usage(invocations=1, sends=1)
    usages = {"OutboxRelayFunction": relay, "EmailSenderFunction": Usage(invocations=1, emails=1)}
    lines = request_bill({"SignInFunction": Usage(invocations=1, macs=1), **usages})
    assert lines["SQS"] == pytest.approx(1.20)
    assert lines["KMS"] == pytest.approx(3.00)
    assert lines["SES"] == pytest.approx(100.00)


def test_memory_above_one_cpu_is_not_faster() -> None:
    """The function computes in one thread."""
    assert milliseconds(READ, 3538) == milliseconds(READ, 1769)


def test_s3_object_cost() -> None:
    """A batch's object is put once and read once."""
    usage = Usage(invocations=1, objects_put=1, objects_got=1)
    assert bill({"StoreImportsFunction": usage})["S3"] == pytest.approx(5.00 + 0.40)


@pytest.mark.parametrize(("size", "dollars"), [(0, 1), (524_288, 1), (524_289, 2)])
def test_request_is_billed_per_512_kb(size: int, dollars: int) -> None:
    """API Gateway bills each 512 KB as a request."""
    assert request_bill({}, size) == {"HTTP API": pytest.approx(dollars)}


@pytest.mark.parametrize(("page", "most"), [(FIRST, FIRST_DOLLARS), (ANY, ANY_DOLLARS)])
def test_order_page_cost_is_within_the_limit(page: Bound, most: float) -> None:
    """That holds even if the page uses all the units and calls that it may."""
    assert sum(request_bill({FUNCTION: usage_at_most(page)}).values()) <= most


def test_write_back_worker_has_256_mb() -> None:
    """A quarter of the memory waits for a store at a quarter of the price."""
    [worker] = [f for f in declared() if f.name == "ConsentWriteBackFunction"]
    assert memory_of(worker) == 256
    waiting = 150 / 1000 * memory_of(worker) / 1024 * 0.0000133334 * MILLION
    assert waiting == pytest.approx(0.50, abs=0.001)
