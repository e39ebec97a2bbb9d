"""Writes that happen once: an answer and its effect are committed in one transaction.

A retry with the same `idempotency-key` gets the first answer. 2xx, 404, 410 and 409 are kept,
except `conflict` and `idempotency_in_progress`; if an answer isn't kept, the key is released.
"""

from base64 import b64decode, b64encode
from collections.abc import Callable
from contextlib import suppress
from os import urandom
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Depends, Request, Response
from aws_lambda_powertools.event_handler.middlewares import NextMiddleware

from storepost.accounts.identity.model import Caller
from storepost.api.http.answers import as_sent
from storepost.api.http.callers import SAFE_METHODS
from storepost.api.http.deadline import DeadlineReached, grace
from storepost.api.http.deletions import is_repeated, note_deletion
from storepost.api.http.entity_tags import expect_match
from storepost.api.http.rendering import render, shape_of_body
from storepost.platform.persistence.changes import Changes, until_won
from storepost.platform.persistence.idempotency import (
    Answer,
    Claim,
    IdempotencyInProgress,
    LostClaim,
)
from storepost.platform.persistence.ledger import Ledger
from storepost.platform.persistence.sealing import Purpose, keyed_hash
from storepost.values.problems import Conflict, FieldError, NotFound, Problem, ValidationFailed
from storepost.values.wire import SecretAnswer, SecretRequest

KEY_LENGTH = 255
_LEASE_MARGIN = 1000
_NONCE = 12


class SealedAnswer(Conflict):
    """The kept answer holds a secret that was sealed for another token of the same caller."""

    code = "idempotency_secret_sealed"
    title = "The first answer belongs to another token"
    remedy = "Retry with the token of the first request, or use a new `idempotency-key`."


def unit_of_work(request: Request) -> Changes:
    """Returns the unit of work of this request."""
    changes: Changes = request.context["changes"]
    return changes


Writes = Annotated[Changes, Depends(unit_of_work)]
"""A route's parameter for its unit of work, which is committed together with its answer."""


def row_ledger(request: Request) -> Ledger:
    """Returns the ledger with the results of this request's rows."""
    ledger: Ledger = request.context["ledger"]
    return ledger


RowLedger = Annotated[Ledger, Depends(row_ledger)]
"""A parameter for a route with several transactions: a retry continues where a run ended."""


def once(app: APIGatewayHttpResolver, next_middleware: NextMiddleware) -> Response[Any]:
    """Claims the key, runs the route, and commits effect and answer, or releases the claim."""
    if app.current_event.http_method in SAFE_METHODS:
        return next_middleware(app)
    claim = _claim_of(app)
    if claim is None:
        return _run(app, next_middleware, None)
    stored = claim.acquire(app.lambda_context.get_remaining_time_in_millis() + _LEASE_MARGIN)
    return _replay(app, stored, claim) if stored else _run_claimed(app, next_middleware, claim)


def first_answer(app: APIGatewayHttpResolver) -> Response[Any] | None:
    """Returns the kept answer to a retry whose caller may no longer do what the first run did.

    A caller who transfers or leaves a workspace, or gives up a role, loses by that very request
    what the operation demands; the retry still gets the first answer.
    """
    if app.current_event.http_method in SAFE_METHODS:
        return None
    with suppress(ValidationFailed):  # the answer first says what the caller may not do
        claim = _claim_of(app)
        stored = claim.acquire(_LEASE_MARGIN) if claim else None
        if claim and stored:
            return _replay(app, stored, claim)
        if claim:
            claim.release()
    return None


def _run_claimed(
    app: APIGatewayHttpResolver, next_middleware: NextMiddleware, claim: Claim
) -> Response[Any]:
    app.context["ledger"].keep_under(claim.request_id)
    try:
        return _run(app, next_middleware, claim)
    except LostClaim:
        return _answer_of_the_winner(app, claim)
    except Problem as problem:
        return _refuse(app, claim, problem)
    except DeadlineReached:
        with grace():
            claim.release()
        raise
    except Exception:
        claim.release()
        raise


def _run(
    app: APIGatewayHttpResolver, next_middleware: NextMiddleware, claim: Claim | None
) -> Response[Any]:
    changes: Changes = app.context["changes"]

    def commit() -> Response[Any]:
        changes.clear()
        expect_match(app)
        response = as_sent(app, next_middleware(app))
        note_deletion(app, changes)
        _expect_role(app, changes)
        expect_match(app, changes)
        if claim:
            claim.complete(changes, _keep(app, response, claim))
        _commit(app, changes)
        return response

    try:
        return until_won(commit)
    except NotFound:
        if not is_repeated(app):
            raise
    return _answer_stored(app, Response(204), claim)


def _commit(app: APIGatewayHttpResolver, changes: Changes) -> None:
    """Commits; if a condition fails, it checks `If-Match` first, as another write came before."""
    try:
        changes.commit()
    except Problem:
        expect_match(app)
        raise


