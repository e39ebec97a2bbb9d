"""`make fuzz`: `CASES` requests over all operations; ends with 1 where an answer is wrong."""

import os
import sys
from time import perf_counter, process_time

os.environ["POWERTOOLS_LOG_LEVEL"] = "CRITICAL"

from local import aws

aws.prepare_environment()
aws.start()
aws.create_resources()

from tests.fuzzing.generated_requests import GeneratedRequests  # noqa: E402 - the service reads the environment

CASES = 1600


def main() -> int:
    """Sends the requests, and prints how many answers were wrong; 0 if none was."""
    began = perf_counter(), process_time()
    requests = GeneratedRequests(int(os.environ.get("CASES") or CASES), os.environ.get("ONLY", ""))
    requests.run()
    seconds, cpu = perf_counter() - began[0], process_time() - began[1]
    print(
        f"\n{requests.request_count} requests to {len(requests.operations)} operations in"
        f" {seconds:.0f} s ({cpu:.0f} s of CPU):"
        f" {len(requests.findings)} answers are not as described"
    )
    return 1 if requests.findings else 0


if __name__ == "__main__":
    sys.exit(main())
