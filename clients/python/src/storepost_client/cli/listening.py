"""`storepost listen`: receives write-backs or events on this machine."""

import argparse
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import UUID

import httpx

from storepost_client.cli.settings import ArgumentError
from storepost_client.client import Storepost
from storepost_client.generated.models import NewWebhookEndpoint, NewWriteBack
from storepost_client.problems import ProblemError
from storepost_client.webhooks import WebhookVerificationError, verify_webhook

HOST = "127.0.0.1"
_LARGEST_BODY = 1_000_000
_SENT_ON = ("content-type", "webhook-id", "webhook-timestamp", "webhook-signature")
_SECRET = "STOREPOST_WEBHOOK_SECRET"  # noqa: S105 - the variable's name


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Adds the options of `listen`."""
    command.description = (
        "Receives write-backs at an address of this machine, shows them and checks who signed them."
        " The store's address is set to it, its secret is rotated, and the address that it had"
        " before is set again at the end. With --events it receives events of the workspace: a"
        " webhook endpoint is made for them, and deleted at the end."
        f" With the secret in {_SECRET} nothing is changed at the service. The service must run on"
        " this machine: no other one sends here."
    )
    command.add_argument(
        "--events", metavar="TYPES",
        help="events instead of write-backs: types or groups by commas, such as"
        " 'order.*,consent.changed', or '*' for all",
    )  # fmt: skip
    command.add_argument(
        "--forward", metavar="URL",
        help="post what is verified on to this address, and answer what it answers",
    )  # fmt: skip
    command.add_argument(
        "--store", metavar="ID", type=UUID, help="the store; the local run's unless given"
    )
    command.add_argument("--port", type=int, default=0, help="any free one unless given")
    command.add_argument("--count", type=int, help="end after so many")
    command.add_argument("--json", action="store_true", help="a line of JSON each")


def run(client: Storepost, options: argparse.Namespace, store_id: str | UUID | None) -> int:
    """Listens until Ctrl-C, or until `--count` messages have arrived."""
    ended = threading.Event()
    # However the process ends, the store gets its earlier write-back URL back.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with _server(options, ended) as server:
        path = "events" if options.events else "write-backs"
        url = f"http://{HOST}:{server.server_port}/{path}"
        secret = os.environ.get(_SECRET)
        if secret:
            _listen(server, secret, url, ended)
        elif options.events:
            with _endpoint_here(client, url, options.events.split(",")) as made:
                _listen(server, made, url, ended)
        elif store_id:
            with _store_here(client, UUID(str(store_id)), url) as rotated:
                _listen(server, rotated, url, ended)
        else:
            print(f"Name a store with --store, events, or set {_SECRET}.", file=sys.stderr)
            return 2
    return 0


class _Server(ThreadingHTTPServer):
    """Holds the handler's state; without a secret it answers 503, so that the sender retries."""

    daemon_threads = True
    secret: str | None = None

    def __init__(self, options: argparse.Namespace, ended: threading.Event) -> None:
        super().__init__((HOST, options.port), _Handler)
        self.as_json: bool = options.json
        self.forward: str | None = options.forward
        self._left: int | None = options.count
        self._ended = ended
        self.one_by_one = threading.Lock()
        """Held while a message is answered and shown, so that the output has the answers' order."""

    def show(self, message: dict[str, Any] | None, why: str, message_id: str) -> None:
        """Prints a message, and counts it."""
        print(_line(message, why, message_id, as_json=self.as_json), flush=True)
        if self._left is not None:
            self._left -= 1
            if self._left <= 0:
                self._ended.set()


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 10

    def do_POST(self) -> None:
        """Receives a message: answers 204, or as the address that it is forwarded to; 401 if it
        isn't the service's.
        """
        length = self.headers.get("content-length", "")
        if not length.isdigit() or int(length) > _LARGEST_BODY:
            return self._answer(413)
        body = self.rfile.read(int(length))
        if self.server.secret is None:
            return self._answer(503)
        with self.server.one_by_one:
            return self._take(self.server.secret, body)

    def _take(self, secret: str, body: bytes) -> None:
        message_id = self.headers.get("webhook-id", "")
        try:
            message = verify_webhook(secret, dict(self.headers.items()), body)
        except WebhookVerificationError as error:
            self._answer(401)
            return self.server.show(None, str(error), message_id)
        status = self._forwarded(body)
        self._answer(status)
        return self.server.show(message, "" if status < 300 else _refused(status), message_id)

    def _forwarded(self, body: bytes) -> int:
        """Forwards a message; returns the answer's status: 502 if none, 204 without an address."""
        if self.server.forward is None:
            return 204
        sent = {name: self.headers[name] for name in _SENT_ON if name in self.headers}
        try:
            return httpx.post(self.server.forward, content=body, headers=sent).status_code
        except httpx.HTTPError:
            return 502

    def _answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Logs nothing: `show` prints each message."""


@contextmanager
def _server(options: argparse.Namespace, ended: threading.Event) -> Iterator[_Server]:
    try:
        bound = _Server(options, ended)
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it must be 0 to 65535"
        raise ArgumentError(f"--port {options.port} can't be used: {reason}") from None
    with bound as server:
        serving = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        serving.start()
        try:
            yield server
        finally:
            server.shutdown()
            serving.join()


@contextmanager
def _store_here(client: Storepost, store_id: UUID, url: str) -> Iterator[str]:
    """Has the store's write-backs sent to the address during the block; yields their secret."""
    before = _address(client, store_id)
    if before:
        secret = client.stores.rotate_write_back(store_id).secret
        client.stores.put_write_back(store_id, body=NewWriteBack(url))
    else:
        secret = client.stores.put_write_back(store_id, body=NewWriteBack(url)).secret
    try:
        yield str(secret)
    finally:
        if before:
            client.stores.put_write_back(store_id, body=NewWriteBack(before))
        else:
            client.stores.delete_write_back(store_id)


