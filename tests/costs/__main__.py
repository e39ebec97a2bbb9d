import os

os.environ.setdefault("STORE", "dynoxide")
from local import aws

aws.prepare_environment()
from tests.engines import engine

engine()
aws.start()
aws.create_resources()
import sys, time
from tests.costs.measuring import measured_town, measure_all
from tests.costs.scenarios import ALL
from storepost.identity import passwords

passwords.MEMORY_KIB, passwords.PASSES = 8, 1
t = time.time()
want = sys.argv[1:]
with measured_town() as town:
    print("built", time.time() - t)
    for m in measure_all(town, [s for s in ALL if not want or s.operation in want]):
        own = m.used[m.function]
        rest = {k: v for k, v in m.used.items() if k != m.function}
        print(
            f"{m.scenario.operation:28} {m.scenario.case:32} R{own.reads:g} W{own.writes:g} c{own.calls} t{own.transactions} pw{own.passwords} mac{own.macs} |",
            {
                k: (v.invocations, v.reads, v.writes, v.calls, v.sends, v.emails, v.told)
                for k, v in rest.items()
            },
        )
print(time.time() - t)
