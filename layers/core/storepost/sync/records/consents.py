"""What a shop says of a channel."""

from storepost.people.consent.evidence import EvidenceDetails
from storepost.people.consent.states import ConsentState, OptInLevel
from storepost.people.customers.model import IncomingConsent
from storepost.sync.records.reading import moment_of

_STATES = {
    **{state.value: state for state in ConsentState},
    "invalid": ConsentState.NOT_SUBSCRIBED,
    "redacted": ConsentState.NOT_SUBSCRIBED,
}
_LEVELS = {"single_opt_in": OptInLevel.SINGLE, "confirmed_opt_in": OptInLevel.CONFIRMED}


def consent_of(state: object, updated_at: object, opt_in_level: object) -> IncomingConsent:
    """Returns the state in either case of its letters, and when it became so;
    an unknown one says nothing.

    Shopify's INVALID and REDACTED read as `not_subscribed` (docs/semantics.md, section 2.6).
    INVALID says nothing of what the person wants, but that the address is to be suppressed
    (section 2.7). Its opt-in level is evidence, unless it is UNKNOWN.
    """
    name = _lower(state)
    known, level = _STATES.get(name), _LEVELS.get(_lower(opt_in_level))
    if known is None:
        return IncomingConsent()
    return IncomingConsent(
        known,
        moment_of(updated_at),
        is_of_address=name == "invalid",
        evidence=EvidenceDetails(opt_in_level=level) if level else None,
    )


def _lower(value: object) -> str:
    return value.lower() if isinstance(value, str) else ""
