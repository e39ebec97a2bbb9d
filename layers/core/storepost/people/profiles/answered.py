"""What of a profile its own answer shows, so that whoever is told of changes is told of these."""

from storepost.people.profiles.model import Profile


def answered(profile: Profile) -> tuple[object, ...]:
    """Returns what `GET /profiles/{id}` shows, in values that can be compared.

    When the person was seen last is left out: each of their events changes that.
    """
    return (
        profile.first_name,
        profile.last_name,
        profile.email,
        profile.phone,
        profile.locale,
        profile.locale_source,
        profile.email_consent,
        profile.sms_consent,
        profile.first_seen_at,
        tuple(profile.store_ids),
        profile.is_customer,
        profile.orders,
        tuple(profile.spent_money),
    )
