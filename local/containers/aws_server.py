"""AWS as containers reach it: this process's moto over HTTP, under the same lock and bells."""

from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIEnvironment

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.wrappers import Response

from local import aws


class AwsServer:
    """The WSGI application."""

    def __init__(self) -> None:
        """Serves what this process's clients see too."""
        self._moto = DomainDispatcherApplication(create_backend_app)

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        """One request, while no other is at work."""
        with aws.LOCK:
            answer = Response.from_app(self._moto, environ, buffered=True)
        aws.announce(environ.get("HTTP_X_AMZ_TARGET", ""))
        return answer(environ, start)
