"""What can be wrong with a request about products."""

from storepost.values.problems import NotFound


class LocaleNotFound(NotFound):
    """The product isn't there in that locale."""

    code = "locale_not_found"
    title = "The product doesn't have that locale"
    remedy = "Ask for one of the product's `locales`, or leave `locale` out."
