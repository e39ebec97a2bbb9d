"""The page of costs as generated from measurements, and how it differs from another one."""

import re
from collections.abc import Iterator

from benchmarks.measure.reckoning import Usage
from local.template import ROOT
from tests.costs import prose
from tests.costs.idle import idle, newcomers, own_metrics
from tests.costs.measuring import Findings, Measured
from tests.costs.scenarios import GROUPS
from tests.costs.scenarios.registry import Scenario
from tests.costs.summary import (
    consent_by_item,
    consent_by_size,
    order_pages,
    prices_table,
    schedules,
)

PAGE = ROOT / "docs" / "costs.md"
TOLERANCE = 0.05
MAX_A_CONSENT = 15.0
"""Dollars that a million changes of consent may cost, logs and traces apart."""
MAX_WRITES_OF_A_CONSENT = 12
"""Write units of its request, in a list of one level, without an idempotency key."""

CONSENT, ONE_STORE = "consent.putEmail", "one write-back"

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_HEAD = """
| Operation | Reads | Writes | Calls | Sets off | Reads | Writes | Calls | $ a million |
|---|--:|--:|--:|---|--:|--:|--:|--:|"""


def page(findings: Findings) -> str:
    """The whole page."""
    measured = findings.of(CONSENT, ONE_STORE)
    with_key = findings.of(CONSENT, f"{ONE_STORE}, with an idempotency key")
    parts = (
        prose.head(TOLERANCE),
        *prices_table(),
        prose.DURATION,
        prose.ORDER_PAGES,
        *order_pages(),
        prose.consent(MAX_A_CONSENT),
        *consent_by_item(measured, with_key),
        prose.GROWING,
        *consent_by_size(measured),
        prose.OPERATIONS,
        *_operations(findings),
        prose.NEWCOMERS,
        *newcomers(findings),
        prose.SCHEDULES,
        *schedules(findings),
        prose.idle(own_metrics()),
        *idle(findings),
        prose.BUSY,
    )
    return "\n".join(parts) + "\n"


def dollars_a_consent(findings: Findings) -> float:
    """The cost of a million changes of consent that are each written back to one store."""
    return findings.of(CONSENT, ONE_STORE).dollars


def named(scenario: Scenario) -> str:
    """The scenario as the page calls it."""
    return f"`{scenario.operation}`" + (f", {scenario.case}" if scenario.case else "")


def _operations(findings: Findings) -> Iterator[str]:
    measured = {each.scenario: each for each in findings.requests}
    for title, scenarios in GROUPS.items():
        yield f"\n### {title}"
        yield _HEAD
        yield from (_row(measured[scenario]) for scenario in scenarios)


def _row(measured: Measured) -> str:
    others = measured.others
    sets_off = ", ".join(map(_run, others.items())) or "nothing"
    after = _figures(sum(others.values(), Usage())) if others else "| | |"
    own, name = _figures(measured.own), named(measured.scenario)
    return f"| {name} {own} | {sets_off} {after} | {measured.dollars:,.2f} |"


def _run(of: tuple[str, Usage]) -> str:
    function, usage = of
    name = function.removesuffix("Function")
    return name if usage.invocations == 1 else f"{usage.invocations} {name}"


def _figures(usage: Usage) -> str:
    return f"| {usage.reads:,g} | {usage.writes:,g} | {usage.calls:,g}"


def differences(expected: str, found: str) -> list[str]:
    """The lines of the found page that differ in text, or in figures by too much."""
    lines, others = expected.splitlines(), found.splitlines()
    lacking = [""] * abs(len(lines) - len(others))
    pairs = zip(lines + lacking, others + lacking, strict=False)
    return [found or expected for expected, found in pairs if not _agree(expected, found)]


def _agree(expected: str, found: str) -> bool:
    if _NUMBER.sub("0", expected) != _NUMBER.sub("0", found):
        return False
    pairs = zip(_numbers(expected), _numbers(found), strict=True)
    return all(abs(one - other) <= TOLERANCE * max(one, other) for one, other in pairs)


def _numbers(line: str) -> list[float]:
    return [float(number.replace(",", "")) for number in _NUMBER.findall(line)]
