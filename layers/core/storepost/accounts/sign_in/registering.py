"""Signs people up: a registration, its emailed code, and the account that the code creates.

No answer shows whether an address is known: a registration begins for a known one in the same way,
but its code is sent to nobody.
"""

from uuid import UUID

from storepost.accounts.emails import messages
from storepost.accounts.emails.outgoing import send_email
from storepost.accounts.identity.codes import check_code, issue_code, use_code
from storepost.accounts.identity.limits import (
    SIGN_UP_EMAILS,
    SIGN_UPS_OF_SOURCE,
    count_for_address,
    count_for_source,
)
from storepost.accounts.identity.model import Person
from storepost.accounts.identity.passwords import hash_password
from storepost.accounts.identity.problems import ChallengeClosed, CodeSendLimit
from storepost.accounts.identity.repository import add_person, find_account
from storepost.accounts.identity.sessions import Device, open_session
from storepost.accounts.sign_in.model import Registration
from storepost.accounts.sign_in.repository import (
    add_registration,
    end_registrations,
    find_registration,
    registration_code_key,
)
from storepost.accounts.sign_in.schemas import OpenedSession, SignUp
from storepost.platform.messaging.email_tags import EmailKind, EmailTags, account_tags
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.links import page_link
from storepost.values.problems import handles


def sign_up(request: SignUp, ip: str | None, base_url: str, changes: Changes) -> UUID:
    """Begins a registration; the address gets a code, or its owner another email."""
    count_for_source(SIGN_UPS_OF_SOURCE, ip)
    registration = Registration(
        id=new_id(),
        name=request.name,
        email=request.email,
        begun_at=clock.now(),
        password_hash=hash_password(request.password),
    )
    add_registration(changes, registration)
    _email_link(registration, base_url, changes)
    return registration.id


def resend(registration_id: UUID, base_url: str, changes: Changes) -> None:
    """Sends another code for a registration that isn't over; the former one ends."""
    registration = find_registration(registration_id, clock.now())
    if registration:
        _email_link(registration, base_url, changes)


def verify_email(
    registration_id: UUID, code: str, device: Device, changes: Changes
) -> OpenedSession:
    """Creates the account and signs it in. All other registrations of the address end."""
    now = clock.now()
    registration = find_registration(registration_id, now)
    if registration is None:
        raise ChallengeClosed()
    use_code(changes, check_code(registration_code_key(registration_id), code))
    person = _person_of(registration)
    end_registrations(changes, registration, now)
    add_person(changes, person, on_conflict=ChallengeClosed())
    token, expires_at = open_session(changes, person, device, None)
    return OpenedSession(token=token, expires_at=expires_at, email_undeliverable=False)


@handles(CodeSendLimit)
def _email_link(registration: Registration, base_url: str, changes: Changes) -> None:
    """Emails the code, or that the address is known; nothing after five emails in an hour."""
    try:
        count_for_address(SIGN_UP_EMAILS, registration.email)
    except CodeSendLimit:
        return  # the answer is always the same
    owner = find_account(registration.email)
    code = issue_code(changes, registration_code_key(registration.id))
    message: messages.Message
    if owner:
        message = messages.AddressKnown(owner.name, page_link(base_url, "password-reset"))
        tags = account_tags(owner.id)
    else:
        tags = EmailTags(EmailKind.SIGN_UP, registration.id)
        link = page_link(base_url, "verify-address", str(registration.id))
        message = messages.VerifyAddress(registration.name, code, link)
    send_email(changes, registration.email, message, tags)


def _person_of(registration: Registration) -> Person:
    return Person(
        id=new_id(),
        name=registration.name,
        email=registration.email,
        email_verified=True,
        app_since=None,
        email_codes_since=None,
        last_workspace_id=None,
        created_at=clock.now(),
        sessions_epoch=0,
        trust_epoch=0,
        password_hash=registration.password_hash,
    )
