"""Signs in: the password, then the second step if it is on; and signs out."""

import secrets
from uuid import UUID

from storepost.accounts.emails import messages
from storepost.accounts.emails.outgoing import send_email
from storepost.accounts.identity.codes import issue_code
from storepost.accounts.identity.limits import (
    SECOND_FACTORS,
    SECOND_STEP_EMAILS,
    Attempt,
    count_for_person,
    give_back,
)
from storepost.accounts.identity.model import Person, SignedInPerson
from storepost.accounts.identity.password_checks import Place, check_password
from storepost.accounts.identity.passwords import hash_password, needs_rehash
from storepost.accounts.identity.problems import (
    ChallengeClosed,
    CodeInvalid,
    CredentialsInvalid,
    MethodOff,
)
from storepost.accounts.identity.repository import (
    delete_session,
    find_account,
    find_person,
    renew_hash,
)
from storepost.accounts.identity.sessions import Device, open_session
from storepost.accounts.identity.tokens import digest
from storepost.accounts.identity.trusted_browsers import is_trusted, trust_browser
from storepost.accounts.identity.two_factor import methods_of, verify_second_factor
from storepost.accounts.sign_in.model import CHALLENGE_VALID_FOR, Challenge
from storepost.accounts.sign_in.repository import (
    add_challenge,
    challenge_code_key,
    count_try,
    end_challenge,
    find_challenge,
    prolong_challenge,
    refund_try,
)
from storepost.accounts.sign_in.schemas import (
    OpenedSession,
    OpenedTrustedSession,
    SecondStep,
    SecondStepNeeded,
    SignedIn,
    SignIn,
)
from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.platform.messaging.email_tags import account_tags
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.scope import PersonScope, WorkspaceScope

_TOKEN_BYTES = 32


def sign_in(request: SignIn, device: Device, changes: Changes) -> SignedIn | SecondStepNeeded:
    """Opens a session, or a challenge if a second step is needed."""
    person = find_account(request.email)
    wrong, place = CredentialsInvalid(), Place(device.ip_address, request.trusted_browser)
    check_password(person, request.email, place, request.password, wrong)
    if person is None:
        raise wrong  # no password is right for an address without an account
    if needs_rehash(person.password_hash):
        changes.after_commit(lambda: _rehash(person, request.password))
    if person.has_two_factor and not _trusts(person, request.trusted_browser):
        return _challenge(person, changes)
    token, expires_at = open_session(changes, person, device, _workspace_of(person))
    return SignedIn(
        status="signed_in",
        token=token,
        expires_at=expires_at,
        email_undeliverable=person.email_undeliverable,
    )


def send_code(challenge_token: str, changes: Changes) -> None:
    """Emails a code for the second step; the challenge is valid as long as the code."""
    challenge, person = _open(challenge_token)
    if person.email_codes_since is None:
        raise MethodOff()
    count_for_person(SECOND_STEP_EMAILS, person.scope)
    code = issue_code(changes, challenge_code_key(challenge.token_digest))
    prolong_challenge(changes, challenge, clock.now() + CHALLENGE_VALID_FOR)
    message = messages.SignInCode(person.name, code)
    send_email(changes, person.email, message, account_tags(person.id))


def complete_second_step(
    request: SecondStep, device: Device, changes: Changes
) -> OpenedSession | OpenedTrustedSession:
    """Opens the challenge's session."""
    challenge, person = _open(request.challenge)
    _verify(challenge, person, request, device, changes)
    end_challenge(changes, challenge)
    token, expires_at = open_session(changes, person, device, _workspace_of(person))
    bounced = person.email_undeliverable
    if not request.trust_browser:
        return OpenedSession(token=token, expires_at=expires_at, email_undeliverable=bounced)
    return OpenedTrustedSession(
        token=token,
        expires_at=expires_at,
        email_undeliverable=bounced,
        trusted_browser=trust_browser(changes, person),
    )


def sign_out(caller: SignedInPerson, changes: Changes) -> None:
    """Ends the caller's session."""
    delete_session(changes, caller.session)


def _challenge(person: Person, changes: Changes) -> SecondStepNeeded:
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    challenge = Challenge(
        token_digest=digest(token),
        person_id=person.id,
        epoch=person.sessions_epoch,
        tries=0,
        expires_at=clock.now() + CHALLENGE_VALID_FOR,
        email=person.email,
    )
    add_challenge(changes, challenge)
    return SecondStepNeeded(
        status="two_factor_required", challenge=token, methods=methods_of(person)
    )


def _open(challenge_token: str) -> tuple[Challenge, Person]:
    """Returns an open challenge and its person.

    Raises ChallengeClosed if sessions ended since, or the account has another address now.
    """
    challenge = find_challenge(challenge_token, clock.now())
    person = find_person(PersonScope(challenge.person_id)) if challenge else None
    if challenge is None or person is None or not challenge.is_of(person):
        raise ChallengeClosed()
    return challenge, person


def _verify(
    challenge: Challenge, person: Person, request: SecondStep, device: Device, changes: Changes
) -> None:
    """Counts the try, compares, and takes it back from the person's limit if it was right.

    If nothing was compared, it counts for neither the person nor the challenge.
    """
    attempt = count_for_person(SECOND_FACTORS, person.scope)
    emailed = challenge_code_key(challenge.token_digest)
    try:
        count_try(challenge)
    except Exception:
        give_back(attempt)
        raise
    try:
        verify_second_factor(changes, person, request.method, request.code, emailed)
    except CodeInvalid:
        _email_limit_reached(attempt, person, device)
        raise
    except Exception:  # nothing was found wrong, so no try is counted
        give_back(attempt)
        refund_try(challenge)
        raise
    give_back(attempt)


def _email_limit_reached(attempt: Attempt, person: Person, device: Device) -> None:
    """Emails the person once the limit is reached: at once, since the answer is a problem."""
    if attempt.is_last:
        changes = Changes()
        ip = device.ip_address or "unknown"
        message = messages.TwoFactorLimit(person.name, clock.now(), ip)
        send_email(changes, person.email, message, account_tags(person.id))
        changes.commit()


def _trusts(person: Person, token: str | None) -> bool:
    return token is not None and is_trusted(person, token)


def _workspace_of(person: Person) -> UUID | None:
    """Returns the workspace used last, if the person still belongs to it."""
    last = person.last_workspace_id
    if last and WorkspaceRepository(WorkspaceScope(last)).standing_of(person.id):
        return last
    return None


def _rehash(person: Person, password: str) -> None:
    changes = Changes()
    renew_hash(changes, person, hash_password(password))
    changes.commit()
