"""Asking for a password: ten wrong ones an address in 15 minutes, a hundred a source address."""

from storepost.identity.limits import (
    PASSWORDS_OF_ADDRESS,
    PASSWORDS_OF_SOURCE,
    count_for_address,
    count_for_source,
    give_back,
)
from storepost.identity.passwords import verify_password
from storepost.identity.problems import SignInLimit
from storepost.problems import Problem


def check_password(
    email: str, ip: str | None, password_hash: str | None, password: str, otherwise: Problem
) -> None:
    """Raises `otherwise` where the password isn't the hash's, `SignInLimit` past the limits.

    Without a hash, for an address that nobody has, it counts and takes as long as with one.
    """
    of_address = count_for_address(PASSWORDS_OF_ADDRESS, email)
    try:
        of_source = count_for_source(PASSWORDS_OF_SOURCE, ip)
    except SignInLimit:  # the password was never compared, so the address isn't charged
        give_back(of_address)
        raise
    if not verify_password(password_hash, password):
        raise otherwise
    give_back(of_address, of_source)
