"""What something takes in a process of its own, so that its memory is its own too.

The rest of AWS stays in this process, behind a server.
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
        """Nothing."""


@contextmanager
def aws_for_all() -> Iterator[str]:
    """This process's moto for other processes: its address."""
    server = make_server("127.0.0.1", 0, AwsServer(), threaded=True, request_handler=_Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def apart(address: str, module: str, *arguments: str, **environment: str) -> dict[str, float]:
    """What a module of ours prints as JSON once it is done; `address` is that of AWS."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env={**os.environ, "AWS_ENDPOINT_URL": address, "STOREPOST_LOCAL": "1", **environment},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))
