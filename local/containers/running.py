"""The local run whose functions are in containers: what is served for them, and what carries."""

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from wsgiref.types import WSGIApplication

from local import functions
from local.containers import building
from local.containers.aws_server import AwsServer
from local.containers.engine import Network
from local.containers.proxy import gateway_at
from local.containers.sam import Sam, free_port
from local.front import server_on
from local.running import Entrance, LocalRun


@dataclass(frozen=True)
class Running:
    """A run that answers."""

    origin: str
    write_back_url: str
    """Where the pretend store listens, as containers reach it."""
    lambda_port: int
    logs: list[Path]


@contextmanager
def run_in_containers(
    listening: socket.socket, network: Network, template: Path
) -> Iterator[Running]:
    """Storepost with its functions in containers on the network, until the end of the block.

    AWS has been started and its resources made before; `template` is the built one.
    """
    with ExitStack() as stack:
        endpoint = stack.enter_context(_serve(AwsServer(), network))
        inner = stack.enter_context(socket.create_server((network.bind, 0)))
        entrance = Entrance(inner, _origin(network, inner))
        api_port = free_port()
        local_run = LocalRun(listening, api=gateway_at(api_port), entrance=entrance)
        variables = building.function_environment(endpoint, local_run.base_url)
        building.VARIABLES.write_text(json.dumps(variables, indent=1))
        sam = Sam(template, network.name, api_port)
        stack.callback(sam.stop)
        # SAM CLI waits for each container in turn, three seconds for most.
        stack.callback(network.remove_containers)
        sam.wait()
        functions.run_elsewhere(sam.invoke)
        stack.callback(functions.run_elsewhere, None)
        local_run.serve()
        local_run.pump()
        stack.callback(local_run.stop)
        yield Running(local_run.origin, local_run.write_back_url, sam.lambda_port, sam.logs)


@contextmanager
def _serve(application: WSGIApplication, network: Network) -> Iterator[str]:
    """Serves it to the network's containers until the end of the block: its origin for them."""
    with socket.create_server((network.bind, 0)) as listening:
        server = server_on(listening, application)
        thread = Thread(target=server.serve_forever, args=(0.1,), daemon=True)
        thread.start()
        try:
            yield _origin(network, listening)
        finally:
            server.shutdown()
            server.server_close()


def _origin(network: Network, listening: socket.socket) -> str:
    return f"http://{network.host}:{listening.getsockname()[1]}"
