"""The pages and the actions of their buttons."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from werkzeug.exceptions import NotFound, UnprocessableEntity
from werkzeug.routing import Rule
from werkzeug.utils import redirect
from werkzeug.wrappers import Request, Response

from local import functions
from local.aws import client, mail, queue_arn
from local.aws.queue_contents import dead_letters_of, messages_in, send_again
from local.events import pumps
from local.events.schedules import Schedules
from local.pages import PAGES, PREFIX, rows
from local.pages.request_log import RequestLog
from local.pages.signatures import Signatures
from local.pages.webhooks import endpoint_views
from local.pages.write_backs import write_back_views
from local.pretend_endpoint import PretendEndpoint
from local.pretend_store import PretendStore
from local.template import QUEUE, resources
from storepost.values import clock

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self';"
    " img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
UNITS = {"minutes": 60, "hours": 60 * 60, "days": 24 * 60 * 60}
MAX_AMOUNT = 3650
_STATIC = {"style.css": "text/css", "live.js": "text/javascript"}
_LATEST = 5
_SHOWN = 50

type Depths = Callable[[], dict[str, dict[str, int]]]


@dataclass(frozen=True)
class Sources:
    """The data that the pages show, and the functions that their buttons call."""

    store: PretendStore
    endpoint: PretendEndpoint
    schedules: Schedules
    requests: RequestLog
    depths: Depths
    """Returns each queue's number of messages."""
    advance: Callable[[float], Any]
    """Moves the service's time forward by seconds."""


