"""Calls and states of two-factor settings that several test files use."""

import re

from storepost.accounts.identity.credentials import AuthenticatorItem, authenticator_key
from storepost.accounts.identity.two_factor import unseal_seed
from storepost.accounts.workspaces.model import Role
from storepost.platform.persistence.item import find
from storepost.values import clock
from storepost.values.scope import PersonScope
from tests.accounts.me.accounts import NEW_PASSWORD, PASSWORD
from tests.harness.world import Someone, World

BACKUP_CODE = re.compile(r"[2-9A-HJ-NP-Z]{5}-[2-9A-HJ-NP-Z]{5}")


def demanded(world: World, someone: Someone) -> None:
    """Makes a workspace that the person belongs to demand two-factor."""
    workspace = world.workspace(world.person())
    world.join(someone, workspace, Role.MEMBER)
    world.require_two_factor(workspace)


def is_since_now(method: object) -> bool:
    """Whether a method is on, since just now."""
    assert isinstance(method, dict)
    assert set(method) == {"since"}
    return abs((clock.now() - clock.from_text(method["since"])).total_seconds()) < 60


def seed_of(someone: Someone) -> str:
    """The seed of the person's app, as it is kept."""
    key = authenticator_key(PersonScope(someone.id))
    row = find(AuthenticatorItem, key)
    assert row is not None
    return unseal_seed(row.seed, key)


def succeeds(someone: Someone, path: str, **body: str) -> None:
    """Calls an operation that must succeed."""
    answer = someone.call("POST", path, body or None)
    assert answer.status in {200, 204}, answer.body


def app_off(world: World, someone: Someone) -> None:
    """Turns the app method off."""
    succeeds(someone, "/me/two-factor/app/disable", password=PASSWORD)


def email_off(world: World, someone: Someone) -> None:
    """Turns the email method off."""
    succeeds(someone, "/me/two-factor/email/disable")


def renewed(world: World, someone: Someone) -> None:
    """Asks for new backup codes."""
    succeeds(someone, "/me/two-factor/backup-codes", password=PASSWORD)


def password_changed(world: World, someone: Someone) -> None:
    """Changes the password."""
    succeeds(someone, "/me/password", current=PASSWORD, password=NEW_PASSWORD)


def forgotten(world: World, someone: Someone) -> None:
    """Forgets the trusted browsers."""
    succeeds(someone, "/me/two-factor/trusted-browsers/forget")
