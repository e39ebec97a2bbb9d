"""Problem details (RFC 9457): what an operation answers when it can't do what was requested.

    Problem
    ├── MalformedRequest      400
    ├── Unauthenticated       401
    ├── Forbidden             403
    ├── NotFound              404
    ├── MethodNotAllowed      405
    ├── Conflict              409
    ├── Gone                  410
    ├── PreconditionFailed    412
    ├── PayloadTooLarge       413
    ├── UnsupportedMediaType  415
    ├── ValidationFailed      422
    ├── TooManyRequests       429
    ├── Internal              500
    └── Busy                  503

A kind is a status. A slice states its own rules as subclasses of a kind, each with a `code` to
branch on, a `title` that says what happened and a `remedy` that says what helps.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

MAX_ERRORS = 50
"""A problem names so many errors of a request, the first ones; nobody reads more."""


@dataclass(frozen=True)
class FieldError:
    """One field's problem: a JSON Pointer for bodies, else `query.page`, `path.id`, `header.…`."""

    path: str
    message: str


class Problem(Exception):  # noqa: N818 - the standard's word
    """A failure that is reported to the caller; raised anywhere, rendered in one place."""

    status: ClassVar[int]
    kind: ClassVar[str]
    code: ClassVar[str]
    title: ClassVar[str]
    remedy: ClassVar[str]

    def __init__(
        self,
        detail: str | None = None,
        *,
        errors: Iterable[FieldError] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Takes a `detail` for people; without one they get the remedy.

        Of the errors the first 50 are taken; what would make more isn't asked for them.
        """
        super().__init__(self.code)
        self.detail = detail or self.remedy
        self.errors = tuple(islice(errors, MAX_ERRORS))
        self.headers = dict(headers or {})

    def document(self, base_url: str) -> dict[str, object]:
        """Returns the problem as RFC 9457 writes it, its `type` under the service's own pages."""
        body: dict[str, object] = {
            "type": f"{base_url}/problems/{self.kind}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
        }
        if self.errors:
            body["errors"] = [{"path": e.path, "message": e.message} for e in self.errors]
        return body


class MalformedRequest(Problem):
    """The request can't be read at all."""

    status = 400
    kind = code = "malformed_request"
    title = "The request can't be read"
    remedy = "Send a body that is JSON in UTF-8."


class Unauthenticated(Problem):
    """The request has no token, or one that isn't valid any more."""

    status = 401
    kind = code = "unauthenticated"
    title = "No valid credentials"
    remedy = "Send `Authorization: Bearer <token>` with an active API key or session token."

    def __init__(self) -> None:
        """Adds the challenge that RFC 6750 asks for beside the status."""
        super().__init__(headers={"WWW-Authenticate": "Bearer"})


class Forbidden(Problem):
    """The caller is known and may not do this."""

    status = 403
    kind = code = "forbidden"
    title = "Not allowed"
    remedy = "Ask somebody whose role allows this, or use a key whose scope does."


class NotFound(Problem):
    """There is no such thing, or it belongs to another workspace."""

    status = 404
    kind = code = "not_found"
    title = "Not found"
    remedy = (
        "Check the path and the ids in it. What belongs to another workspace is answered "
        "like this too."
    )

    @classmethod
    def of(cls, kind: str) -> "NotFound":
        """Returns the problem of an id in the path; `kind` is what it names, such as `store`.

        It says nothing else of what belongs to another workspace.
        """
        return cls(f"No {kind} with this id exists in this workspace.")


class MethodNotAllowed(Problem):
    """The path exists, the method doesn't."""

    status = 405
    kind = code = "method_not_allowed"
    title = "Method not allowed"
    remedy = "Use one of the methods that the `Allow` header names."


class Conflict(Problem):
    """Another change of the same thing, made at the same time, came first."""

    status = 409
    kind = code = "conflict"
    title = "Another change came first"
    remedy = "Read the resource again and repeat the request."


class Gone(Problem):
    """It was there, and can't be used any more."""

    status = 410
    kind = code = "gone"
    title = "No longer usable"
    remedy = "Ask whoever sent it for a new one."


class PreconditionFailed(Problem):
    """The resource isn't what the request's `If-Match` names: it was changed since."""

    status = 412
    kind = code = "precondition_failed"
    title = "The resource has changed"
    remedy = "Read it again, and repeat the request with the new `ETag` in `If-Match`."


class PayloadTooLarge(Problem):
    """The body is over the operation's bound."""

    status = 413
    kind = code = "payload_too_large"
    title = "The body is too large"
    remedy = "Send at most 1 MB, or 5 MB where the operation takes a batch."


class UnsupportedMediaType(Problem):
    """The body isn't in the format that the operation reads."""

    status = 415
    kind = code = "unsupported_media_type"
    title = "Unsupported content type"
    remedy = "Send the body as `application/json`."


class ValidationFailed(Problem):
    """Something in the request breaks a stated rule."""

    status = 422
    kind = code = "validation"
    title = "The request isn't valid"
    remedy = "Fix the fields listed in `errors`."


class UnreadableContent(ValidationFailed):
    """What was sent, or what is at the address that was sent, isn't in a format that can be
    read.
    """

    code = "unreadable"
    title = "The content can't be read"
    remedy = "Send it, or serve it at the address, in a format that the operation reads."


class TooManyRequests(Problem):
    """A limit of the service is reached for now."""

    status = 429
    kind = code = "too_many_requests"
    title = "Too many requests"
    remedy = "Wait for as many seconds as `Retry-After` says."

    def __init__(self, detail: str | None = None, *, retry_after: int = 1) -> None:
        """Takes `retry_after` in seconds."""
        super().__init__(detail, headers={"Retry-After": str(max(1, retry_after))})


class Internal(Problem):
    """Something went wrong on the service's side."""

    status = 500
    kind = code = "internal"
    title = "Something went wrong here"
    remedy = "Repeat the request; an `idempotency-key` makes that safe."


class Busy(Problem):
    """The database was too busy for the whole time that the operation had."""

    status = 503
    kind = code = "busy"
    title = "Too busy just now"
    remedy = "Repeat the request after `Retry-After` seconds; an `idempotency-key` makes that safe."

    def __init__(self, detail: str | None = None, *, retry_after: int = 2) -> None:
        """Takes `retry_after` in seconds."""
        super().__init__(detail, headers={"Retry-After": str(max(1, retry_after))})


def kinds() -> tuple[type[Problem], ...]:
    """Returns the fourteen kinds, by status."""
    return tuple(sorted(Problem.__subclasses__(), key=lambda kind: kind.status))


def codes_of(kind: type[Problem]) -> Iterator[type[Problem]]:
    """Returns the kind itself and every code that a loaded package has under it."""
    yield kind
    for child in kind.__subclasses__():
        yield from codes_of(child)


HANDLED = "__handled_problems__"


def unknown_id(path: str, not_found: NotFound) -> ValidationFailed:
    """Returns the problem of an id that the body has at `path`, and that names nothing."""
    return ValidationFailed(errors=[FieldError(path, not_found.detail.removesuffix("."))])


def needed[T](value: T | None, problem: Problem) -> T:
    """Returns the value. Raises the problem where there is none."""
    if value is None:
        raise problem
    return value


def handles[F: Callable[..., object]](*problems: type[Problem]) -> Callable[[F], F]:
    """Says of a function that these problems end in it: no caller gets them."""

    def mark(function: F) -> F:
        setattr(function, HANDLED, frozenset(problems))
        return function

    return mark
