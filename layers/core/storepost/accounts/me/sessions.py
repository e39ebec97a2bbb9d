"""The browsers and devices where a person is signed in."""

from uuid import UUID

from storepost.accounts.identity.model import Session, SignedInPerson
from storepost.accounts.identity.repository import delete_session, find_session, sessions_of
from storepost.accounts.identity.sessions import end_all_sessions
from storepost.accounts.me.proof import present
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.pagination import Listing, PageRequest, cut
from storepost.values.problems import NotFound


def list_sessions(caller: SignedInPerson, page: PageRequest) -> Listing[Session]:
    """Returns the live sessions, most recently active first."""
    person, now = caller.person, clock.now()
    live = [session for session in sessions_of(person.scope) if session.is_live(person, now)]
    live.sort(key=lambda session: (session.last_active_at, session.id), reverse=True)
    return cut(live, page)


def end_session(caller: SignedInPerson, session_id: UUID, changes: Changes) -> None:
    """Signs that browser or device out, also the caller's own.

    Raises NotFound if it isn't a live session of the caller's.
    """
    session = find_session(caller.person.scope, session_id)
    if session is None or not session.is_live(caller.person, clock.now()):
        raise NotFound("You have no open session with this id.")
    delete_session(changes, session)


def end_other_sessions(caller: SignedInPerson, changes: Changes) -> None:
    """Signs out every browser and device but the caller's."""
    caller = present(caller)
    end_all_sessions(changes, caller.person, except_=caller.session)
