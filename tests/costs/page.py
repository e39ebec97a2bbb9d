"""The page of costs as it is written from what was measured, and how far another one is from it."""

import re
from collections.abc import Iterator, Sequence

from benchmarks import prices
from local.template import ROOT
from tests.costs import reckoning
from tests.costs.measuring import Measured
from tests.costs.reckoning import bill
from tests.costs.town import CUSTOMERS, ORDERS, PROFILES
from tests.costs.usage import Usage

PAGE = ROOT / "docs" / "costs.md"
TOLERANCE = 0.05
MOST_A_CONSENT = 16
"""Dollars that a million changes of consent may cost, logs and traces apart."""

CONSENT = "consent.changeEmail"
ALONE, WITH_KEY = "one store told", "one store told, with an idempotency key"

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")

_HEAD = f"""# Costs

What each operation asks of AWS, and what a million of it costs. `make costs` measures it and writes
this page; `make test-dynoxide` measures it again and fails where a figure is more than
{TOLERANCE:.0%} off, so that no change makes an operation dearer unseen.

## How it is counted

**Units are answered, not computed.** Every operation of the interface's description is asked for in
a workspace of {PROFILES} profiles, {CUSTOMERS} of them customers, {ORDERS} orders, three members and
two stores, on dynoxide, which answers the units of each call as DynamoDB does
(`tests/costs/test_engine.py` holds it to DynamoDB's rules). A list of so many rows has one level of
nodes; the second level, from about 1,100 rows on, costs each list that is written 2 writes more, the
third, from about 40,000, as many again ([access patterns](access-patterns.md) has the formulas).

**What follows counts too**: the relay of the outbox, the emails, the write-backs. An email goes to
one person; a message travels alone, though busy hours carry many at once and cost less.

**Who asks** is an API key where one may, else a session, without an `idempotency-key`: that adds a
write unit for the claim and two a KB of the answer. Once a minute the use of a key is noted for 1
write unit more, that of a session for 2, and that a store takes write-backs for 1. What a container
does once is left out: its start, its data key from KMS.

**Not counted**: logs, traces and alarms, storage, data sent to the internet, and what costs the same
whether anybody asks or not: two KMS keys, and the sweep of the outbox, 8 read units a minute.

## Prices

List prices of {prices.REGION} since {prices.SINCE:%d %B %Y}, without free tiers
(`benchmarks/prices.py`), in dollars a million:
{{prices}}

**Lambda's duration is reckoned**, as none of this was measured on AWS. A run takes
{reckoning.CPU_MS_A_RUN:g} ms of a CPU, each call of AWS {reckoning.CPU_MS_A_CALL:g} ms more, a
password {reckoning.CPU_MS_A_PASSWORD:g} ms: the least that warm runs took of a 2.1 GHz Xeon. A
function has the share of a CPU that its memory buys. It then waits: {reckoning.WAIT_MS_A_READ} ms a
read of DynamoDB, {reckoning.WAIT_MS_A_WRITE} a write, {reckoning.WAIT_MS_A_TRANSACTION} a
transaction, {reckoning.WAIT_MS_A_SEND} for SQS, {reckoning.WAIT_MS_A_MAC} for KMS,
{reckoning.WAIT_MS_AN_EMAIL} for SES, {reckoning.WAIT_MS_A_STORE} for a store. These are assumptions;
the units are not.
"""

_PRICES = (
    ("HTTP API", prices.HTTP_API_REQUEST, "a request"),
    ("Lambda", prices.LAMBDA_REQUEST, "a run"),
    ("DynamoDB", prices.DYNAMODB_READ_UNIT, "a read unit"),
    ("DynamoDB", prices.DYNAMODB_WRITE_UNIT, "a write unit"),
    ("SQS", prices.SQS_REQUEST, "a request"),
    ("SQS, FIFO", prices.SQS_FIFO_REQUEST, "a request"),
    ("KMS", prices.KMS_REQUEST, "a request"),
    ("SES", prices.SES_EMAIL, "an email"),
)


