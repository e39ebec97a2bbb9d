"""What can be wrong with a change of consent (docs/interface.md, section 6)."""

from storepost.values.problems import Conflict


class NoEmail(Conflict):
    """The profile has no email address whose consent could change."""

    code = "no_email"
    title = "The profile has no email address"
    remedy = "Give the profile an email address first."


class NoPhone(Conflict):
    """The profile has no phone number whose consent could change."""

    code = "no_phone"
    title = "The profile has no phone number"
    remedy = "Give the profile a phone number first."


class WriteBackNotFailed(Conflict):
    """Only a write-back can be retried that failed, that was skipped for a reason that may end,
    or whose attempt is due for longer than a day.
    """

    code = "write_back_not_failed"
    title = "The write-back hasn't failed"
    remedy = (
        "Wait while it is pending. One that was written needs no retry, nor does one "
        "that was skipped as `superseded` or `already_current`."
    )
