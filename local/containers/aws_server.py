"""Serves this process's moto to containers over HTTP, with the same lock and bells."""

from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIEnvironment

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.wrappers import Response

from local import aws


class AwsServer:
    """The WSGI application."""

    def __init__(self) -> None:
        """Serves the same data that this process's clients use."""
        self._moto = DomainDispatcherApplication(create_backend_app)

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        """Answers one request at a time."""
        with aws.LOCK:
            answer = Response.from_app(self._moto, environ, buffered=True)
        aws.announce(environ.get("HTTP_X_AMZ_TARGET", ""))
        return answer(environ, start)
