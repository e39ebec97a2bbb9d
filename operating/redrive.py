"""`make redrive`: moves the dead letters of a queue back to it, once each.

SQS itself moves each message atomically (`StartMessageMoveTask`), so none is lost or duplicated if
this machine stops meanwhile. Run again, the command follows the running task. A moved message gets
all of its tries anew.
"""

import os
import sys
import time
from collections.abc import Callable
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from operating.clients import client_of
from operating.queues import ACCESS, DeadLetters, NoSuchQueue, all_dead_letters, dead_letters_of

_LOOK_AGAIN_SECONDS = 2
_RUNNING = ("RUNNING", "CANCELLING")


class NotMoved(Exception):  # noqa: N818 - it is what happened
    """SQS ended the task before it was complete; the message has the reason."""


def redrive(queue: DeadLetters, sqs: Any, wait: Callable[[float], None]) -> int:  # noqa: ANN401
    """Moves the dead letters back; returns their number. Raises NotMoved.

    `wait` takes seconds.
    """
    before = _last_task(queue, sqs)
    if not _is_running(before):
        sqs.start_message_move_task(SourceArn=queue.dead_letters_arn, DestinationArn=queue.arn)
    # The new task may be listed late: until then the last task is an earlier redrive's.
    while _is_running(task := _last_task(queue, sqs)) or task == before:
        wait(_LOOK_AGAIN_SECONDS)
    if task.get("Status") != "COMPLETED":
        raise NotMoved(task.get("FailureReason") or str(task.get("Status")))
    return int(task.get("ApproximateNumberOfMessagesMoved", 0))


def _last_task(queue: DeadLetters, sqs: Any) -> dict[str, Any]:  # noqa: ANN401
    tasks = sqs.list_message_move_tasks(SourceArn=queue.dead_letters_arn, MaxResults=1)
    found: list[dict[str, Any]] = tasks.get("Results", [])
    return found[0] if found else {}


def _is_running(task: dict[str, Any]) -> bool:
    return task.get("Status") in _RUNNING


def main() -> int:
    """Moves those of `QUEUE` in `STACK`, or lists all queues. Returns 0, or 1 if that failed."""
    stack, name = os.environ["STACK"], os.environ.get("QUEUE", "")
    try:
        cloudformation, sqs = client_of("cloudformation"), client_of("sqs")
        if not name:
            for queue in all_dead_letters(stack, cloudformation, sqs):
                print(f"{queue.waiting:8}  {queue.name}")
            return 0
        queue = dead_letters_of(stack, name, cloudformation, sqs)
        print(f"{redrive(queue, sqs, time.sleep)} messages went back to {name}.")
    except (NoSuchQueue, NotMoved) as problem:
        print(problem, file=sys.stderr)
        return 1
    except (BotoCoreError, ClientError) as error:
        print(f"AWS can't be asked: {error} {ACCESS}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
