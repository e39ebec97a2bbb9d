"""Chooses a new password by an emailed link: 30 minutes, once."""

import secrets

from storepost.accounts.emails import messages
from storepost.accounts.emails.outgoing import send_email
from storepost.accounts.identity import trusted_browsers
from storepost.accounts.identity.limits import (
    RESET_EMAILS,
    RESETS_OF_SOURCE,
    count_for_address,
    count_for_source,
)
from storepost.accounts.identity.model import Person
from storepost.accounts.identity.passwords import hash_password
from storepost.accounts.identity.problems import CodeSendLimit
from storepost.accounts.identity.repository import (
    NOBODY,
    find_account,
    find_person,
    setting_password,
    setting_verified,
)
from storepost.accounts.identity.sessions import end_all_sessions
from storepost.accounts.identity.tokens import digest
from storepost.accounts.sign_in.model import RESET_VALID_FOR, Reset, mark_of
from storepost.accounts.sign_in.problems import TokenInvalid
from storepost.accounts.sign_in.repository import add_reset, end_reset, find_reset
from storepost.platform.messaging.email_tags import account_tags
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.links import page_link
from storepost.values.problems import handles
from storepost.values.scope import PersonScope

_TOKEN_BYTES = 32


@handles(CodeSendLimit)
def forgot_password(email: str, ip: str | None, base_url: str, changes: Changes) -> None:
    """Emails the link if the address has an account; the answer is always the same.

    For an unknown address it writes a reset for nobody, so that it takes about as long. Raises
    ResetLimit for a source that asks too often.
    """
    count_for_source(RESETS_OF_SOURCE, ip)
    try:
        count_for_address(RESET_EMAILS, email)
    except CodeSendLimit:
        return
    person, token = find_account(email), secrets.token_urlsafe(_TOKEN_BYTES)
    add_reset(changes, _reset(person, email, token))
    name, addressee = (person.name, person.id) if person else ("", NOBODY)
    message = messages.PasswordReset(name, page_link(base_url, "password-reset", token))
    # Nobody's is sealed, too, and never sent: a new container asks for the key of that first.
    send_email(changes if person else Changes(), email, message, account_tags(addressee))


def reset_password(token: str, password: str, changes: Changes) -> None:
    """Sets the password. Ends every session and trusted browser, and verifies the address."""
    reset, now = find_reset(token), clock.now()
    person = find_person(PersonScope(reset.person_id)) if reset else None
    if reset is None or person is None or not reset.is_for(person, now):
        raise TokenInvalid()
    end_reset(changes, reset)
    verified = [] if person.email_verified else setting_verified(now)
    password_set = setting_password(hash_password(password))
    revoked = trusted_browsers.revoke_actions()
    end_all_sessions(changes, person, also=[*password_set, *verified, *revoked])
    changes.after_commit(lambda: trusted_browsers.sweep(person))
    message = messages.PasswordChanged(person.name, now)
    send_email(changes, person.email, message, account_tags(person.id))


def _reset(person: Person | None, email: str, token: str) -> Reset:
    return Reset(
        token_digest=digest(token),
        person_id=person.id if person else NOBODY,
        email=email,
        password_mark=mark_of(person) if person else digest(token),
        expires_at=clock.now() + RESET_VALID_FOR,
    )
