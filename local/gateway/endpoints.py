"""`/_local/...`: endpoints for the developer beside the API, in the local run only."""

import json
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from werkzeug.exceptions import HTTPException, InternalServerError, NotFound, UnprocessableEntity
from werkzeug.exceptions import NotImplemented as CannotDo
from werkzeug.routing import Map, Rule
from werkzeug.wrappers import Request, Response

from local import functions
from local.aws import mail, queue_depth
from local.console import say_failure
from local.events import pumps
from local.events.schedules import Schedules
from local.pages import PREFIX
from local.pages.guard import Guard
from local.pages.request_log import RequestLog
from local.pages.site import Pages, Sources
from local.pretend_endpoint import PretendEndpoint
from local.pretend_store import PretendStore, Received
from local.shopify.web import PretendShopify
from local.template import QUEUE, resources
from storepost.values import clock

WRITE_BACK_PATH = f"{PREFIX}/store/write-backs"
WEBHOOK_PATH = f"{PREFIX}/webhook-endpoint"
SHOPIFY_PATH = f"{PREFIX}/shopify"
CATALOGUE_PATH = f"{PREFIX}/site/catalogue.xml"
LARGEST_ADVANCE_SECONDS = 10 * 365 * 24 * 60 * 60
"""Ten years: time never goes back, and dates end with the year 9999."""

CATALOGUE = Path(__file__).parent / "pages" / "catalogue.xml"
_FOR_FUNCTIONS = (WRITE_BACK_PATH, WEBHOOK_PATH, SHOPIFY_PATH, CATALOGUE_PATH)
"""Paths that functions in containers request, at another host name of this machine."""

type Json = dict[str, Any] | list[dict[str, Any]]


