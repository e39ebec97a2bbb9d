"""Who may call which operation, and what all others are told (docs/interface.md, section 1)."""

from typing import Any, NamedTuple

import pytest

from storepost.accounts.identity.model import KeyScope
from storepost.accounts.identity.problems import ScopeTooSmall, SignInRequired
from storepost.accounts.workspaces.model import Role
from storepost.accounts.workspaces.problems import RoleTooSmall
from storepost.values.problems import Unauthenticated
from storepost.values.scope import WorkspaceScope
from tests.harness.answers import operations
from tests.harness.world import BASE_URL, Someone, World


class Caller(NamedTuple):
    """The demands on a caller."""

    scope: KeyScope | None
    """What a key needs at least; None if keys are refused."""
    roles: frozenset[Role] | None
    """What a person needs in the workspace, and the maker of a key, if one may call."""
    in_workspace: bool = True
    """Whether a person needs an active workspace."""


EVERYBODY = frozenset(Role)
MANAGERS = frozenset({Role.OWNER, Role.ADMIN})
OWNER = frozenset({Role.OWNER})
CALLERS = {
    Caller(KeyScope.READ, None, in_workspace=False): "me.get workspaces.availableSlug",
    Caller(None, None, in_workspace=False): """
        auth.signOut connectLinks.get connectLinks.connect invitations.accept invitations.decline
        me.update me.delete me.changeEmail me.confirmEmail me.changePassword me.startTwoFactorApp
        me.confirmTwoFactorApp me.disableTwoFactorApp me.replaceBackupCodes me.startTwoFactorEmail
        me.confirmTwoFactorEmail me.disableTwoFactorEmail me.forgetTrustedBrowsers me.getWorkspace
        me.putWorkspace sessions.list sessions.deleteOthers sessions.delete workspaces.create
        workspaces.get""",
    Caller(KeyScope.READ, EVERYBODY): """
        changeProposals.list changeProposals.get connections.list connections.get
        consent.getSettings consent.getEmail consent.getSms consent.getChange consent.listChanges
        couponCodes.get coupons.list coupons.get coupons.listCodes customers.getByQuery
        customers.get definitionSchemas.list definitionSchemas.get definitions.list definitions.get
        definitions.listVersions definitions.getVersion feeds.list feeds.get feeds.listImports
        feeds.getImport feeds.listSkippedRows invitations.list invitations.get locales.list
        locales.get members.list members.get optInRequests.list orders.list orders.get
        orders.getOfStoreByQuery orders.getOfStore productPriority.get productPriorityChanges.get
        productPriorityChanges.list productPriorityChanges.listProducts products.list products.get
        products.getSales products.getSources products.listVariants products.getOfStoreByQuery
        products.getOfStore profiles.list profiles.get profiles.listCustomers profiles.listEvents
        profiles.listIdentities profiles.listMerges profiles.getReachability reachability.check
        search.get stores.list stores.get stores.listImports stores.getImport
        stores.listImportProblems stores.listLocales suppressions.list suppressions.check
        suppressions.get webhookEventTypes.list writeBacks.list""",
    Caller(KeyScope.PROPOSE, EVERYBODY): "changeProposals.create changeProposals.withdraw",
    Caller(KeyScope.WRITE, EVERYBODY): """
        changeProposals.approve changeProposals.reject consent.import consent.putEmail
        consent.putSms consent.retryWriteBack couponCodes.delete couponCodes.retry coupons.create
        coupons.import coupons.checkImport coupons.update coupons.archive coupons.assign
        coupons.createCodes coupons.end customers.putByQuery customers.deleteByQuery customers.put
        customers.delete events.create events.createBulk feeds.create feeds.check feeds.preview
        feeds.update feeds.delete feeds.createImport locales.create locales.update locales.delete
        optInRequests.create orders.putByQuery orders.deleteByQuery orders.put orders.delete
        productPriorityChanges.create productPriorityChanges.delete productPriorityChanges.apply
        productPriorityChanges.refresh products.putByQuery products.deleteByQuery products.put
        products.delete profiles.upsert profiles.update profiles.deleteIdentity profiles.merge
        stores.create stores.update stores.createBatch stores.createImport stores.putLocales
        suppressions.create suppressions.import suppressions.delete unsubscribeLinks.create
        writeBacks.retry""",
    Caller(KeyScope.WRITE, MANAGERS): """
        consent.listEvidence invitations.create invitations.delete invitations.resend
        members.updateRole members.delete profiles.delete profiles.export stores.disconnect
        stores.getWriteBack stores.putWriteBack stores.deleteWriteBack stores.rotateWriteBack
        webhookEndpoints.list webhookEndpoints.create webhookEndpoints.get webhookEndpoints.update
        webhookEndpoints.delete webhookEndpoints.listDeliveries webhookEndpoints.getDelivery
        webhookEndpoints.retryDelivery webhookEndpoints.replay webhookEndpoints.rotateSecret
        webhookEndpoints.test""",
    Caller(None, EVERYBODY): "members.leave",
    Caller(None, MANAGERS): """
        apiKeys.list apiKeys.create apiKeys.get apiKeys.update apiKeys.revoke apiKeys.rotate
        connections.create connections.delete consent.openErasedEvidence""",
    Caller(None, OWNER): "consent.putSettings members.transferOwnership",
    Caller(None, OWNER, in_workspace=False): "workspaces.update workspaces.delete",
}
"""The operations, by who may call them; a key may also rotate itself."""

