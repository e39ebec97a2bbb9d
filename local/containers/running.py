"""The local run whose functions are in containers: the servers that they use, and the pumps."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from local import demo, functions
from local.containers.aws_server import AwsServer
from local.containers.engine import Network
from local.containers.proxy import gateway_at
from local.containers.sam import Sam, free_port
from local.containers.serving import origin_at, serve
from local.containers.variables import VARIABLES, variables_at
from local.demo import Demo
from local.running import Entrance, LocalRun


@dataclass(frozen=True)
class Running:
    """A run that is serving."""

    origin: str
    demo: Demo
    write_back_url: str
    """The pretend store's URL for containers."""
    lambda_port: int
    logs: list[Path]


@contextmanager
def run_in_containers(
    listening: socket.socket, network: Network, template: Path
) -> Iterator[Running]:
    """Runs Storepost with its functions in containers on the network, until the end of the block.

    The caller has started AWS and created its resources; `template` is the built one.
    """
    with ExitStack() as stack:
        endpoint = stack.enter_context(serve(AwsServer(), network))
        inner = stack.enter_context(socket.create_server((network.bind, 0)))
        entrance = Entrance(inner, origin_at(network, inner))
        api_port = free_port()
        local_run = LocalRun(listening, api=gateway_at(api_port), entrance=entrance)
        stack.enter_context(variables_at(VARIABLES, endpoint, local_run.base_url))
        local_run.serve()
        # The demo is loaded in this process: in containers, each function's first call would take
        # seconds.
        made = demo.load(local_run)
        made.credentials.write(demo.CREDENTIALS)
        stack.callback(made.credentials.remove, demo.CREDENTIALS)
        sam = Sam(template, network.name, api_port)
        stack.callback(sam.stop)
        # SAM CLI stops containers one after the other, and waits three seconds for most.
        stack.callback(network.delete_containers)
        sam.wait()
        functions.run_elsewhere(sam.invoke)
        stack.callback(functions.run_elsewhere, None)
        local_run.pump()
        stack.callback(local_run.stop)
        yield Running(local_run.origin, made, local_run.write_back_url, sam.lambda_port, sam.logs)
