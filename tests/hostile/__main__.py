"""`python -m tests.hostile`: the whole corpus, sent to every operation, and its cost.

`EVERY=n` sends only each n-th request; `ONLY` is a part of the ids of the operations. The largest
bodies are sent to a separate process, whose memory is a function's. Ends with 1 if an answer is
wrong, or took more than 2 s of CPU or 512 MB.
"""

import os
import sys
from collections.abc import Iterator
from time import process_time

os.environ["POWERTOOLS_LOG_LEVEL"] = "CRITICAL"

from local import aws

aws.prepare_environment()
aws.start()
aws.create_resources()

from tests.harness.world import World  # noqa: E402
from tests.hostile.hostile_requests import (  # noqa: E402
    Operation,
    Target,
    every_operation,
    part_of,
    requests_to,
)
from tests.hostile.large import large_requests  # noqa: E402
from tests.hostile.own_process import function_apart  # noqa: E402

_SHOWN = 15
_MAX_CPU_SECONDS = 2
_MAX_MEGABYTES = 512

type Cost = tuple[float, str]


def main() -> int:
    """Sends the requests, and prints what was wrong and what cost most; 0 if nothing was wrong."""
    target = Target(World())
    wrong = _ask_everything(target) + _ask_large(target)
    print(f"{wrong} wrong")
    return 1 if wrong else 0


def _operations() -> Iterator[tuple[int, Operation]]:
    """The operations to call, and the first request of each, from which every n-th is sent."""
    only = os.environ.get("ONLY", "")
    return (
        (len(name) % _every(), operation)
        for name, operation in every_operation().items()
        if only in name
    )


def _every() -> int:
    return int(os.environ.get("EVERY") or 1)


def _ask_everything(target: Target) -> int:
    costs, wrong = list[Cost](), 0
    for first, operation in _operations():
        token = target.token()
        for sent in part_of(requests_to(operation, target), first, _every()):
            began = process_time()
            try:
                target.ask(sent, token)
            except AssertionError as error:
                wrong += 1
                print(f"{operation.id}: {sent.name}: {str(error)[:600]}", flush=True)
            costs.append((process_time() - began, f"{operation.id}: {sent.name}"))
    _show("s of CPU, moto's included", costs)
    return wrong + sum(cost > _MAX_CPU_SECONDS for cost, _ in costs)


def _ask_large(target: Target) -> int:
    cpu, memory, wrong = list[Cost](), list[Cost](), 0
    with function_apart() as function:
        for first, operation in _operations():
            if not operation.has_body or operation.takes_form:
                continue
            token = target.token()
            for sent in part_of(large_requests(operation, target), first, _every()):
                outcome = function.ask(target.event(sent, token))
                if outcome.status >= 500:
                    wrong += 1
                    print(f"{operation.id}: {sent.name}: {outcome}", flush=True)
                name = f"{operation.id}: {sent.name} ({outcome.before:.0f} MB before)"
                cpu.append((outcome.cpu, name))
                memory.append((outcome.most, name))
    _show("s of CPU in a function's own process", cpu)
    _show("MB in a function's own process", memory)
    wrong += sum(cost > _MAX_CPU_SECONDS for cost, _ in cpu)
    return wrong + sum(cost > _MAX_MEGABYTES for cost, _ in memory)


def _show(unit: str, costs: list[Cost]) -> None:
    """The greatest costs."""
    for cost, name in sorted(costs, reverse=True)[:_SHOWN]:
        print(f"{cost:.3f} {unit}: {name}")
    print(f"{len(costs)} requests")


if __name__ == "__main__":
    sys.exit(main())
