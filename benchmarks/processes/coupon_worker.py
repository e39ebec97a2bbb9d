"""What a file of codes takes of its worker, in a process of its own.

`python -m benchmarks.processes.coupon_worker` carries what is in the outbox to the worker until
nothing moves, and prints as JSON what that took: seconds by the clock and of the CPU, units, calls,
and megabytes at most.
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
    """Takes what is in the outbox to the worker, until nothing moves."""
    while True:
        carried = 0
        for shard in range(SHARDS):
            for row in due(shard, clock.now()):
                relay(row)
                carried += 1
        if not carried + pumps.pump_queue(QUEUE):
            return


def main() -> None:
    """Does it and prints what it took."""
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
