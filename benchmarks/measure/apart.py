"""Measures work in a process of its own, so that its memory is measured alone.

AWS, except the tables, stays in this process, behind a server.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from werkzeug.serving import WSGIRequestHandler, make_server

from local.containers.aws_server import AwsServer


class _Quiet(WSGIRequestHandler):
    def log(self, type: str, message: str, *args: object) -> None:
        """Logs nothing."""


@contextmanager
def aws_for_all() -> Iterator[str]:
    """Serves this process's moto to other processes; yields its URL."""
    server = make_server("127.0.0.1", 0, AwsServer(), threaded=True, request_handler=_Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def apart(address: str, module: str, *arguments: str, **environment: str) -> dict[str, float]:
    """Runs a module of ours; returns the JSON that it prints. `address` is the URL of AWS."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env={**os.environ, "AWS_ENDPOINT_URL": address, "STOREPOST_LOCAL": "1", **environment},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))
