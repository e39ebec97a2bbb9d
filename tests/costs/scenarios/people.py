"""Workspaces, members, invitations, API keys, locales."""

from tests.accounts.sign_in.accounts import PASSWORD
from tests.costs.scenario import Ask, Town
from tests.costs.scenarios.registry import Scenarios
from tests.harness.world import Someone

SCENARIOS = Scenarios()

SCENARIOS.plain("workspaces.create", lambda town: Ask(town.owner.token, {"name": "Teas Abroad"}))
SCENARIOS.plain("workspaces.availableSlug", lambda town: Ask(town.key, query={"name": "Teas"}))


@SCENARIOS.of("workspaces.get")
def get_workspace(town: Town) -> Ask:
    return Ask(town.owner.token, path={"id": town.workspace.id})


@SCENARIOS.of("workspaces.update")
def update_workspace(town: Town) -> Ask:
    return Ask(town.owner.token, {"name": "Steinberger"}, path={"id": town.workspace.id})


@SCENARIOS.of("workspaces.delete", "5 keys")
def delete_workspace(town: Town) -> Ask:
    body = {"password": PASSWORD}
    return Ask(town.owner.token, body, path={"id": town.workspace.id})


def _membership(town: Town, of: Someone) -> dict[str, object]:
    held = town.world.membership(of, town.workspace)
    assert held is not None
    return {"id": held.id}


SCENARIOS.plain("members.list", lambda town: Ask(town.key), "3 members")


@SCENARIOS.of("members.get", "of 3 members")
def get_member(town: Town) -> Ask:
    return Ask(town.key, path=_membership(town, town.member))


@SCENARIOS.of("members.update")
def update_role(town: Town) -> Ask:
    path = _membership(town, town.member)
    return Ask(town.owner.token, {"role": "admin"}, path=path)


@SCENARIOS.of("members.transferOwnership")
def transfer_ownership(town: Town) -> Ask:
    return Ask(town.owner.token, path=_membership(town, town.admin))


@SCENARIOS.of("members.delete", "who made no key")
def delete_member(town: Town) -> Ask:
    return Ask(town.owner.token, path=_membership(town, town.member))


@SCENARIOS.of("members.delete", "who made a key")
def delete_maker(town: Town) -> Ask:
    return Ask(town.owner.token, path=_membership(town, town.admin))


SCENARIOS.plain("members.leave", lambda town: Ask(town.member.token))

GUEST = {"email": "another.guest@mail.example.com", "role": "member"}

SCENARIOS.plain("invitations.list", lambda town: Ask(town.key), "5 open ones")
SCENARIOS.plain("invitations.create", lambda town: Ask(town.owner.token, GUEST))


def _invited(town: Town) -> dict[str, object]:
    """Somebody without a workspace is invited: the path to the invitation."""
    body = {"email": GUEST["email"], "role": "member"}
    return {"id": town.ask("invitations.create", Ask(town.owner.token, body)).json["id"]}


def _invite(town: Town, guest: Someone) -> dict[str, object]:
    body = {"email": guest.email, "role": "member"}
    return {"id": town.ask("invitations.create", Ask(town.owner.token, body)).json["id"]}


SCENARIOS.plain("invitations.get", lambda town: Ask(town.key, path=_invited(town)))
SCENARIOS.plain("invitations.preview", lambda town: Ask(path=_invited(town)))


@SCENARIOS.of("invitations.resend")
def resend_invitation(town: Town) -> Ask:
    path = _invited(town)
    town.world.advance(hours=2)
    return Ask(town.owner.token, path=path)


SCENARIOS.plain("invitations.delete", lambda town: Ask(town.owner.token, path=_invited(town)))


def _guest(town: Town) -> Ask:
    guest = town.world.person("Gabriele Guest")
    return Ask(guest.token, path=_invite(town, guest))


SCENARIOS.plain("invitations.accept", _guest)
SCENARIOS.plain("invitations.decline", _guest)

NEW_KEY = {"name": "Storefront", "scope": "write"}


def _key(town: Town) -> dict[str, object]:
    made = town.ask("apiKeys.create", Ask(town.owner.token, NEW_KEY))
    return {"id": made.json["apiKey"]["id"]}


SCENARIOS.plain("apiKeys.list", lambda town: Ask(town.owner.token), "5 keys, 2 revoked")
SCENARIOS.plain("apiKeys.get", lambda town: Ask(town.owner.token, path=_key(town)))
SCENARIOS.plain("apiKeys.create", lambda town: Ask(town.owner.token, NEW_KEY))


@SCENARIOS.of("apiKeys.update")
def update_key(town: Town) -> Ask:
    return Ask(town.owner.token, {"name": "Webshop"}, path=_key(town))


SCENARIOS.plain("apiKeys.rotate", lambda town: Ask(town.owner.token, path=_key(town)))
SCENARIOS.plain("apiKeys.revoke", lambda town: Ask(town.owner.token, path=_key(town)))


def _locale(town: Town) -> dict[str, object]:
    made = town.ask("locales.create", Ask(town.key, {"code": "nl-NL"}))
    return {"id": made.json["id"]}


SCENARIOS.plain("locales.list", lambda town: Ask(town.key), "4 locales")
SCENARIOS.plain("locales.get", lambda town: Ask(town.key, path=_locale(town)), "of 5 locales")
SCENARIOS.plain("locales.create", lambda town: Ask(town.key, {"code": "nl-NL"}))
SCENARIOS.plain(
    "locales.update", lambda town: Ask(town.key, {"label": "Dutch"}, path=_locale(town))
)
SCENARIOS.plain("locales.delete", lambda town: Ask(town.key, path=_locale(town)))
