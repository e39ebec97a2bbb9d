"""Who may call an operation, as types: a route that names none of them is open to everybody.

    Known         anybody with a token; no workspace is needed
    SignedIn      a signed-in person
    Reader        a key of scope `read` or more, or a member
    Proposer      a key of scope `propose` or more, or a member
    Writer        a key of scope `write`, or a member
    Admin         an owner or admin, or a `write` key whose maker is one now
    SignedInAdmin an owner or admin, no key
    Rotator       an owner or admin, or a `write` key where the path names that very key
    Member        a signed-in member, no key
    Owner         the owner, no key
    PathMember    a member of the workspace that the path names, which need not be the active one
    PathOwner     the owner of the workspace that the path names, which need not be the active one

Checked in this order: 401, `scope`, `sign_in_required`, `no_active_workspace`,
`two_factor_required`, `role` (docs/interface.md, section 1). If a role is required, the
transaction of the request's writes is conditioned on it, too. 429 `rate_limited` is answered as
soon as it is known for whose budget a request counts: after 401, and for a member's workspace after
`no_active_workspace`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any
from uuid import UUID

from aws_lambda_powertools.event_handler import Depends, Request

from storepost.accounts.identity.model import ApiKeyHolder, Caller, KeyScope, SignedInPerson
from storepost.accounts.identity.problems import ScopeTooSmall, SignInRequired
from storepost.accounts.identity.repository import (
    ApiKeyTokenItem,
    SessionItem,
    as_holder,
    as_session,
    find_person,
    find_token,
    touch_key,
    touch_session,
)
from storepost.accounts.identity.tokens import digest, is_well_formed
from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.accounts.workspaces.model import MANAGERS, Role
from storepost.accounts.workspaces.problems import (
    NoActiveWorkspace,
    RoleTooSmall,
    TwoFactorRequired,
)
from storepost.accounts.workspaces.repository import Standing, WorkspaceRepository, active_standing
from storepost.accounts.workspaces.roles import membership_of_maker
from storepost.api.http.budgets import spend_of_caller, spend_of_workspace
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.problems import Problem, Unauthenticated
from storepost.values.scope import PersonScope, WorkspaceScope

TOUCH_EVERY = timedelta(minutes=1)
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def authenticate(request: Request) -> Caller:
    """Returns the caller: one strongly consistent read for a key, two for a session."""
    known: Caller | None = request.context.get("caller")
    if known is None:
        known = _caller_of(_bearer(request))
        request.context["caller"] = known
        spend_of_caller(request.context, known)
    return known


def signed_in(request: Request) -> SignedInPerson:
    """Returns a person, not a key."""
    caller = authenticate(request)
    if isinstance(caller, ApiKeyHolder):
        raise _no_key(request, caller)
    return caller


def _no_key(request: Request, key: ApiKeyHolder) -> Problem:
    """Returns the problem of a key that may not call: `scope` comes first on a write."""
    if request.method.upper() in SAFE_METHODS or key.scope.covers(KeyScope.WRITE):
        return SignInRequired()
    return ScopeTooSmall("This operation needs the scope `write`, which only people have here.")


def _in_workspace(
    scope: KeyScope | None, roles: frozenset[Role] | None
) -> Callable[[Request], WorkspaceCaller]:
    """Returns the check of one caller type; without a scope it refuses keys."""

    def check(request: Request) -> WorkspaceCaller:
        caller = authenticate(request)
        if isinstance(caller, ApiKeyHolder):
            if scope is None:
                raise _no_key(request, caller)
            within = _key_in_workspace(caller, scope, roles)
        else:
            _name_workspace(request, caller)
            within = person_in_workspace(caller, request.context)
        request.context["workspace"] = within.workspace
        if roles is not None:
            request.context["expect_role"] = _expecting(within, roles)
        return within

    return check


def _expecting(within: WorkspaceCaller, roles: frozenset[Role]) -> Callable[[Changes], None]:
    """Returns the function that holds the caller's role until the changes are committed."""
    membership = within.membership
    if membership is None or membership.role not in roles:
        raise RoleTooSmall(roles)
    workspaces = WorkspaceRepository(within.workspace)
    return lambda changes: workspaces.expect_role(changes, membership, roles)


