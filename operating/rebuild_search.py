"""`make rebuild-search`: all postings of a workspace are made anew, while it is in use.

One message asks for it. The worker goes on by itself where a run has no time left, and a second
message does no harm: each posting is written from what its row says then.
"""

import json
import os
import sys
from typing import Any
from uuid import UUID

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from operating.queues import NoSuchQueue, url_of

QUEUE_NAME = "SearchRepairQueue"


class NoSuchWorkspace(Exception):  # noqa: N818 - it is what was given
    """What was given is no id of a workspace; the message says what to do."""


def ask_for_rebuild(stack: str, workspace: str, cloudformation: Any, sqs: Any) -> None:  # noqa: ANN401
    """Sends the message for one workspace. Raises NoSuchWorkspace and NoSuchQueue."""
    try:
        identifier = UUID(workspace)
    except ValueError as error:
        raise NoSuchWorkspace(
            f"{workspace!r} is no id. Give the workspace's as WORKSPACE, as GET /workspaces has it."
        ) from error
    url = url_of(stack, QUEUE_NAME, cloudformation)
    sqs.send_message(QueueUrl=url, MessageBody=json.dumps({"workspaceId": str(identifier)}))


def main() -> int:
    """Asks for that of `WORKSPACE` in `STACK`; 0, or 1 where that failed."""
    stack, workspace = os.environ["STACK"], os.environ.get("WORKSPACE", "")
    try:
        clients = boto3.client("cloudformation"), boto3.client("sqs")
        ask_for_rebuild(stack, workspace, *clients)
        print(f"The search of {workspace} is made anew; it can be used meanwhile.")
    except (NoSuchQueue, NoSuchWorkspace) as problem:
        print(problem, file=sys.stderr)
        return 1
    except (BotoCoreError, ClientError) as error:
        print(f"AWS can't be asked: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