OPEN = """
    auth.forgotPassword auth.resetPassword auth.signIn auth.signUp auth.resendSignUp
    auth.sendTwoFactorCode auth.verifyTwoFactor auth.verifyEmail connectLinks.preview
    connections.shopifyCallback docs.get health.get invitations.preview openapi.get optIn.get
    optIn.confirm pages.get problems.list problems.get problems.getCode unsubscribe.get
    unsubscribe.confirm webhooks.shopify"""
"""The operations that demand no token."""

ROTATE = "apiKeys.rotate"
BY_ID = {name: caller for caller, names in CALLERS.items() for name in names.split()}
PLACES = {
    operation["operationId"]: (method, path.replace("{", "").replace("}", ""))
    for path, method, operation in operations()
}


def test_every_operation_has_its_callers() -> None:
    assert PLACES.keys() == BY_ID.keys() | set(OPEN.split())


def test_description_names_the_callers() -> None:
    described = {operation["operationId"]: operation for _, _, operation in operations()}
    assert {name for name, each in described.items() if not each["security"]} == set(OPEN.split())
    for name, caller in BY_ID.items():
        said = described[name]["x-caller"]
        assert said["scope"] == (KeyScope.WRITE if name == ROTATE else caller.scope), name
        if name not in {"workspaces.get"}:
            person = "owner or admin" if caller.roles == MANAGERS else "owner"
            assert (person in said["people"]) == (caller.roles in {MANAGERS, OWNER}), name
        assert ("maker" in said["keys"]) == bool(caller.scope and caller.roles == MANAGERS), name


def among(*selected: str) -> pytest.MarkDecorator:
    """A test for each of the operations."""
    return pytest.mark.parametrize("name", selected)


def send(world: World, name: str, token: str | None, at: object = "id", **more: Any) -> Any:
    """A request that is wrong in its id, unless `at` is one, its body and its idempotency key."""
    method, path = PLACES[name]
    path = path.replace("/id", f"/{at}", 1)
    return world.call(method, path, token=token, body=b"{", key="k" * 256, **more)


def keys_in(world: World) -> set[object]:
    return {row.key for row in world.rows()}


@among(*BY_ID)
def test_anonymous(world: World, name: str) -> None:
    """This holds whatever else is wrong: here the ids, the query, the body and the key."""
    for token in (None, "stp_unknown", "sts_" + "a" * 43):
        answer = send(world, name, token, query={"page": "x"})
        assert answer.problem() == (401, "unauthenticated")
        assert answer.json == Unauthenticated().document(BASE_URL)
        assert answer.header("www-authenticate") == "Bearer"
    assert world.rows() == []


@among(*(name for name, caller in BY_ID.items() if caller.scope is None))
def test_api_keys_where_sign_in_is_required(
    world: World, owner: Someone, workspace: WorkspaceScope, name: str
) -> None:
    """On a write the scope is checked first."""
    for scope in KeyScope:
        key = world.api_key(workspace, scope, owner)
        stored = keys_in(world)
        answer = send(world, name, key)
        if PLACES[name][0] != "GET" and scope is not KeyScope.WRITE:
            assert answer.problem() == (403, "scope")
            assert answer.json == ScopeTooSmall(answer.json["detail"]).document(BASE_URL)
        else:
            assert answer.json == SignInRequired().document(BASE_URL)
        assert keys_in(world) == stored


@among(*(name for name, caller in BY_ID.items() if caller.scope))
def test_api_keys_by_scope(
    world: World, owner: Someone, workspace: WorkspaceScope, name: str
) -> None:
    """With the scope, either something else is wrong, or nothing."""
    needed = BY_ID[name].scope
    assert needed
    for scope in KeyScope:
        key = world.api_key(workspace, scope, owner)
        stored = keys_in(world)
        answer = send(world, name, key)
        if scope.covers(needed):
            refusals = {"unauthenticated", "scope", "role", "sign_in_required"}
            assert answer.status < 400 or answer.problem()[1] not in refusals
        else:
            assert answer.problem() == (403, "scope")
            detail = answer.json["detail"]
            assert answer.json == ScopeTooSmall(detail).document(BASE_URL)
            assert f"`{needed}`" in detail
            assert keys_in(world) == stored
            assert world.objects() == {}


@among(*(name for name, caller in BY_ID.items() if caller.roles and caller.in_workspace))
def test_no_active_workspace(world: World, name: str) -> None:
    assert send(world, name, world.person().token).problem() == (409, "no_active_workspace")


@among(*(name for name, caller in BY_ID.items() if caller.roles))
def test_two_factor_required(
    world: World, owner: Someone, workspace: WorkspaceScope, name: str
) -> None:
    world.require_two_factor(workspace)
    assert send(world, name, owner.token, workspace.id).problem() == (403, "two_factor_required")


@among(*(name for name, caller in BY_ID.items() if caller.roles))
def test_people_and_makers_of_keys_by_role(
    world: World, owner: Someone, workspace: WorkspaceScope, name: str
) -> None:
    """A key's maker needs the role now, so a key without a maker may do nothing that takes one."""
    needed, tokens = BY_ID[name], dict[str, bool]()
    assert needed.roles
    decisive = [Role.MEMBER] if needed.roles == EVERYBODY else list(Role)
    for role in decisive:
        someone = owner if role is Role.OWNER else world.member(workspace, role)
        tokens[someone.token] = role in needed.roles
        if needed.scope:
            key = world.api_key(workspace, KeyScope.WRITE, someone)
            tokens[key] = role in needed.roles
    if needed.scope:
        nobodys = world.api_key(workspace, KeyScope.WRITE)
        tokens[nobodys] = needed.roles == EVERYBODY
    for token, may in tokens.items():
        answer = send(world, name, token, workspace.id)
        if may:
            assert answer.status not in {401, 403}
        else:
            assert answer.json == RoleTooSmall(needed.roles).document(BASE_URL)
