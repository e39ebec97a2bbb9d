"""Forwards requests to the API unchanged to SAM CLI's gateway, and returns its answers."""

from http.client import HTTPConnection

from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge
from werkzeug.wrappers import Request

from local.gateway import Answer, own_answer
from local.gateway.front import Api

ANSWER_SECONDS = 180
"""Long enough for a first request, which waits until its function's container is created."""

# Headers of a connection (RFC 9110, 7.6.1), and headers that each server sets itself.
_NOT_HANDED_ON = {
    "connection",
    "content-length",
    "date",
    "keep-alive",
    "server",
    "transfer-encoding",
}


def gateway_at(port: int) -> Api:
    """The API that is served at a port of this machine."""

    def answer(request: Request) -> Answer:
        try:
            body = request.get_data()
        except RequestEntityTooLarge:
            return own_answer(413, "Request Entity Too Large")
        except ClientDisconnected:
            return own_answer(400, "Bad Request")
        connection = HTTPConnection("127.0.0.1", port, timeout=ANSWER_SECONDS)
        try:
            headers = {name: value for name, value in request.headers if _is_handed_on(name)}
            connection.request(request.method, request.environ["RAW_URI"], body, headers)
            response = connection.getresponse()
            forwarded = {
                name: value for name, value in response.getheaders() if _is_handed_on(name)
            }
            return Answer(response.status, forwarded, response.read())
        finally:
            connection.close()

    return answer


def _is_handed_on(name: str) -> bool:
    return name.lower() not in _NOT_HANDED_ON
