"""The HTTP front: passes requests over real sockets to the API's functions or to `/_local`."""

import socket
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from werkzeug.exceptions import ClientDisconnected, Forbidden, RequestEntityTooLarge
from werkzeug.http import HTTP_STATUS_CODES
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server
from werkzeug.wrappers import Request

from local import functions
from local.console import say_failure
from local.functions import REQUEST_BYTES
from local.gateway import Answer, function_for, http_event, own_answer, serve
from local.gateway.cors import Cors
from local.gateway.endpoints import Endpoints
from local.pages import PREFIX
from local.pages.guard import Guard

HOST = "127.0.0.1"

type Api = Callable[[Request], Answer]
"""Answers a request to the API."""


class _Quiet(WSGIRequestHandler):
    """Doesn't log requests, as a path can hold a token."""

    protocol_version = "HTTP/1.1"

    def log(self, type: str, message: str, *args: object) -> None:
        """Logs nothing: the front itself prints failures."""


class Front:
    """The WSGI application."""

    def __init__(self, endpoints: Endpoints, api: Api, guard: Guard) -> None:
        """`api` answers all requests outside `/_local` that `guard` admits."""
        self._endpoints = endpoints
        self._api = api
        self._guard = guard

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        """Answers one request, in a thread of its own."""
        with functions.apart():
            return self._answer(environ, start)

    def _answer(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        request = Request(environ)
        request.max_content_length = REQUEST_BYTES
        try:
            if request.path == PREFIX or request.path.startswith(PREFIX + "/"):
                return self._endpoints.answer(request)(environ, start)
            self._guard.check_api(request)
            answer = self._logged(request)
        except Forbidden as refusal:
            answer = own_answer(403, str(refusal.description))
        except Exception as error:
            say_failure("front", error)
            answer = own_answer(500, "Internal Server Error")
        return _sent(answer, request.method, start)

    def _logged(self, request: Request) -> Answer:
        """Returns the API's answer, and adds it to the request log that the developer sees."""
        began = perf_counter()
        answer = self._api(request)
        line = (request.method, request.path, request.query_string.decode(errors="replace"))
        self._endpoints.requests.note(
            line,
            function_for(request.path).job,
            answer.status,
            answer.headers,
            answer.body,
            perf_counter() - began,
        )
        return answer


def application(api: Api) -> WSGIApplication:
    """The API alone as a WSGI application."""

    def answer(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        request = Request(environ)
        return _sent(api(request), request.method, start)

    return answer


def gateway_in_process(cors: Cors) -> Api:
    """Returns the API of this process's own gateway; `cors` is the template's CORS setting."""

    def answer(request: Request) -> Answer:
        headers = {name.lower(): value for name, value in request.headers}
        preflight = cors.preflight(request.method, headers)
        if preflight:
            return preflight
        try:
            answer = serve(_event(request, headers))
        except RequestEntityTooLarge:
            answer = own_answer(413, "Request Entity Too Large")
        except ClientDisconnected:
            answer = own_answer(400, "Bad Request")
        return cors.with_cors(headers.get("origin"), answer)

    return answer


def _event(request: Request, headers: dict[str, str]) -> dict[str, Any]:
    environ = request.environ
    path, _, query = environ["RAW_URI"].partition("?")
    forwarded = {
        "x-forwarded-for": environ["REMOTE_ADDR"],
        "x-forwarded-port": environ["SERVER_PORT"],
        "x-forwarded-proto": "http",
    }
    return http_event(
        request.method,
        path,
        query=query,
        headers={**headers, **forwarded},
        body=request.get_data(),
        source_ip=environ["REMOTE_ADDR"],
        domain=request.host,
    )


def _sent(answer: Answer, method: str, start: StartResponse) -> list[bytes]:
    headers = list(answer.headers.items())
    if answer.status != 204:
        headers.append(("content-length", str(len(answer.body))))
    start(f"{answer.status} {HTTP_STATUS_CODES.get(answer.status, 'Unknown')}", headers)
    return [] if method == "HEAD" else [answer.body]


def server_on(listening: socket.socket, application: WSGIApplication) -> BaseWSGIServer:
    """Returns a server that handles each request in a thread of its own."""
    host, port = listening.getsockname()
    return make_server(
        host,
        port,
        application,
        threaded=True,
        request_handler=_Quiet,
        fd=listening.fileno(),
    )
