"""Opens sessions, and ends all sessions of a person.

A session is opened in the `sessions_epoch` that the account was read in, together with the password
hash or the second factor that opened it. Raising the epoch ends every session in one write, also
those that are being opened at that moment; their rows are deleted afterwards.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import batched
from uuid import UUID

from pynamodb.expressions.update import Action

from storepost.accounts.identity.known_places import remember_source
from storepost.accounts.identity.model import SESSION_SLIDES, Person, Session
from storepost.accounts.identity.repository import (
    PersonItem,
    SessionItem,
    add_session,
    delete_session,
    person_key,
    sessions_of,
    token_key,
)
from storepost.accounts.identity.tokens import digest, new_session_token
from storepost.platform.persistence.changes import MAX_ITEMS, Changes
from storepost.values import clock
from storepost.values.ids import new_id

_MAX_LABEL = 100
_ROWS_OF_A_SESSION = 2


@dataclass(frozen=True)
class Device:
    """The device on which a person signs in, as the list of sessions shows it."""

    browser: str | None
    os: str | None
    ip_address: str | None


def device_of(ip_address: str | None, user_agent: str | None) -> Device:
    """Returns the device that a user agent names; what it doesn't name is None."""
    if not user_agent:
        return Device(None, None, ip_address)
    from ua_parser import parse_os, parse_user_agent  # noqa: PLC0415 - 45 ms, at sign-ins alone

    browser, system = parse_user_agent(user_agent), parse_os(user_agent)
    return Device(
        browser.family[:_MAX_LABEL] if browser else None,
        system.family[:_MAX_LABEL] if system else None,
        ip_address,
    )


def open_session(
    changes: Changes, person: Person, device: Device, workspace_id: UUID | None
) -> tuple[str, datetime]:
    """Opens a session; returns its token, shown once, and when it ends unless it is used.

    `workspace_id` is the active one; the caller must know that the person belongs to it.
    """
    token, now = new_session_token(), clock.now()
    session = Session(
        id=new_id(),
        person_id=person.id,
        browser=device.browser,
        os=device.os,
        ip_address=device.ip_address,
        signed_in_at=now,
        last_active_at=now,
        expires_at=now + SESSION_SLIDES,
        workspace_id=workspace_id,
        token_digest=digest(token),
        epoch=person.sessions_epoch,
    )
    add_session(changes, session)
    remember_source(changes, person, device.ip_address)
    return token, session.expires_at


def end_all_sessions(
    changes: Changes,
    person: Person,
    except_: Session | None = None,
    also: Sequence[Action] = (),
) -> None:
    """Ends every session of the person but the excepted one.

    It writes the account's row, so other changes of that row are passed as `also`. The write is
    conditioned on the address and the password as they were read, as the permission depends on
    them.
    """
    epoch = person.sessions_epoch + 1
    changes.update(
        PersonItem(*person_key(person.scope)),
        [PersonItem.sessions_epoch.set(epoch), *also],
        (PersonItem.sessions_epoch == person.sessions_epoch)
        & (PersonItem.email == person.email)
        & (PersonItem.password_hash == person.password_hash),
    )
    if except_:
        changes.update(
            SessionItem(*token_key(except_.token_digest)),
            [SessionItem.epoch.set(epoch)],
            SessionItem.pk.exists(),
        )
    changes.after_commit(lambda: sweep(person, epoch))


def sweep(person: Person, epoch: int) -> None:
    """Deletes the sessions that were opened before the epoch.

    If it is interrupted, it leaves rows that sign nobody in and that expire.
    """
    ended = (session for session in sessions_of(person.scope) if session.epoch < epoch)
    for some in batched(ended, MAX_ITEMS // _ROWS_OF_A_SESSION, strict=False):
        changes = Changes()
        for session in some:
            delete_session(changes, session)
        changes.commit()
