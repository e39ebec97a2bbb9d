"""A new stack on a restored table, as a process of its own: asked on its standard input.

`{"rows": [...], "keys": "theirs" | "new", "requests": [{method, path, token, body, form}, ...]}`
brings `{"answers": [{status, body}, ...], "emails": [subject, ...], "tables": [name, ...]}`.
"""

import json
import os
import sys
from datetime import timedelta
from typing import Any

from local import aws, gateway
from local.aws import mail
from local.demo.seeded import demo_keys
from local.events import pumps
from local.template import resources
from storepost.values import clock

TABLE = "storepost-restored"
"""The name that an operator gave the restored table; no stack would have made it up."""


def start(rows: list[dict[str, Any]], keys: str) -> None:
    """Makes the stack's resources, but for the table, which holds what was restored."""
    aws.prepare_environment()
    os.environ["TABLE_NAME"] = TABLE
    aws.start()
    aws.create_resources(demo_keys() if keys == "theirs" else None)
    dynamodb = aws.client("dynamodb")
    dynamodb.delete_table(TableName="Table")
    made = resources("AWS::DynamoDB::Table")["Table"]
    dynamodb.create_table(
        TableName=TABLE,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=made["AttributeDefinitions"],
        KeySchema=made["KeySchema"],
    )
    for row in rows:
        dynamodb.put_item(TableName=TABLE, Item=row)
    # A restored table has no stream: the operator switches it on before the new stack reads it.
    dynamodb.update_table(
        TableName=TABLE,
        StreamSpecification={"StreamEnabled": True, **made["StreamSpecification"]},
    )


def ask(request: dict[str, Any]) -> dict[str, Any]:
    """The API's answer."""
    body, headers = request.get("form") or json.dumps(request.get("body")), {}
    headers["content-type"] = (
        "application/x-www-form-urlencoded" if "form" in request else "application/json"
    )
    if "token" in request:
        headers["authorization"] = f"Bearer {request['token']}"
    path, _, query = request["path"].partition("?")
    sent = "" if request["method"] == "GET" else body
    event = gateway.http_event(
        request["method"], path, query=query, headers=headers, body=sent.encode()
    )
    answer = gateway.handle(event)
    return {"status": answer.status, "body": answer.body.decode()}


def deliver() -> list[str]:
    """Sends what the lost stack had still to send, and new messages: the emails' subjects."""
    # The sweep takes rows that the stream should have had by then; the new stream has none.
    clock.advance(timedelta(minutes=3))
    pumps.run_schedule("outbox_sweep")
    stream = pumps.StreamPump(TABLE)
    while stream.pump() + sum(pumps.pump_queue(queue) for queue in pumps.read_queues()):
        pass
    return [email.subject for email in mail.sent_emails()]


def main() -> None:
    """Answers what it was asked."""
    payload = json.load(sys.stdin)
    start(payload["rows"], payload["keys"])
    answers = [ask(request) for request in payload["requests"]]
    tables = aws.client("dynamodb").list_tables()["TableNames"]
    json.dump({"answers": answers, "emails": deliver(), "tables": tables}, sys.stdout)


if __name__ == "__main__":
    main()
