"""`python -m tests.fault_injection`: so many `REQUESTS` by so many `WRITERS`; 1 where one is wrong.

It needs dynoxide (npm brings it). Everything is imported in `main`: the processes that it starts
import this module too.
"""

import os
import sys


def main() -> int:
    """Runs it; what each process logs goes to the file that `LOG` names, or nowhere."""
    os.environ.setdefault("POWERTOOLS_LOG_LEVEL", "INFO" if os.environ.get("LOG") else "CRITICAL")
    from tests.fault_injection.running import run  # noqa: PLC0415

    requests = int(os.environ.get("REQUESTS") or 2000)
    return run(requests, int(os.environ.get("WRITERS") or 12))


if __name__ == "__main__":
    sys.exit(main())
