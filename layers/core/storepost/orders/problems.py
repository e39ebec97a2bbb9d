"""What can be wrong with an order."""

from storepost.problems import ValidationFailed


class CurrencyMismatch(ValidationFailed):
    """An amount isn't in the store's currency."""

    code = "currency_mismatch"
    title = "An amount isn't in the store's currency"
    mend = "Give every amount in the store's own currency."
