"""What must hold before an account is changed: it still exists, and the password is right."""

from storepost.accounts.identity.model import SignedInPerson
from storepost.accounts.identity.password_checks import Place, check_password
from storepost.accounts.identity.problems import PasswordInvalid
from storepost.accounts.identity.repository import find_person, find_session
from storepost.values import clock
from storepost.values.problems import Unauthenticated


def present(caller: SignedInPerson) -> SignedInPerson:
    """Returns the caller as stored now: after a lost race, older reads mustn't decide.

    Raises Unauthenticated if the session or the account ended meanwhile.
    """
    person = find_person(caller.person.scope)
    session = find_session(caller.person.scope, caller.session.id)
    if person is None or session is None or not session.is_live(person, clock.now()):
        raise Unauthenticated()
    return SignedInPerson(person, session, caller.token)


def prove(caller: SignedInPerson, password: str, ip: str | None) -> SignedInPerson:
    """Returns the caller as stored now, if the password is the account's.

    Raises PasswordInvalid, and SignInLimit after too many wrong ones in 15 minutes.
    """
    now = present(caller)
    person = now.person
    check_password(person, person.email, Place(ip), password, PasswordInvalid())
    return now
