"""The first screen: the service's addresses, and first calls to copy."""

from pathlib import Path

from local import demo
from local.containers.running import Running


def screen(running: Running, seconds: float) -> str:
    """Returns the screen's text."""
    logs = " and ".join(str(log.relative_to(Path.cwd(), walk_up=True)) for log in running.logs)
    file = demo.CREDENTIALS.relative_to(Path.cwd(), walk_up=True)
    return f"""
Storepost runs at {running.origin}/v1, its functions in containers (ready in {seconds:.1f} s)

Keys and sessions of the demo: {file}

List the orders:
  curl -H 'Authorization: Bearer {running.demo.credentials.api_keys["read"]}' \\
    {running.origin}/v1/orders

Emails with their codes, write-backs, queues, rows, the last requests: {running.origin}/_local/
A store's address for write-backs, which the same page shows: {running.write_back_url}

Lambda is at http://127.0.0.1:{running.lambda_port}. Invoke a function by itself:
  aws lambda invoke --endpoint-url http://127.0.0.1:{running.lambda_port} --no-sign-request \\
    --function-name OutboxSweepFunction /dev/stdout

Or with SAM CLI, on its sample:
  make invoke FUNCTION=OrdersFunction EVENT=events/api/orders.json

Logs: {logs}
A function's first call takes some seconds: its container is made then.
Everything is in memory and gone at the end. Ctrl-C stops it.
"""
