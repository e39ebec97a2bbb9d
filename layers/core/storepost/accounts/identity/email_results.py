"""Results of the emails to an account's address."""

from storepost.accounts.identity.repository import PersonItem, person_key
from storepost.platform.messaging.email_results import EmailResult, is_older
from storepost.platform.persistence.item import amend
from storepost.values.scope import PersonScope


def note_result(person: PersonScope, address: str, result: EmailResult) -> None:
    """Stores the result of an email to the address, as long as it is the account's.

    It stores nothing if a newer email's result is stored, the address has changed, or the account
    is deleted.
    """
    amend(
        PersonItem(*person_key(person)),
        [PersonItem.email_result.set(result)],
        (PersonItem.email == address) & is_older(PersonItem.email_result, result),
    )