@contextmanager
def _endpoint_here(client: Storepost, url: str, events: list[str]) -> Iterator[str]:
    """Has events sent to the address during the block; yields the secret that signs them."""
    body = NewWebhookEndpoint(url=url, events=events, description="storepost listen")
    made = client.webhook_endpoints.create(body=body)
    try:
        yield made.secret
    finally:
        client.webhook_endpoints.delete(made.endpoint.id)


def _address(client: Storepost, store_id: UUID) -> str | None:
    try:
        return client.stores.get_write_back(store_id).url
    except ProblemError as problem:
        if problem.status == 404:
            return None
        raise


def _listen(server: _Server, secret: str, url: str, ended: threading.Event) -> None:
    server.secret = secret
    print(f"Listening at {url} (Ctrl-C ends it)", file=sys.stderr, flush=True)
    try:
        ended.wait()
    except KeyboardInterrupt:
        print(file=sys.stderr)


def _line(message: dict[str, Any] | None, why: str, message_id: str, *, as_json: bool) -> str:
    if as_json:
        shown: dict[str, Any] = {"verified": message is not None, "webhookId": message_id}
        shown |= {"problem": why} if why else {}
        return json.dumps({**shown, **({"body": message} if message is not None else {})})
    if message is None:
        return f"NOT VERIFIED  {why}"
    data = message.get("data", {})
    if "customers" not in data:
        fields = [message.get("type"), data.get("id"), *([why] if why else [])]
        return "  ".join(["verified", *map(str, fields)])
    customers = ", ".join(c["externalId"] for c in data["customers"])
    fields = [message.get("type"), data.get("channel"), data.get("state"), data.get("address")]
    shown_of = ["verified", *map(str, fields), f"customers: {customers}", *([why] if why else [])]
    return "  ".join(shown_of)


def _refused(status: int) -> str:
    return f"forwarded: answered with {status}"
