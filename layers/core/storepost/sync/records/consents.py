"""A shop's consent data for a channel."""

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
    """Returns the state and its time; an unknown state states nothing.

    The state may be in upper or lower case. Shopify's INVALID and REDACTED become `not_subscribed`
    (docs/semantics.md, section 2.6). INVALID states nothing about the person's wish, but that the
    address must be suppressed (section 2.7). The opt-in level is evidence, unless it is UNKNOWN.
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