class Endpoints:
    """The endpoints, which show and change the local run's state."""

    def __init__(
        self,
        store: PretendStore,
        shopify: PretendShopify,
        schedules: Schedules,
        keep_clock: Callable[[timedelta], None],
        guard: Guard,
    ) -> None:
        """`store` receives the write-backs of the demo's custom store.

        `keep_clock` stores the clock's new offset before the clock is moved.
        `guard` decides which requests are answered.
        """
        self._guard = guard
        self.requests = RequestLog()
        self._store = store
        self._shopify = shopify
        self._schedules = schedules
        self._keep_clock = keep_clock
        self._endpoint = PretendEndpoint()
        pages = Pages(
            Sources(store, self._endpoint, schedules, self.requests, _depths, self._advance)
        )
        self._routes = Map(
            [
                *pages.rules(),
                self._route("GET", "/emails", self.emails),
                self._route("GET", "/emails/<email_id>", self.email),
                self._route("GET", "/write-backs", self.write_backs),
                self._route("POST", "/store/write-backs", self.receive_write_back),
                self._route("GET", "/webhooks", self.webhooks),
                self._route("POST", "/webhook-endpoint", self._endpoint.answer),
                self._route("GET", "/site/catalogue.xml", self.catalogue),
                Rule(f"{SHOPIFY_PATH}/<shop>/<path:path>", endpoint=self.shopify),
                self._route("GET", "/queues", self.queues),
                self._route("POST", "/schedules/<name>", self.run_schedule),
                self._route("POST", "/clock", self.advance_clock),
            ],
            strict_slashes=False,
        )

    def _route(self, method: str, path: str, endpoint: Callable[..., Response]) -> Rule:
        return Rule(PREFIX + path, methods=[method], endpoint=endpoint)

    def answer(self, request: Request) -> Response:
        """Answers a request whose path begins with `/_local`."""
        try:
            self._guard.check(request, for_functions=request.path.startswith(_FOR_FUNCTIONS))
            endpoint, values = self._routes.bind_to_environ(request.environ).match()
            response: Response = endpoint(request, **values)
        except HTTPException as error:
            body = _json({"message": error.description}, error.code or 500)
            for name, value in error.get_headers():
                if name.lower() == "allow":
                    body.headers[name] = value
            return body
        return response

    def emails(self, _request: Request) -> Response:
        """Every email, oldest first."""
        return _json(
            [
                {
                    "id": email.id,
                    "to": email.to,
                    "subject": email.subject,
                    "text": email.text,
                    "html": email.html,
                    "links": email.links,
                    "codes": email.codes,
                    "sentAt": clock.to_text(email.sent_at),
                    "tags": email.tags,
                    "events": email.events,
                }
                for email in mail.sent_emails()
            ]
        )

    def email(self, _request: Request, email_id: str) -> Response:
        """Returns an email as a mail client shows it: none of its scripts runs."""
        for email in mail.sent_emails():
            if email.id == email_id:
                response = Response(email.html, mimetype="text/html")
                response.headers["content-security-policy"] = "script-src 'none'"
                return response
        raise NotFound("No email has this id.")

    def catalogue(self, _request: Request) -> Response:
        """Returns the product feed of the pretend shop's web site."""
        return Response(CATALOGUE.read_text("utf-8"), mimetype="application/rss+xml")

    def write_backs(self, _request: Request) -> Response:
        """What the pretend store received, oldest first."""
        return _json(_shown(self._store.received()))

    def webhooks(self, _request: Request) -> Response:
        """What the pretend webhook endpoint received, oldest first."""
        return _json(_shown(self._endpoint.received()))

    def receive_write_back(self, request: Request) -> Response:
        """Receives a write-back for the pretend store."""
        headers = {name.lower(): value for name, value in request.headers}
        self._store.receive(headers, request.get_data().decode(errors="replace"))
        return Response(status=204)

    def shopify(self, request: Request, shop: str, path: str) -> Response:
        """Answers a request to a pretend shop."""
        return self._shopify.answer(request, shop, path)

    def queues(self, _request: Request) -> Response:
        """How many messages each queue holds."""
        return _json(_depths())

    def run_schedule(self, _request: Request, name: str) -> Response:
        """Runs a scheduled function now and returns its answer."""
        try:
            return _json({"name": name, "result": pumps.run_schedule(name)})
        except LookupError:
            raise NotFound("No scheduled function has this name.") from None
        except Exception as error:
            say_failure(name, error)
            raise InternalServerError(f"It failed: {type(error).__qualname__}.") from error

    def advance_clock(self, request: Request) -> Response:
        """Advances the service's clock and runs the schedules that became due."""
        return _json({"now": clock.to_text(self._advance(_advance_seconds(request)))})

    def _advance(self, seconds: float) -> datetime:
        """Advances the clock by so many seconds; returns the new time."""
        if not functions.are_here():
            raise CannotDo(
                "Containers keep the machine's time. Only `make run` can move the service's."
            )
        with functions.none_running():
            by = timedelta(seconds=seconds)
            self._keep_clock(clock.offset() + by)
            clock.advance(by)
            now = clock.now()
        self._schedules.run_due()
        return now


def _advance_seconds(request: Request) -> float:
    body = request.get_json(force=True, silent=True)
    seconds = body.get("advanceSeconds") if isinstance(body, dict) else None
    match seconds:
        case bool():
            pass
        case int() | float() if 0 <= seconds <= LARGEST_ADVANCE_SECONDS:
            return float(seconds)
    raise UnprocessableEntity(
        "advanceSeconds must be a number of seconds from 0 to ten years: time never goes back."
    )


def _depths() -> dict[str, dict[str, int]]:
    """Returns the number of messages waiting, in flight and in the dead-letter queue, by queue."""
    depths = {}
    for name, properties in resources(QUEUE).items():
        depths[name] = queue_depth(name)
        if "RedrivePolicy" in properties:
            target = properties["RedrivePolicy"]["deadLetterTargetArn"]["Fn::GetAtt"][0]
            depths[name]["deadLetters"] = queue_depth(target)["waiting"]
    return depths


def _shown(received: Iterable[Received]) -> list[dict[str, Any]]:
    return [
        {
            "receivedAt": clock.to_text(each.received_at),
            "headers": dict(each.headers),
            "body": each.body,
        }
        for each in received
    ]


def _json(content: Json, status: int = 200) -> Response:
    return Response(
        json.dumps(content, ensure_ascii=False), status=status, mimetype="application/json"
    )