def _name_workspace(request: Request, caller: SignedInPerson) -> None:
    """Sets the workspace that idempotency uses, even if the caller has left it since."""
    if caller.session.workspace_id is not None:
        request.context["workspace"] = WorkspaceScope(caller.session.workspace_id)


def key_itself_or_admin(request: Request) -> WorkspaceCaller:
    """Returns an owner or admin, or a `write` key if the path names that key itself."""
    caller = authenticate(request)
    if not isinstance(caller, ApiKeyHolder):
        return _in_workspace(None, MANAGERS)(request)
    request.context["workspace"] = caller.workspace
    within = _key_in_workspace(caller, KeyScope.WRITE, None)
    if _path_id(request) != caller.key_id:
        raise SignInRequired()
    return within


def _path_id(request: Request) -> UUID | None:
    """Returns the path's id; None for no id, which the validation that follows reports."""
    try:
        return UUID(request.path_parameters["id"])
    except ValueError:
        return None


def _key_in_workspace(
    key: ApiKeyHolder, scope: KeyScope, roles: frozenset[Role] | None
) -> WorkspaceCaller:
    if not key.scope.is_known:  # a later release made it, and this one can't say what it may do
        raise Unauthenticated()
    if not key.scope.covers(scope):
        raise ScopeTooSmall(f"This operation needs a key of scope `{scope}`.")
    membership = None
    if roles is not None:
        membership = membership_of_maker(key)
    return WorkspaceCaller(key, key.workspace, membership)


def person_in_workspace(
    caller: SignedInPerson, context: dict[str, Any] | None = None
) -> WorkspaceCaller:
    """Returns the person in the session's active workspace, with two-factor if that demands it.

    A request, whose context is passed, counts for that workspace's budget.
    """
    standing = active_standing(caller)
    if standing is None:
        raise NoActiveWorkspace()
    if context is not None:
        spend_of_workspace(context, standing.workspace.scope)
    _admit(caller, standing)
    scope = standing.workspace.scope
    now, seen = clock.now(), standing.membership.last_active_at
    noted = seen is not None and now - seen < TOUCH_EVERY
    if not noted and not WorkspaceRepository(scope).touch_member(caller.person.id, now):
        raise NoActiveWorkspace()
    return WorkspaceCaller(caller, scope, standing.membership)


def _in_path_workspace(roles: frozenset[Role]) -> Callable[[Request], SignedInPerson]:
    """Returns the check that a person has one of the roles in the path's workspace."""

    def check(request: Request) -> SignedInPerson:
        caller = signed_in(request)
        workspace_id = _path_id(request)
        if workspace_id is None:
            return caller
        scope = WorkspaceScope(workspace_id)
        request.context["workspace"] = scope
        standing = WorkspaceRepository(scope).standing_of(caller.person.id)
        if standing:
            _admit(caller, standing)
            if standing.membership.role not in roles:
                raise RoleTooSmall(roles)
        return caller  # for another's workspace the service answers 404

    return check


def _admit(caller: SignedInPerson, standing: Standing) -> None:
    """Refuses a member without two-factor if the workspace demands it."""
    if standing.workspace.require_two_factor and not caller.person.has_two_factor:
        raise TwoFactorRequired()


def _bearer(request: Request) -> str:
    header = request.resolved_event.headers.get("authorization") or ""
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not is_well_formed(token.strip()):
        raise Unauthenticated()
    return str(token.strip())


def _caller_of(token: str) -> Caller:
    item = find_token(digest(token))
    if isinstance(item, ApiKeyTokenItem):
        return _key_caller(item, token)
    if isinstance(item, SessionItem):
        return _session_caller(item, token)
    raise Unauthenticated()


