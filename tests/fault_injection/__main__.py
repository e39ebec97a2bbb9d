"""`python -m tests.fault_injection`: sends `REQUESTS` by `WRITERS`; exits with 1 if one is wrong.

It needs dynoxide (npm installs it). All imports are in `main`, as the processes that it starts
import this module, too.
"""

import os
import sys


def main() -> int:
    """Runs it; the processes' logs go to the file that `LOG` names, or are discarded."""
    os.environ.setdefault("POWERTOOLS_LOG_LEVEL", "INFO" if os.environ.get("LOG") else "CRITICAL")
    from tests.fault_injection.running import run  # noqa: PLC0415

    requests = int(os.environ.get("REQUESTS") or 2000)
    return run(requests, int(os.environ.get("WRITERS") or 12))


if __name__ == "__main__":
    sys.exit(main())
