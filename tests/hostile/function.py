"""A function's own process, as Lambda has one: `python -m tests.hostile.function`.

Takes events by its standard input, one a line, and prints of each what it took, as JSON. The rest
of AWS is elsewhere, so all memory that is counted is the function's.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

from local import gateway

_OWN = Path("/proc/self")
_FORGET_THE_MOST = "5"


def peak_megabytes() -> float:
    """The most memory that the process had since `forget_peak`."""
    for line in (_OWN / "status").read_text("ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("the system doesn't tell how much memory was taken")


def forget_peak() -> None:
    """From here on the most is counted anew (Linux: proc_pid_clear_refs)."""
    (_OWN / "clear_refs").write_text(_FORGET_THE_MOST, "ascii")


def measured(event: dict[str, Any]) -> dict[str, Any]:
    """Status, body, seconds of CPU and megabytes of one event; `before` is what there was."""
    forget_peak()
    before, began = peak_megabytes(), time.process_time()
    answer = gateway.handle(event)
    cpu = time.process_time() - began
    body = answer.body[:2000].decode(errors="replace")
    outcome = {"cpu": cpu, "before": before, "most": peak_megabytes()}
    return {"status": answer.status, "body": body, **outcome}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(measured(json.loads(line))), flush=True)
