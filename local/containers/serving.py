"""Servers that containers reach on this machine, at an address of their network."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from wsgiref.types import WSGIApplication

from local.containers.engine import Network
from local.gateway.front import server_on


@contextmanager
def serve(application: WSGIApplication, network: Network) -> Iterator[str]:
    """Serves it to the network's containers until the end of the block; yields its origin."""
    with socket.create_server((network.bind, 0)) as listening:
        server = server_on(listening, application)
        thread = Thread(target=server.serve_forever, args=(0.1,), daemon=True)
        thread.start()
        try:
            yield origin_at(network, listening)
        finally:
            server.shutdown()
            server.server_close()


def origin_at(network: Network, listening: socket.socket) -> str:
    """Returns the origin at which the network's containers reach a socket."""
    return f"http://{network.host}:{listening.getsockname()[1]}"
