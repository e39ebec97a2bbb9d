"""The local run's threads: the front, and a pump for the stream, each queue and the schedules."""

import os
import socket
import threading
from collections.abc import Callable

from local import aws, functions
from local.bells import Bell
from local.console import say_failure
from local.cors import cors_of_template
from local.endpoints import SHOPIFY_PATH, WRITE_BACK_PATH, Endpoints
from local.front import HOST, Front, server_on
from local.pretend_store import PretendStore
from local.pumps import StreamPump, pump_queue, read_queues
from local.schedules import Schedules
from local.shopify.app import APP
from local.shopify.shops import demo_shops
from local.shopify.web import PretendShopify

RETRY_SECONDS = 1
"""When a failed message comes again: deployed queues wait minutes for it."""
LOOK_AGAIN_SECONDS = 0.5
"""How often a queue is looked at where no bell can ring: a message's time to come again."""

type Pump = Callable[[], int]


class LocalRun:
    """Storepost on this machine. AWS has been started and its resources made before."""

    def __init__(self, listening: socket.socket) -> None:
        """`listening` is the front's address."""
        self.origin = f"http://{HOST}:{listening.getsockname()[1]}"
        self.base_url = f"{self.origin}/v1"
        self.write_back_url = f"{self.origin}{WRITE_BACK_PATH}"
        self.shopify = PretendShopify(APP, demo_shops())
        _allow(self.origin.removeprefix("http://"))
        os.environ["SHOPIFY_STAND_IN"] = f"{self.origin}{SHOPIFY_PATH}"
        self._stop = threading.Event()
        self._schedules = Schedules()
        self._stream = StreamPump(pause=self._pause)
        endpoints = Endpoints(PretendStore(), self.shopify, self._schedules)
        self._server = server_on(listening, Front(endpoints, cors_of_template()))
        self._threads: list[threading.Thread] = []

    def serve(self) -> None:
        """Answers requests from now on."""
        self._start("front", lambda: self._server.serve_forever(poll_interval=0.1))

    def deliver(self) -> None:
        """Carries everything that is on its way, before there are pumps that do."""
        while self._stream.pump() + sum(pump_queue(queue) for queue in read_queues()):
            pass

    def pump(self) -> None:
        """Has a thread for every reader from now on."""
        for reader in self._stream.readers:
            self._start_pump(reader.function.job, reader.pump, aws.TABLES_CHANGED, None)
        for queue in read_queues():
            self._start_pump(queue, _of_queue(queue), aws.QUEUES_CHANGED, LOOK_AGAIN_SECONDS)
        self._start_pump("schedules", self._schedules.run_due, Bell(), LOOK_AGAIN_SECONDS)

    def stop(self) -> None:
        """Ends the threads; what they were about to do is lost, like everything in memory."""
        self._stop.set()
        for bell in (aws.TABLES_CHANGED, aws.QUEUES_CHANGED):
            bell.ring()
        self._server.shutdown()
        self._server.server_close()
        for thread in self._threads:
            thread.join(timeout=2)

    def _start_pump(self, name: str, pump: Pump, bell: Bell, seconds: float | None) -> None:
        self._start(name, lambda: self._pump_for_ever(name, pump, bell, seconds))

    def _start(self, name: str, work: Callable[[], None]) -> None:
        def work_apart() -> None:
            with functions.apart():
                work()

        thread = threading.Thread(target=work_apart, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _pump_for_ever(self, name: str, pump: Pump, bell: Bell, seconds: float | None) -> None:
        while not self._stop.is_set():
            heard = bell.rings
            try:
                moved = pump()
            except Exception as error:
                say_failure(name, error)
                self._stop.wait(RETRY_SECONDS)
                continue
            if not moved:
                bell.wait(heard, seconds)

    def _pause(self, failures: int) -> None:
        self._stop.wait(min(0.1 * 2**failures, RETRY_SECONDS))


def _of_queue(queue: str) -> Pump:
    return lambda: pump_queue(queue, RETRY_SECONDS)


def _allow(host: str) -> None:
    """Lets the service reach this very server, beside what the developer allows."""
    allowed = os.environ.get("FEED_ALLOW_HOSTS", "")
    if host not in allowed.split(","):
        os.environ["FEED_ALLOW_HOSTS"] = f"{allowed},{host}".strip(",")
