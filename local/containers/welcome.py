"""The first screen: where the service is, and first calls to copy."""

from pathlib import Path

from local.containers.running import Running


def screen(running: Running, seconds: float) -> str:
    """The lines that a developer reads first."""
    logs = " and ".join(str(log.relative_to(Path.cwd(), walk_up=True)) for log in running.logs)
    return f"""
Storepost runs at {running.origin}/v1, its functions in containers (ready in {seconds:.1f} s)

Nobody is there yet. Sign up:
  curl -H 'Content-Type: application/json' \\
    -d '{{"name": "Olive", "email": "olive@example.com", "password": "correct horse battery"}}' \\
    {running.origin}/v1/auth/sign-up

Emails, with their links and codes: {running.origin}/_local/
A store's address for write-backs, which the same page shows: {running.write_back_url}

Lambda is at http://127.0.0.1:{running.lambda_port}. Invoke a function by itself:
  aws lambda invoke --endpoint-url http://127.0.0.1:{running.lambda_port} --no-sign-request \\
    --function-name OutboxSweepFunction /dev/stdout

Logs: {logs}
A function's first call takes some seconds: its container is made then.
Everything is in memory and gone at the end. Ctrl-C stops it.
"""