def _answer_stored(
    app: APIGatewayHttpResolver, response: Response[Any], claim: Claim | None
) -> Response[Any]:
    """Returns an answer without an effect, which is kept if the request has a key."""
    response = as_sent(app, response)
    changes: Changes = app.context["changes"]
    changes.clear()
    if claim:
        claim.complete(changes, _keep(app, response, claim))
        changes.commit()
    return response


def _expect_role(app: APIGatewayHttpResolver, changes: Changes) -> None:
    """Demands that the caller still has the operation's role at the commit of a write."""
    expect: Callable[[Changes], None] | None = app.context.get("expect_role")
    if expect and not changes.is_empty:
        expect(changes)


def _refuse(app: APIGatewayHttpResolver, claim: Claim, problem: Problem) -> Response[Any]:
    changes: Changes = app.context["changes"]
    changes.clear()
    response = render(app, problem)
    if not _is_stored(problem):
        claim.release()
        return response
    claim.complete(changes, _keep(app, response, claim))
    try:
        changes.commit()
    except LostClaim:
        return _answer_of_the_winner(app, claim)
    return response


def _is_stored(problem: Problem) -> bool:
    if problem.status == 409:
        return problem.code not in {Conflict.code, IdempotencyInProgress.code}
    return problem.status in {404, 410}


def _answer_of_the_winner(app: APIGatewayHttpResolver, claim: Claim) -> Response[Any]:
    """Answers what the next run answered, as this one outlived its lease and wrote nothing."""
    stored = claim.acquire(0)
    if stored is None:  # the winner's answer wasn't kept: this run ended without an effect, too
        claim.release()
        raise IdempotencyInProgress()
    return _replay(app, stored, claim)


def _claim_of(app: APIGatewayHttpResolver) -> Claim | None:
    event, caller = app.current_event, app.context.get("caller")
    key = event.headers.get("idempotency-key")
    if key is None or caller is None:
        return None
    if not 1 <= len(key) <= KEY_LENGTH:
        raise ValidationFailed(
            errors=[FieldError("header.idempotency-key", "Must have 1 to 255 characters")]
        )
    workspace = app.context.get("workspace")
    return Claim(
        {
            "caller": str(caller.id),
            "workspace": str(workspace.id) if workspace else "",
            "operation": app.context["_route"].operation_id,
            "key": key,
        },
        {
            "method": event.http_method,
            "path": event.path,
            "query": event.raw_query_string,
            "body": _content(app),
        },
    )


def _content(app: APIGatewayHttpResolver) -> str | None:
    """Returns the body to compare with a retry's; of one with a password a keyed hash.

    What is kept is hashed fast and without salt: by that anybody with the table could try out
    passwords.
    """
    body, shape = app.current_event.body or None, shape_of_body(app)
    if body is None or not (isinstance(shape, type) and issubclass(shape, SecretRequest)):
        return body
    return keyed_hash(body, Purpose.REQUEST_WITH_PASSWORD, "")


def _keep(app: APIGatewayHttpResolver, response: Response[Any], claim: Claim) -> Answer:
    """Returns the answer as stored: sealed under the caller's own token if it has a secret."""
    body = response.body
    answer: Answer = {
        "status": response.status_code,
        "headers": {k: v for k, v in response.headers.items() if k != "Content-Type"},
        "type": response.headers.get("Content-Type"),
        "body": body,
    }
    annotation = app.context["_route"].func.__annotations__.get("return")
    if response.status_code < 400 and SecretAnswer.is_behind(annotation):
        caller: Caller = app.context["caller"]
        answer |= {"body": _seal(str(body), caller.token, claim), "sealed": True}
    return answer


def _replay(app: APIGatewayHttpResolver, stored: Answer, claim: Claim) -> Response[Any]:
    body = stored["body"]
    if stored.get("sealed"):
        body = _unseal(body, app.context["caller"].token, claim)
    return Response(
        stored["status"],
        stored["type"],
        body,
        headers={**stored["headers"], "idempotency-replayed": "true"},
    )


def _seal(text: str, token: str, claim: Claim) -> str:
    """Seals a text for this claim under the caller's own token, which is stored nowhere.

    So the store alone can't open it, and one request's answer doesn't open as another's.
    """
    nonce = urandom(_NONCE)
    return b64encode(
        nonce + _cipher(token).encrypt(nonce, text.encode(), claim.id.encode())
    ).decode()


def _unseal(sealed: str, token: str, claim: Claim) -> str:
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - rarely needed

    box = b64decode(sealed)
    try:
        opened = _cipher(token).decrypt(box[:_NONCE], box[_NONCE:], claim.id.encode())
        return str(opened, "utf-8")
    except InvalidTag as error:
        raise SealedAnswer() from error


def _cipher(token: str) -> Any:  # noqa: ANN401 - imported only where an answer holds a secret
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: PLC0415

    kdf = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"storepost: a kept answer")
    return AESGCM(kdf.derive(token.encode()))
