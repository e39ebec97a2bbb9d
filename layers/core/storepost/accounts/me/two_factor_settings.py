"""Turns the second step on and off; its backup codes, and the browsers that skip it."""

from itertools import islice

from storepost.accounts.emails import messages
from storepost.accounts.emails.outgoing import send_email
from storepost.accounts.identity import trusted_browsers
from storepost.accounts.identity.codes import check_code, issue_code, use_code
from storepost.accounts.identity.limits import SECOND_STEP_EMAILS, count_for_person
from storepost.accounts.identity.model import Person, SignedInPerson
from storepost.accounts.identity.problems import CodeInvalid, MethodOff
from storepost.accounts.identity.two_factor import (
    delete_backup_codes,
    delete_seed,
    keep_seed,
    matching_step,
    new_backup_codes,
    new_seed,
)
from storepost.accounts.me import repository
from storepost.accounts.me.problems import MethodOn, TwoFactorDemanded
from storepost.accounts.me.proof import present, prove
from storepost.accounts.workspaces.model import Role
from storepost.accounts.workspaces.problems import TwoFactorOff
from storepost.accounts.workspaces.repository import WorkspaceRepository, standings_of
from storepost.platform.messaging.email_tags import account_tags
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.scope import PersonScope

MAX_OWNED = 80
"""Owned workspaces that one transaction checks: with the account's rows it has at most 90 items."""


def start_app(
    caller: SignedInPerson, password: str, ip: str | None, changes: Changes
) -> tuple[str, Person]:
    """Returns a seed for the person's app. The method is off until the app shows a code of it."""
    person = prove(caller, password, ip).person
    if person.app_since:
        raise MethodOn()
    seed = new_seed()
    repository.begin_app(changes, person.scope, seed)
    return seed, person


def confirm_app(caller: SignedInPerson, code: str, changes: Changes) -> list[str]:
    """Turns the app method on; returns the backup codes that the first method brings.

    Raises CodeInvalid; ChallengeClosed if nothing was begun or after five wrong codes.
    """
    person = present(caller).person
    if person.app_since:
        raise MethodOn()
    pending, now = repository.try_app(person.scope), clock.now()
    step = matching_step(pending.seed, code, now)
    if step is None:
        raise CodeInvalid()
    repository.end_app_set_up(changes, person.scope, pending)
    keep_seed(changes, person.scope, pending.seed, step)
    repository.change_app(changes, person, now)
    return _codes_of_first_method(changes, person)


def disable_app(caller: SignedInPerson, password: str, ip: str | None, changes: Changes) -> None:
    """Turns the app method off, and with the last method two-factor as a whole.

    Raises TwoFactorDemanded if that is the last and a workspace of the person's demands one.
    """
    person = prove(caller, password, ip).person
    if person.app_since is None:
        raise MethodOff()
    if person.email_codes_since is None:
        _turn_all_off(changes, person.scope)
    delete_seed(changes, person.scope)
    repository.change_app(changes, person, None)


def start_email(caller: SignedInPerson, changes: Changes) -> None:
    """Emails a code that proves that the person's emails arrive."""
    person = present(caller).person
    if person.email_codes_since:
        raise MethodOn()
    count_for_person(SECOND_STEP_EMAILS, person.scope)  # at once: what was sent counts
    code = issue_code(changes, repository.email_method_code_key(person.scope))
    message = messages.TwoFactorEmailCode(name=person.name, code=code)
    send_email(changes, person.email, message, account_tags(person.id))


def confirm_email(caller: SignedInPerson, code: str, changes: Changes) -> list[str]:
    """Turns the email method on; returns the backup codes that the first method brings."""
    person = present(caller).person
    if person.email_codes_since:
        raise MethodOn()
    use_code(changes, check_code(repository.email_method_code_key(person.scope), code))
    repository.change_email_codes(changes, person, clock.now())
    return _codes_of_first_method(changes, person)


def disable_email(caller: SignedInPerson, changes: Changes) -> None:
    """Turns the email method off; with the app method off, two-factor as a whole.

    Raises TwoFactorDemanded if it was the last and a workspace of the person's demands one.
    """
    person = present(caller).person
    if person.email_codes_since is None:
        raise MethodOff()
    if person.app_since is None:
        _turn_all_off(changes, person.scope)
    repository.change_email_codes(changes, person, None)


def renew_backup_codes(
    caller: SignedInPerson, password: str, ip: str | None, changes: Changes
) -> list[str]:
    """Returns ten new codes; the former ones, and the trust in all browsers, end."""
    person = prove(caller, password, ip).person
    if not person.has_two_factor:
        raise TwoFactorOff()
    repository.revoke_browsers(changes, person)
    return new_backup_codes(changes, person.scope)


def revoke_trusted_browsers(caller: SignedInPerson, changes: Changes) -> None:
    """Ends the trust in all browsers: each asks for a second step at its next sign-in."""
    trusted_browsers.revoke_all(changes, caller.person)


def _turn_all_off(changes: Changes, person: PersonScope) -> None:
    """Ends what depends on the last method, unless a workspace demands two-factor.

    No workspace that the person owns may begin to demand it meanwhile: its owner always has it.
    """
    standings = standings_of(person)
    if any(standing.workspace.require_two_factor for standing in standings):
        raise TwoFactorDemanded()
    owned = (each.workspace for each in standings if each.membership.role is Role.OWNER)
    for workspace in islice(owned, MAX_OWNED):
        WorkspaceRepository(workspace.scope).expect_policy(changes, workspace)
    delete_backup_codes(changes, person)


def _codes_of_first_method(changes: Changes, person: Person) -> list[str]:
    return [] if person.has_two_factor else new_backup_codes(changes, person.scope)
