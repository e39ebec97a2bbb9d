"""What a shop says of a channel."""

from storepost.consent.states import ConsentState
from storepost.customers.model import GivenConsent
from storepost.shop_records.reading import moment_of

_STATES = {
    **{state.value: state for state in ConsentState},
    "invalid": ConsentState.NOT_SUBSCRIBED,
    "redacted": ConsentState.NOT_SUBSCRIBED,
}


def consent_of(state: object, updated_at: object) -> GivenConsent:
    """The state in either case of its letters, and when it became so; an unknown one says nothing.

    Shopify's INVALID and REDACTED read as `not_subscribed` (docs/semantics.md, section 2.6).
    INVALID says nothing of what the person wants.
    """
    name = state.lower() if isinstance(state, str) else ""
    known = _STATES.get(name)
    if known is None:
        return GivenConsent()
    return GivenConsent(known, moment_of(updated_at), is_of_address=name == "invalid")
