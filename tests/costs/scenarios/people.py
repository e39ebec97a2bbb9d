"""Workspaces, members, invitations, API keys, locales."""

from tests.accounts.sign_in.accounts import PASSWORD
from tests.costs.scenario import Request, Shop
from tests.costs.scenarios.registry import Scenarios
from tests.harness.world import Someone

SCENARIOS = Scenarios()

SCENARIOS.plain(
    "workspaces.create", lambda shop: Request(shop.owner.token, {"name": "Teas Abroad"})
)
SCENARIOS.plain("workspaces.availableSlug", lambda shop: Request(shop.key, query={"name": "Teas"}))


@SCENARIOS.of("workspaces.get")
def get_workspace(shop: Shop) -> Request:
    return Request(shop.owner.token, path={"id": shop.workspace.id})


@SCENARIOS.of("workspaces.update")
def update_workspace(shop: Shop) -> Request:
    return Request(shop.owner.token, {"name": "Steinberger"}, path={"id": shop.workspace.id})


@SCENARIOS.of("workspaces.delete", "5 keys")
def delete_workspace(shop: Shop) -> Request:
    return Request(shop.owner.token, {"password": PASSWORD}, path={"id": shop.workspace.id})


def _membership(shop: Shop, of: Someone) -> dict[str, object]:
    membership = shop.world.membership(of, shop.workspace)
    assert membership is not None
    return {"id": membership.id}


SCENARIOS.plain("members.list", lambda shop: Request(shop.key), "3 members")


@SCENARIOS.of("members.get", "of 3 members")
def get_member(shop: Shop) -> Request:
    return Request(shop.key, path=_membership(shop, shop.member))


@SCENARIOS.of("members.updateRole")
def update_role(shop: Shop) -> Request:
    path = _membership(shop, shop.member)
    return Request(shop.owner.token, {"role": "admin"}, path=path)


@SCENARIOS.of("members.transferOwnership")
def transfer_ownership(shop: Shop) -> Request:
    return Request(shop.owner.token, path=_membership(shop, shop.admin))


@SCENARIOS.of("members.delete", "who made no key")
def delete_member(shop: Shop) -> Request:
    return Request(shop.owner.token, path=_membership(shop, shop.member))


@SCENARIOS.of("members.delete", "who made a key")
def delete_maker(shop: Shop) -> Request:
    return Request(shop.owner.token, path=_membership(shop, shop.admin))


SCENARIOS.plain("members.leave", lambda shop: Request(shop.member.token))

GUEST = {"email": "another.guest@mail.example.com", "role": "member"}

SCENARIOS.plain("invitations.list", lambda shop: Request(shop.key), "5 open ones")
SCENARIOS.plain("invitations.create", lambda shop: Request(shop.owner.token, GUEST))


def _invited(shop: Shop) -> dict[str, object]:
    """Invites a person without a workspace: the path of the invitation."""
    body = {"email": GUEST["email"], "role": "member"}
    return {"id": shop.send("invitations.create", Request(shop.owner.token, body)).json["id"]}


def _invite(shop: Shop, guest: Someone) -> dict[str, object]:
    body = {"email": guest.email, "role": "member"}
    return {"id": shop.send("invitations.create", Request(shop.owner.token, body)).json["id"]}


SCENARIOS.plain("invitations.get", lambda shop: Request(shop.key, path=_invited(shop)))
SCENARIOS.plain("invitations.preview", lambda shop: Request(path=_invited(shop)))


@SCENARIOS.of("invitations.resend")
def resend_invitation(shop: Shop) -> Request:
    path = _invited(shop)
    shop.world.advance(hours=2)
    return Request(shop.owner.token, path=path)


SCENARIOS.plain("invitations.delete", lambda shop: Request(shop.owner.token, path=_invited(shop)))


def _guest(shop: Shop) -> Request:
    guest = shop.world.person("Gabriele Guest")
    return Request(guest.token, path=_invite(shop, guest))


SCENARIOS.plain("invitations.accept", _guest)
SCENARIOS.plain("invitations.decline", _guest)

NEW_KEY = {"name": "Storefront", "scope": "write"}


def _key(shop: Shop) -> dict[str, object]:
    made = shop.send("apiKeys.create", Request(shop.owner.token, NEW_KEY))
    return {"id": made.json["apiKey"]["id"]}


SCENARIOS.plain("apiKeys.list", lambda shop: Request(shop.owner.token), "5 keys, 2 revoked")
SCENARIOS.plain("apiKeys.get", lambda shop: Request(shop.owner.token, path=_key(shop)))
SCENARIOS.plain("apiKeys.create", lambda shop: Request(shop.owner.token, NEW_KEY))


@SCENARIOS.of("apiKeys.update")
def update_key(shop: Shop) -> Request:
    return Request(shop.owner.token, {"name": "Webshop"}, path=_key(shop))


SCENARIOS.plain("apiKeys.rotate", lambda shop: Request(shop.owner.token, path=_key(shop)))
SCENARIOS.plain("apiKeys.revoke", lambda shop: Request(shop.owner.token, path=_key(shop)))


def _locale(shop: Shop) -> dict[str, object]:
    made = shop.send("locales.create", Request(shop.key, {"code": "nl-NL"}))
    return {"id": made.json["id"]}


SCENARIOS.plain("locales.list", lambda shop: Request(shop.key), "4 locales")
SCENARIOS.plain("locales.get", lambda shop: Request(shop.key, path=_locale(shop)), "of 5 locales")
SCENARIOS.plain("locales.create", lambda shop: Request(shop.key, {"code": "nl-NL"}))
SCENARIOS.plain(
    "locales.update", lambda shop: Request(shop.key, {"label": "Dutch"}, path=_locale(shop))
)
SCENARIOS.plain("locales.delete", lambda shop: Request(shop.key, path=_locale(shop)))
