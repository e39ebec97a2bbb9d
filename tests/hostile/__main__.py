"""`python -m tests.hostile`: the whole corpus, asked of every operation, and what it costs.

`EVERY=n` asks each n-th request alone; `ONLY` is a part of the ids of the operations asked.
Ends with 1 where an answer is wrong.
"""

import os
import resource
import sys
from time import process_time

os.environ["POWERTOOLS_LOG_LEVEL"] = "CRITICAL"

from local import aws

aws.prepare_environment()
aws.start()
aws.create_resources()

from tests.hostile.asking import Town, every_operation, part_of, requests_to  # noqa: E402
from tests.world import World  # noqa: E402

_SHOWN = 15


def main() -> int:
    """Asks, and says what was wrong and what took longest; 0 where nothing was wrong."""
    every, only = int(os.environ.get("EVERY") or 1), os.environ.get("ONLY", "")
    town = Town(World())
    costs: list[tuple[float, str, str]] = []
    wrong = 0
    for name, operation in every_operation().items():
        token = town.token()
        for sent in part_of(requests_to(operation, town), len(name) % every, every):
            if only not in name:
                break
            began = process_time()
            try:
                town.ask(sent, token)
            except AssertionError as error:
                wrong += 1
                print(f"{name}: {sent.name}: {str(error)[:600]}", flush=True)
            costs.append((process_time() - began, name, sent.name))
    costs.sort(reverse=True)
    for cost, name, sent_name in costs[:_SHOWN]:
        print(f"{cost:.3f} s of CPU: {name}: {sent_name}")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{len(costs)} requests, {wrong} wrong; {most:.0f} MB at most, the whole of AWS included")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
