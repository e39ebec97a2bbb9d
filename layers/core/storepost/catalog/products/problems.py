"""What can be wrong with a request about products."""

from storepost.values.problems import FieldError, NotFound, ValidationFailed


class LocaleNotFound(NotFound):
    """The product isn't there in that locale."""

    code = "locale_not_found"
    title = "The product doesn't have that locale"
    remedy = "Ask for one of the product's `locales`, or leave `locale` out."


class SourcesTooLarge(ValidationFailed):
    """The records of a product are together more than an answer may hold."""

    code = "sources_too_large"
    title = "The product has too many records for one answer"
    remedy = "Ask for one variant at a time: name it in `variantId`."

    def __init__(self) -> None:
        """Names the parameter that narrows the answer."""
        super().__init__(errors=[FieldError("query.variantId", "Must name a variant here")])
