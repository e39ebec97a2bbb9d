"""One local run from start to end, with its tables in moto, or kept in dynoxide."""

import os
import socket
import threading
from contextlib import ExitStack
from time import perf_counter

from local import aws, demo
from local.aws import moto_streams
from local.aws.data_folder import FOLDER, DataFolder
from local.aws.dynoxide import Dynoxide, NoDynoxide
from local.aws.stream_positions import StreamPositions
from local.console import CannotRun, say
from local.containers.engine import default_network
from local.demo import Api, Demo, welcome
from local.demo.seeded import demo_keys
from local.gateway.endpoints import WRITE_BACK_PATH
from local.running import Entrance, LocalRun
from local.template import functions
from storepost.values import clock


def run(
    store: str,
    listening: socket.socket,
    stopped: threading.Event,
    began: float,
    orders: int,
) -> None:
    """Serves until `stopped` is set. Raises CannotRun.

    `began` is when the start began, to report its duration. `orders` is the size of the large
    demo; 0 imports none.
    """
    say("Starting AWS in this process ...")
    os.environ.setdefault("POWERTOOLS_LOG_LEVEL", "WARNING")
    # A developer's own shop runs on this machine too: it serves feeds, and accepts write-backs.
    os.environ.setdefault("FEED_ALLOW_LOOPBACK", "1")
    aws.prepare_environment(budgets=True)
    with ExitStack() as engine:
        data = _beside_moto(engine) if store == "dynoxide" else None
        aws.start()
        aws.create_resources(data.keys() if data else demo_keys())
        demo.CREDENTIALS.unlink(missing_ok=True)
        local_run = (
            _run_on_data(listening, data) if data else _run_for_containers(engine, listening)
        )
        local_run.serve()
        made = _demo(local_run, data)
        local_run.pump()
        made.credentials.write(demo.CREDENTIALS)
        engine.callback(made.credentials.remove, demo.CREDENTIALS)
        start_over = data.start_over if data else None
        print(
            welcome.screen(local_run.origin, made, perf_counter() - began, start_over), flush=True
        )
        if orders:
            _load_history(local_run, made, data, orders, stopped)
        stopped.wait()
        say("\nStopping ...")
        if data:
            _report_lost(local_run.finish())
        else:
            local_run.stop()


def _beside_moto(engine: ExitStack) -> DataFolder:
    """Starts dynoxide on the kept data, and directs calls to the tables to it."""
    data = engine.enter_context(DataFolder(FOLDER))
    try:
        url = engine.enter_context(Dynoxide(data.rows)).url
    except NoDynoxide as problem:
        raise CannotRun(f"{problem} `make run` alone needs Python only.") from problem
    aws.keep_tables_at(url)
    return data


def _run_for_containers(engine: ExitStack, listening: socket.socket) -> LocalRun:
    """Makes a run that `sam local invoke` can use too, if there is Docker."""
    network = default_network()
    if network is None:
        return LocalRun(listening, positions=_passing())
    # Imported here: runs without Docker don't need these.
    from local.containers.aws_server import AwsServer  # noqa: PLC0415
    from local.containers.serving import origin_at, serve  # noqa: PLC0415
    from local.containers.variables import VARIABLES, variables_at  # noqa: PLC0415

    endpoint = engine.enter_context(serve(AwsServer(), network))
    inner = engine.enter_context(socket.create_server((network.bind, 0)))
    entrance = Entrance(inner, origin_at(network, inner))
    local_run = LocalRun(listening, entrance=entrance, positions=_passing())
    file = demo.CREDENTIALS.with_name(VARIABLES.name)
    engine.enter_context(variables_at(file, endpoint, local_run.base_url))
    return local_run


def _passing() -> StreamPositions:
    """Returns positions that free the records of moto's stream that all readers have passed."""
    readers = sum(len(function.events_of("DynamoDB")) for function in functions())
    passed = moto_streams.PassedRecords(aws.REGION, "Table", readers)
    return StreamPositions(keep=passed.free)


def _run_on_data(listening: socket.socket, data: DataFolder) -> LocalRun:
    clock.advance(data.clock_offset)
    return LocalRun(listening, positions=data.positions(), keep_clock=data.keep_clock)


def _demo(local_run: LocalRun, data: DataFolder | None) -> Demo:
    if data and data.demo:
        made = demo.resume(Demo.of_json(data.demo), local_run.base_url, WRITE_BACK_PATH)
    else:
        say("Loading demo data through the API ...")
        made = demo.load(local_run)
    if data:
        data.demo = made.as_json()
    return made


def _load_history(
    local_run: LocalRun, made: Demo, data: DataFolder | None, orders: int, stopped: threading.Event
) -> None:
    """Imports the large demo's history, or the rest that an earlier run left."""
    # Imported here: runs without the large demo don't need it.
    from local.demo import large  # noqa: PLC0415

    known = data.history if data else None
    loaded = large.Loaded(**known) if known else large.begin(orders)

    def keep(loaded: large.Loaded) -> None:
        if data:
            data.history = loaded.as_json()

    keep(loaded)
    large.Loading(Api(local_run.base_url), made.credentials, loaded, keep).run(stopped)


def _report_lost(lost: dict[str, int]) -> None:
    for queue, messages in lost.items():
        say(f"Lost: {messages} in {queue}, which failed again and again.")
