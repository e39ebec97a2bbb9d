"""A pretend webhook endpoint of an integrator, whose URL says how it answers.

`?answer=` is a status such as 503 or 410, `redirect`, or `hang`; 204 if it is omitted.
`&retryAfter=` is the value of the answer's `Retry-After`.
"""

import time

from werkzeug.exceptions import UnprocessableEntity
from werkzeug.wrappers import Request, Response

from local.pretend_store import PretendStore, Received

HANG_SECONDS = 11
"""Longer than an attempt's timeout."""
_STATUSES = range(200, 600)
_REDIRECT, _HANG = "redirect", "hang"


class PretendEndpoint:
    """Keeps all messages, even those that it refuses; it verifies nothing."""

    def __init__(self) -> None:
        """Begins without messages."""
        self._store = PretendStore()

    def answer(self, request: Request) -> Response:
        """Keeps a message, and answers as the URL says. Raises UnprocessableEntity."""
        behaviour = request.args.get("answer", "204")
        headers = {name.lower(): value for name, value in request.headers}
        self._store.receive(headers, request.get_data().decode(errors="replace"))
        if behaviour == _HANG:
            time.sleep(HANG_SECONDS)
        if behaviour == _REDIRECT:
            return Response(status=307, headers={"location": request.base_url})
        if behaviour != _HANG and not (behaviour.isdecimal() and int(behaviour) in _STATUSES):
            raise UnprocessableEntity("`answer` is a status from 200 on, `redirect` or `hang`.")
        response = Response(status=204 if behaviour == _HANG else int(behaviour))
        if "retryAfter" in request.args:
            response.headers["retry-after"] = request.args["retryAfter"]
        return response

    def received(self) -> list[Received]:
        """Returns all messages so far, oldest first."""
        return self._store.received()
