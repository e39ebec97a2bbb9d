"""Calls and states of the second step that several test files use."""

from collections.abc import Iterator

from storepost.accounts.identity.repository import PersonItem, person_key, remember_workspace
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.scope import PersonScope, WorkspaceScope
from tests.accounts.sign_in.accounts import challenged, totp, try_second_step, with_app
from tests.harness.accounts import person_of
from tests.harness.world import CANARY, Answer, Someone, World

WRONG = "not the password"
STRANGER = f"stranger.{CANARY}@example.com"


def remember(person: Someone, workspace: WorkspaceScope) -> None:
    """Makes it the workspace used last."""
    changes = Changes()
    remember_workspace(changes, person_of(person), workspace.id)
    changes.commit()


def trust(world: World, person: Someone) -> str:
    """A browser that the person trusts."""
    seed = with_app(person)
    answer = try_second_step(
        world, challenged(world, person), "app", totp(seed, clock.now()), trustBrowser=True
    )
    assert answer.status == 200, answer.body
    return str(answer.json["trustedBrowser"])


def send_code(world: World, challenge: str) -> Answer:
    """POST /auth/two-factor/send-code."""
    return world.call("POST", "/auth/two-factor/send-code", json_body={"challenge": challenge})


def end_sessions(person: Someone) -> None:
    """What a change of the password does."""
    row = PersonItem(*person_key(PersonScope(person.id)))
    row.update([PersonItem.sessions_epoch.add(1)], add_version_condition=False)


def move(person: Someone, address: str) -> None:
    """Gives the account another address, as a confirmed one does."""
    row = PersonItem(*person_key(PersonScope(person.id)))
    row.update([PersonItem.email.set(address)], add_version_condition=False)


def fail_second_steps(world: World, person: Someone, times: int) -> Iterator[Answer]:
    """So many wrong second factors, five to a challenge."""
    for number in range(times):
        if number % 5 == 0:
            challenge = challenged(world, person)
        yield try_second_step(
            world, challenge, "backup_code", "AAAAAAAAAA", source_ip=f"198.51.100.{number}"
        )