def page(all_measured: Sequence[Measured]) -> str:
    """The whole page."""
    parts = (
        _HEAD.replace("{prices}", "\n".join(_prices())),
        "## A change of consent\n",
        _CONSENT_PROSE,
        *_consent_table(all_measured),
        "\n## Every operation\n",
        _OPERATIONS_PROSE,
        *_operations_table(all_measured),
    )
    return "\n".join(parts) + "\n"


_CONSENT_PROSE = f"""`PUT /profiles/{{id}}/consent/email` by a key, with its write-back to one store that takes
it. It may cost {MOST_A_CONSENT} dollars a million without an idempotency key.
"""

_OPERATIONS_PROSE = """Units and calls are DynamoDB's. What an operation sets off is counted beside it:
the runs of other functions, and their units and calls together.

| Operation | Reads | Writes | Calls | Sets off | Reads | Writes | Calls | Dollars a million |
|---|--:|--:|--:|---|--:|--:|--:|--:|"""


def _prices() -> Iterator[str]:
    yield ""
    yield "| What | | Dollars |"
    yield "|---|---|--:|"
    for service, price, what in _PRICES:
        yield f"| {service} | {what} | {price * prices.MILLION:g} |"
    second = prices.LAMBDA_GB_SECOND[reckoning.ARCHITECTURE] * prices.MILLION
    yield f"| Lambda, {reckoning.ARCHITECTURE} | a second of a GB | {second:.2f} |"


def _consent_table(all_measured: Sequence[Measured]) -> Iterator[str]:
    alone, with_key = (bill(_one(all_measured, case)) for case in (ALONE, WITH_KEY))
    yield "| What | Dollars a million | With an idempotency key |"
    yield "|---|--:|--:|"
    for item in (item for item in with_key if with_key[item]):
        yield f"| {item} | {alone[item]:.2f} | {with_key[item]:.2f} |"
    yield f"| **Together** | **{sum(alone.values()):.2f}** | **{sum(with_key.values()):.2f}** |"


def dollars_a_consent(all_measured: Sequence[Measured]) -> float:
    """What a million changes of consent cost that one store is told of."""
    return sum(bill(_one(all_measured, ALONE)).values())


def _one(all_measured: Sequence[Measured], case: str) -> Measured:
    [found] = [
        m for m in all_measured if (m.scenario.operation, m.scenario.case) == (CONSENT, case)
    ]
    return found


def _operations_table(all_measured: Sequence[Measured]) -> Iterator[str]:
    for measured in all_measured:
        scenario = measured.scenario
        name = f"`{scenario.operation}`" + (f", {scenario.case}" if scenario.case else "")
        others = {f: usage for f, usage in measured.used.items() if f != measured.function}
        sets_off = ", ".join(map(_run, others.items())) or "–"
        after = sum(others.values(), Usage())
        figures = _figures(after) if others else "| | |"
        own = _figures(measured.used[measured.function])
        total = sum(bill(measured).values())
        yield f"| {name} {own} | {sets_off} {figures} | {total:.2f} |"


def _run(of: tuple[str, Usage]) -> str:
    function, usage = of
    name = function.removesuffix("Function")
    return name if usage.invocations == 1 else f"{usage.invocations} {name}"


def _figures(usage: Usage) -> str:
    return f"| {usage.reads:g} | {usage.writes:g} | {usage.calls}"


def differences(told: str, found: str) -> list[str]:
    """The lines of the found page that say something else, or figures that are too far off."""
    lines, others = told.splitlines(), found.splitlines()
    lacking = [""] * abs(len(lines) - len(others))
    pairs = zip(lines + lacking, others + lacking, strict=False)
    return [found or told for told, found in pairs if not _agree(told, found)]


def _agree(told: str, found: str) -> bool:
    if _NUMBER.sub("0", told) != _NUMBER.sub("0", found):
        return False
    pairs = zip(_numbers(told), _numbers(found), strict=True)
    return all(abs(one - other) <= TOLERANCE * max(one, other) for one, other in pairs)


def _numbers(line: str) -> list[float]:
    return [float(number.replace(",", "")) for number in _NUMBER.findall(line)]