def _key_caller(item: ApiKeyTokenItem, token: str) -> ApiKeyHolder:
    now = clock.now()
    if item.ends_at is not None and now >= item.ends_at:
        raise Unauthenticated()
    if (item.used_at is None or now - item.used_at >= TOUCH_EVERY) and not touch_key(item, now):
        raise Unauthenticated()
    return as_holder(item, token)


def _session_caller(item: SessionItem, token: str) -> SignedInPerson:
    session, now = as_session(item), clock.now()
    person = None if session.is_over(now) else find_person(PersonScope(session.person_id))
    if person is None or not session.is_live(person, now):
        raise Unauthenticated()
    if now - session.last_active_at >= TOUCH_EVERY and not touch_session(session, now):
        raise Unauthenticated()
    return SignedInPerson(person, session, token)


@dataclass(frozen=True)
class MayCall:
    """What a caller type means to the API reference, beside the check that enforces it."""

    scope: KeyScope | None
    """The scope that a key needs; None if keys are refused."""
    people: str
    """Which of the signed-in people may call."""
    problems: tuple[type[Problem], ...]
    """The problems that the check may answer beside 401."""
    which_keys: str = ""
    """Which keys of that scope may call, if not all of them."""


_MEMBER = (NoActiveWorkspace, TwoFactorRequired)
_ADMINS = "an owner or admin who is signed in"

Known = Annotated[
    Caller, Depends(authenticate), MayCall(KeyScope.READ, "anybody who is signed in", ())
]
SignedIn = Annotated[
    SignedInPerson,
    Depends(signed_in),
    MayCall(None, "anybody who is signed in", (SignInRequired,)),
]
Reader = Annotated[
    WorkspaceCaller,
    Depends(_in_workspace(KeyScope.READ, None)),
    MayCall(KeyScope.READ, "a member who is signed in", _MEMBER),
]
Proposer = Annotated[
    WorkspaceCaller,
    Depends(_in_workspace(KeyScope.PROPOSE, None)),
    MayCall(KeyScope.PROPOSE, "a member who is signed in", (ScopeTooSmall, *_MEMBER)),
]
Writer = Annotated[
    WorkspaceCaller,
    Depends(_in_workspace(KeyScope.WRITE, None)),
    MayCall(KeyScope.WRITE, "a member who is signed in", (ScopeTooSmall, *_MEMBER)),
]
Admin = Annotated[
    WorkspaceCaller,
    Depends(_in_workspace(KeyScope.WRITE, MANAGERS)),
    MayCall(
        KeyScope.WRITE,
        _ADMINS,
        (ScopeTooSmall, *_MEMBER, RoleTooSmall),
        "whose maker is an owner or admin now",
    ),
]
SignedInAdmin = Annotated[
    WorkspaceCaller,
    Depends(_in_workspace(None, MANAGERS)),
    MayCall(None, _ADMINS, (SignInRequired, *_MEMBER, RoleTooSmall)),
]
Rotator = Annotated[
    WorkspaceCaller,
    Depends(key_itself_or_admin),
    MayCall(
        KeyScope.WRITE,
        _ADMINS,
        (ScopeTooSmall, SignInRequired, *_MEMBER, RoleTooSmall),
        "that names itself",
    ),
]
Member = Annotated[
    WorkspaceCaller,
    Depends(_in_workspace(None, None)),
    MayCall(None, "a member who is signed in", (SignInRequired, *_MEMBER)),
]
PathMember = Annotated[
    SignedInPerson,
    Depends(_in_path_workspace(frozenset(Role))),
    MayCall(None, "a member of the workspace, signed in", (SignInRequired, TwoFactorRequired)),
]
PathOwner = Annotated[
    SignedInPerson,
    Depends(_in_path_workspace(frozenset({Role.OWNER}))),
    MayCall(
        None,
        "the workspace's owner, signed in",
        (SignInRequired, TwoFactorRequired, RoleTooSmall),
    ),
]
Owner = Annotated[
    WorkspaceCaller,
    Depends(_in_workspace(None, frozenset({Role.OWNER}))),
    MayCall(None, "the workspace's owner, signed in", (SignInRequired, *_MEMBER, RoleTooSmall)),
]
