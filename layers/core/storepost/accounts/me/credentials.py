"""Changes the password and the address with which a person signs in."""

from storepost.accounts.emails import messages
from storepost.accounts.emails.outgoing import send_email
from storepost.accounts.identity.codes import check_code, issue_code
from storepost.accounts.identity.limits import count_new_address
from storepost.accounts.identity.model import Person, SignedInPerson
from storepost.accounts.identity.passwords import hash_password
from storepost.accounts.identity.problems import ChallengeClosed
from storepost.accounts.identity.repository import find_account
from storepost.accounts.me import repository
from storepost.accounts.me.proof import present, prove
from storepost.platform.messaging.email_tags import account_tags
from storepost.platform.persistence.changes import Changes
from storepost.values import clock


def change_password(
    caller: SignedInPerson, current: str, password: str, ip: str | None, changes: Changes
) -> None:
    """Writes a new password, ends other sessions and trusted browsers, and notifies the person."""
    caller = prove(caller, current, ip)
    person = caller.person
    repository.change_password(changes, caller, hash_password(password))
    message = messages.PasswordChanged(name=person.name, when=clock.now())
    send_email(changes, person.email, message, account_tags(person.id))


def ask_for_address(
    caller: SignedInPerson, email: str, password: str, ip: str | None, changes: Changes
) -> None:
    """Emails a code to the new address; the account keeps its own until the code is given.

    The answer is the same whether or not the address has an account: that account's owner gets an
    email instead of the code, and nothing of either account changes. The caller's own address
    changes nothing either.
    """
    person = prove(caller, password, ip).person
    if email == person.email:
        return
    # Counted at once and for every address, or the limit would show which have accounts.
    count_new_address(person.scope, email)
    repository.ask_for_address(changes, person.scope, email)
    code = issue_code(changes, repository.address_code_key(person.scope))
    owner = find_account(email)
    if owner:
        notice = messages.AddressTaken(name=owner.name)
        send_email(changes, owner.email, notice, account_tags(owner.id))
    else:
        message = messages.NewAddressCode(name=person.name, code=code)
        send_email(changes, email, message, account_tags(person.id))


def confirm_address(caller: SignedInPerson, code: str, changes: Changes) -> None:
    """Moves the account to the address that the code was sent to, and notifies the old one.

    Raises CodeInvalid; ChallengeClosed without an open code; EmailTaken if the address has become
    another account's.
    """
    person = present(caller).person
    email = repository.requested_address(person.scope)
    if email is None:
        raise ChallengeClosed()
    address = check_code(repository.address_code_key(person.scope), code)
    repository.move_address(changes, person, email, address)
    _email_old_address(person, email, changes)


def _email_old_address(person: Person, email: str, changes: Changes) -> None:
    message = messages.AddressChanged(
        name=person.name, new_address=messages.mask_address(email), when=clock.now()
    )
    send_email(changes, person.email, message, account_tags(person.id))
