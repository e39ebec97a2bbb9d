"""The local run's threads: the front, and a pump for the stream, each queue and the schedules."""

import os
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from urllib.parse import urlsplit

from local import aws, functions
from local.aws.bells import Bell
from local.aws.stream_positions import StreamPositions
from local.console import say_failure
from local.events.pumps import StreamPump, StreamReader, pump_queue, read_queues
from local.events.schedules import Schedules
from local.gateway.cors import cors_of_template
from local.gateway.endpoints import (
    CATALOGUE_PATH,
    SHOPIFY_PATH,
    WEBHOOK_PATH,
    WRITE_BACK_PATH,
    Endpoints,
)
from local.gateway.front import HOST, Api, Front, gateway_in_process, server_on
from local.pages.guard import Guard
from local.pretend_store import PretendStore
from local.shopify.app import APP
from local.shopify.shops import demo_shops
from local.shopify.web import PretendShopify

FIRST_SECONDS = 1
"""The wait before a failed message's first retry; deployed queues wait longer."""
RETRY_SECONDS = 1
"""The wait before a pump that failed itself continues."""
POLL_SECONDS = 0.25
"""The time between two reads of the stream, as Lambda has it."""
LOOK_AGAIN_SECONDS = 0.5
"""The interval at which queues are polled: no bell rings when a message becomes visible again."""
FINISH_SECONDS = 8
"""How long a run that ends waits until its queues are empty; a retry may be due only later."""

type Pump = Callable[[], int]


@dataclass(frozen=True)
class Entrance:
    """A second address of the local run, for functions that can't reach its first one."""

    listening: socket.socket
    origin: str


class LocalRun:
    """Storepost on this machine. The caller has started AWS and created its resources."""

    def __init__(
        self,
        listening: socket.socket,
        *,
        api: Api | None = None,
        entrance: Entrance | None = None,
        positions: StreamPositions | None = None,
        keep_clock: Callable[[timedelta], None] = lambda _offset: None,
    ) -> None:
        """`listening` is the front's socket; `api` defaults to this process's own.

        `positions` and `keep_clock` are for a run whose rows outlive it.
        """
        self.origin = f"http://{HOST}:{listening.getsockname()[1]}"
        self.base_url = f"{self.origin}/v1"
        store_origin = entrance.origin if entrance else self.origin
        self.write_back_url = f"{store_origin}{WRITE_BACK_PATH}"
        self.webhook_url = f"{store_origin}{WEBHOOK_PATH}"
        self.catalogue_url = f"{store_origin}{CATALOGUE_PATH}"
        _allow(urlsplit(store_origin).netloc)
        self.shopify = PretendShopify(APP, demo_shops())
        os.environ["SHOPIFY_STAND_IN"] = f"{store_origin}{SHOPIFY_PATH}"
        self._stop = threading.Event()
        self._schedules = Schedules()
        self._stream = StreamPump(pause=self._pause, positions=positions or StreamPositions())
        guard = Guard([urlsplit(store_origin).netloc] if entrance else [])
        front = Front(
            Endpoints(PretendStore(), self.shopify, self._schedules, keep_clock, guard),
            api or gateway_in_process(cors_of_template()),
            guard,
        )
        listeners = [listening, entrance.listening] if entrance else [listening]
        self._servers = [server_on(each, front) for each in listeners]
        self._fronts: list[threading.Thread] = []
        self._pumps: list[threading.Thread] = []

    def serve(self) -> None:
        """Answers requests from now on."""
        for server in self._servers:
            answer = partial(server.serve_forever, poll_interval=0.1)
            self._fronts.append(self._start("front", answer))

    def deliver(self) -> None:
        """Delivers all stream records and messages, in a run without pumps."""
        while self._stream.pump() + sum(_of_queue(queue)() for queue in read_queues()):
            pass

    def pump(self) -> None:
        """Starts a thread for every reader."""
        for reader in self._stream.readers:
            pump = partial(self._pump_stream, reader)
            self._start_pump(reader.function.job, pump, aws.TABLES_CHANGED, None)
        for queue in read_queues():
            self._start_pump(queue, _of_queue(queue), aws.QUEUES_CHANGED, LOOK_AGAIN_SECONDS)
        self._start_pump("schedules", self._schedules.run_due, Bell(), LOOK_AGAIN_SECONDS)

    def stop(self) -> None:
        """Ends the threads; undelivered records and messages stay undelivered."""
        self._end_pumps()
        self._end_front()

    def finish(self) -> dict[str, int]:
        """Delivers until the queues are empty, then ends the threads.

        Returns the number of messages left in each queue that isn't empty in time, as only the
        tables and their stream outlive the process. The front answers until then: the pretend store
        receives through it.
        """
        self._end_pumps()
        left = self._carry_out()
        self._end_front()
        return left

    def _end_pumps(self) -> None:
        self._stop.set()
        for bell in (aws.TABLES_CHANGED, aws.QUEUES_CHANGED):
            bell.ring()
        for thread in self._pumps:
            thread.join(timeout=2)

    def _end_front(self) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()
        for thread in self._fronts:
            thread.join(timeout=2)

    def _carry_out(self) -> dict[str, int]:
        until = time.monotonic() + FINISH_SECONDS
        while True:
            self.deliver()
            depths = {queue: sum(aws.queue_depth(queue).values()) for queue in read_queues()}
            if not any(depths.values()) or time.monotonic() > until:
                return {queue: depth for queue, depth in depths.items() if depth}
            time.sleep(0.1)

    def _start_pump(self, name: str, pump: Pump, bell: Bell, seconds: float | None) -> None:
        pumping = self._start(name, lambda: self._pump_for_ever(name, pump, bell, seconds))
        self._pumps.append(pumping)

    def _start(self, name: str, work: Callable[[], None]) -> threading.Thread:
        def work_apart() -> None:
            with functions.apart():
                work()

        thread = threading.Thread(target=work_apart, name=name, daemon=True)
        thread.start()
        return thread

    def _pump_for_ever(self, name: str, pump: Pump, bell: Bell, seconds: float | None) -> None:
        while not self._stop.is_set():
            rings = bell.rings
            try:
                carried = pump()
            except Exception as error:
                say_failure(name, error)
                self._stop.wait(RETRY_SECONDS)
                continue
            if not carried:
                bell.wait(rings, seconds)

    def _pump_stream(self, reader: StreamReader) -> int:
        """Waits for the batching window, as Lambda does, and delivers the records."""
        self._stop.wait(max(reader.window, POLL_SECONDS))
        return reader.pump()

    def _pause(self, failures: int) -> None:
        self._stop.wait(min(0.1 * 2**failures, RETRY_SECONDS))


def _of_queue(queue: str) -> Pump:
    return lambda: pump_queue(queue, FIRST_SECONDS)


def _allow(host: str) -> None:
    """Allows the service to call this server, beside the hosts that the developer allows."""
    allowed = os.environ.get("FEED_ALLOW_HOSTS", "")
    if host not in allowed.split(","):
        os.environ["FEED_ALLOW_HOSTS"] = f"{allowed},{host}".strip(",")