class Pages:
    """The pages about the local run's state."""

    def __init__(self, sources: Sources) -> None:
        """`sources` is what they show."""
        self._sources = sources
        self._signatures = Signatures()
        self._ran: dict[str, str] = {}
        self._lock = threading.Lock()
        self._templates = Environment(
            loader=PackageLoader("local.pages"),
            autoescape=select_autoescape(),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters |= {"moment": clock.to_text, "pretty": pretty}

    def rules(self) -> list[Rule]:
        """The pages' URL rules."""
        shown = {
            f"{PREFIX}/": self.overview,
            f"{PAGES}/emails": self.emails,
            f"{PAGES}/write-backs": self.write_backs,
            f"{PAGES}/webhooks": self.webhooks,
            f"{PAGES}/queues": self.queues,
            f"{PAGES}/queues/<name>": self.queue,
            f"{PAGES}/rows": self.kinds,
            f"{PAGES}/rows/<kind>": self.rows,
            f"{PAGES}/clock": self.clock,
            f"{PAGES}/requests": self.requests,
            f"{PAGES}/static/<name>": self.static,
        }
        done = {
            f"{PAGES}/queues/<name>/dead-letters": self.send_all_again,
            f"{PAGES}/queues/<name>/dead-letters/<message>": self.send_one_again,
            f"{PAGES}/clock": self.advance,
            f"{PAGES}/schedules/<name>": self.run_schedule,
        }
        return [
            *(Rule(path, methods=["GET"], endpoint=page) for path, page in shown.items()),
            *(Rule(path, methods=["POST"], endpoint=action) for path, action in done.items()),
        ]

    def overview(self, _request: Request) -> Response:
        """Shows the newest records of every kind."""
        return self._page(
            "overview",
            emails=mail.sent_emails()[::-1][:_LATEST],
            write_backs=self._received()[:_LATEST],
            queues=self._sources.depths(),
            requests=self._sources.requests.newest()[:_LATEST],
        )

    def emails(self, _request: Request) -> Response:
        """Every email, newest first."""
        return self._page("emails", emails=mail.sent_emails()[::-1])

    def write_backs(self, _request: Request) -> Response:
        """Shows the newest write-backs with their attempts, and those that the pretend store
        received, with the result of the signature check.
        """
        return self._page("write_backs", told=write_back_views(), write_backs=self._received())

    def webhooks(self, _request: Request) -> Response:
        """Shows webhook endpoints with their newest deliveries, and the pretend one's messages."""
        received = self._sources.endpoint.received()[::-1][:_SHOWN]
        return self._page("webhooks", endpoints=endpoint_views(), received=received)

    def queues(self, _request: Request) -> Response:
        """Shows each queue's number of messages."""
        return self._page("queues", queues=self._sources.depths())

    def queue(self, _request: Request, name: str) -> Response:
        """Shows a queue's messages and its dead letters."""
        dead = self._dead_letters(name)
        reader = pumps.reader_of(name).job
        return self._page(
            "queue", name=name, reader=reader, waiting=messages_in(name), dead=messages_in(dead)
        )

    def send_all_again(self, _request: Request, name: str) -> Response:
        """Has SQS send the queue's dead letters back to it."""
        dead = self._dead_letters(name)
        client("sqs").start_message_move_task(
            SourceArn=queue_arn(dead), DestinationArn=queue_arn(name)
        )
        return redirect(f"{PAGES}/queues/{name}", 303)

    def send_one_again(self, _request: Request, name: str, message: str) -> Response:
        """Sends one dead letter back to its queue; does nothing if it is no longer there."""
        self._dead_letters(name)
        send_again(name, message)
        return redirect(f"{PAGES}/queues/{name}", 303)

    def kinds(self, _request: Request) -> Response:
        """The kinds of rows, with how many there are."""
        return self._page("kinds", kinds=rows.kinds())

    def rows(self, request: Request, kind: str) -> Response:
        """The first rows of a kind, by the beginning of their partition key."""
        beginning = request.args.get("pk", "")
        found = rows.rows_of(kind, beginning)
        return self._page("rows", kind=kind, beginning=beginning, rows=found, most=rows.MAX_SHOWN)

    def clock(self, _request: Request) -> Response:
        """Shows the service's time and its schedules."""
        return self._page(
            "clock",
            offset=clock.offset(),
            schedules=self._sources.schedules.listed(),
            ran=dict(self._ran),
            units=UNITS,
            can_move=functions.are_here(),
        )

    def advance(self, request: Request) -> Response:
        """Moves the service's time forward."""
        amount, unit = request.form.get("amount", ""), request.form.get("unit", "")
        if not (amount.isdecimal() and 0 < int(amount) <= MAX_AMOUNT and unit in UNITS):
            raise UnprocessableEntity(
                f"Choose how far: a whole number from 1 to {MAX_AMOUNT}, of minutes, hours or days."
            )
        self._sources.advance(int(amount) * UNITS[unit])
        return redirect(f"{PAGES}/clock", 303)

    def run_schedule(self, _request: Request, name: str) -> Response:
        """Runs a schedule now; the page then shows what it answered."""
        try:
            result = json.dumps(pumps.run_schedule(name))
        except LookupError:
            raise NotFound("No scheduled function has this name.") from None
        except Exception as error:
            result = f"failed: {type(error).__qualname__}"
        with self._lock:
            self._ran[name] = f"{result} at {clock.to_text(clock.now())}"
        return redirect(f"{PAGES}/clock", 303)

    def requests(self, _request: Request) -> Response:
        """Shows the last requests to the API, with the problems in their answers."""
        return self._page("requests", requests=self._sources.requests.newest())

    def static(self, _request: Request, name: str) -> Response:
        """Returns the pages' style or script."""
        if name not in _STATIC:
            raise NotFound("There is no such file.")
        loader = self._templates.loader
        assert loader is not None  # noqa: S101 - it was given above
        source, _, _ = loader.get_source(self._templates, name)
        return Response(source, mimetype=_STATIC[name])

    def _received(self) -> list[tuple[Any, str]]:
        """Returns the write-backs with the results of their signature checks, newest first."""
        received = self._sources.store.received()
        return [
            (each, self._signatures.check(number, each)) for number, each in enumerate(received)
        ][::-1]

    def _dead_letters(self, queue: str) -> str:
        dead = dead_letters_of(queue) if queue in resources(QUEUE) else None
        if dead is None:
            raise NotFound("No queue with dead letters has this name.")
        return dead

    def _page(self, template: str, **shown: Any) -> Response:  # noqa: ANN401 - what the page names
        text = self._templates.get_template(f"{template}.html").render(
            pages=PAGES, prefix=PREFIX, now=clock.to_text(clock.now()), here=template, **shown
        )
        response = Response(text, mimetype="text/html")
        response.headers["content-security-policy"] = POLICY
        response.headers["cache-control"] = "no-store"
        # Not `no-referrer`: a form's `Origin` would then be `null`, and the guard would refuse it.
        response.headers["referrer-policy"] = "same-origin"
        return response


def pretty(body: str) -> str:
    """Returns JSON indented; any other text unchanged."""
    try:
        return json.dumps(json.loads(body), indent=2, ensure_ascii=False)
    except ValueError:
        return body
