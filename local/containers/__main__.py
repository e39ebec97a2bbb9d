"""`make sam-local`: the functions in containers, as SAM CLI runs them, on `PORT`."""

import os
import socket
import sys
import threading
from contextlib import ExitStack
from time import perf_counter

from local.console import CannotRun, say
from local.containers import engine
from local.listening import until_stopped


def main() -> int:
    """Runs until Ctrl-C. Returns 0, or 2 if it can't run."""
    return until_stopped("make sam-local", _run)


def _run(listening: socket.socket, stopped: threading.Event, began: float) -> None:
    if (os.environ.get("STORE") or "moto") != "moto":
        raise CannotRun("make sam-local keeps its data in memory, in moto. Leave STORE out.")
    # SAM CLI receives a function's log before its answer, and then often waits a second for a line
    # that it has missed.
    os.environ.setdefault("POWERTOOLS_LOG_LEVEL", "WARNING")
    with ExitStack() as stack:
        network = engine.make_network(f"storepost-{listening.getsockname()[1]}")
        stack.callback(network.delete)
        from local import aws  # noqa: PLC0415 - these imports are slow, as in `local.__main__`
        from local.containers import building  # noqa: PLC0415
        from local.demo.seeded import demo_keys  # noqa: PLC0415

        say("Building the functions and their layers (half a minute, the first time) ...")
        template = building.build()
        if stopped.is_set():
            return
        say("Starting AWS in this process, and SAM CLI ...")
        aws.prepare_environment()
        aws.start()
        aws.create_resources(demo_keys())
        from local.containers import welcome  # noqa: PLC0415
        from local.containers.running import run_in_containers  # noqa: PLC0415

        running = stack.enter_context(run_in_containers(listening, network, template))
        seconds = perf_counter() - began
        print(welcome.screen(running, seconds), flush=True)
        stopped.wait()
        say("\nStopping ...")


if __name__ == "__main__":
    sys.exit(main())
