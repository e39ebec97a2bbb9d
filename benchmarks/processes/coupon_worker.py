"""Measures the worker that imports a file of codes, in a process of its own.

`python -m benchmarks.processes.coupon_worker` delivers the outbox's messages to the worker until
none is left, and prints the cost as JSON: seconds by the clock and of the CPU, units, calls, and
peak memory in megabytes.
"""

import json

from benchmarks.measure.metering import Meter
from benchmarks.processes.import_worker import peak_memory
from local.events import pumps
from storepost.platform.messaging.outbox import SHARDS, due
from storepost.platform.messaging.relay import relay
from storepost.values import clock

QUEUE = "CouponCodeQueue"


def carry() -> None:
    """Delivers the outbox's messages to the worker, until none is left."""
    while True:
        carried = 0
        for shard in range(SHARDS):
            for row in due(shard, clock.now()):
                relay(row)
                carried += 1
        if not carried + pumps.pump_queue(QUEUE):
            return


def main() -> None:
    """Does it and prints its cost."""
    measured = Meter().measured(carry)
    result = {
        "seconds": measured.seconds,
        "cpu": measured.cpu_seconds,
        "reads": measured.reads,
        "writes": measured.writes,
        "calls": len(measured.work),
        "memory": peak_memory(),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
