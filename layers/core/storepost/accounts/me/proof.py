"""What must hold before an account is changed: it is still there, and the password is right."""

from storepost.accounts.identity.model import SignedInPerson
from storepost.accounts.identity.password_checks import Place, check_password
from storepost.accounts.identity.problems import PasswordInvalid
from storepost.accounts.identity.repository import find_person, find_session
from storepost.values import clock
from storepost.values.problems import Unauthenticated


def present(caller: SignedInPerson) -> SignedInPerson:
    """Returns the caller as stored now: a run after a lost race mustn't decide on older reads.

    Raises Unauthenticated where the session or the account ended meanwhile.
    """
    person = find_person(caller.person.scope)
    session = find_session(caller.person.scope, caller.session.id)
    if person is None or session is None or not session.is_live(person, clock.now()):
        raise Unauthenticated()
    return SignedInPerson(person, session, caller.token)


def prove(caller: SignedInPerson, password: str, ip: str | None) -> SignedInPerson:
    """Returns the caller as stored now, once the account's password was given.

    Raises PasswordInvalid, and SignInLimit after too many wrong ones in 15 minutes.
    """
    now = present(caller)
    person = now.person
    check_password(person, person.email, Place(ip), password, PasswordInvalid())
    return now
