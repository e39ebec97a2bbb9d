"""SES's events about sent emails, as EventBridge delivers them.

EventBridge delivers them on a best-effort basis, some twice and in any order (SES developer guide,
"Monitoring SES events using Amazon EventBridge"). `detail` is what SES publishes to SNS too
("Contents of event data that Amazon SES publishes to Amazon SNS"). An email of the service has one
recipient, which is in `mail.destination`; an event doesn't always name the address that complained,
as some providers hide it.
"""

import json
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from typing import Any, Self

from storepost.platform.messaging.email_tags import EmailTags
from storepost.values import clock


class Outcome(IntEnum):
    """What became of an email. Of two events about the same one, the higher holds, whichever
    comes first.

    `UNKNOWN` is any other event. `DELAYED`: SES goes on trying. `REJECTED` and `NOT_RENDERED`: SES
    never tried, by what the email holds. `RETURNED`: SES gave up after hours of trying, or somebody
    who got it has an automatic answer (SES names both a transient bounce), which is why
    `DELIVERED` outweighs it. `BOUNCED`: refused for good, some after they were taken.
    """

    UNKNOWN = 0
    DELAYED = 1
    REJECTED = 2
    NOT_RENDERED = 3
    RETURNED = 4
    DELIVERED = 5
    BOUNCED = 6
    COMPLAINED = 7

    @property
    def is_of_the_address(self) -> bool:
        """Returns whether it is final, and says something about the email's address."""
        return self >= Outcome.RETURNED


def outcome_of(number: int) -> Outcome:
    """Returns the outcome of that number; `UNKNOWN` for one of another release."""
    return Outcome(number) if number in Outcome else Outcome.UNKNOWN


_OUTCOMES = {
    "Delivery": Outcome.DELIVERED,
    "DeliveryDelay": Outcome.DELAYED,
    "Reject": Outcome.REJECTED,
    "Rendering Failure": Outcome.NOT_RENDERED,
}
_NO_COMPLAINTS = frozenset({"auth-failure", "not-spam"})
"""Feedback loop reports that are no complaints.

They are about a signature that failed, or say that an email is no spam after all.
"""


@dataclass(frozen=True)
class EmailEvent:
    """One event about one email."""

    message_id: str
    """SES's id of the email."""
    sent_at: datetime
    """When SES accepted the email."""
    at: datetime
    """When the event's subject happened, or was reported."""
    outcome: Outcome
    reason: str
    """SES's own words for it, such as `Bounce Permanent General`: no personal data."""
    tags: EmailTags | None
    recipient: str = field(repr=False)
    """The address as SES has it, with the domain in ASCII."""

    @classmethod
    def of(cls, text: str) -> Self:
        """Returns the event that the queue delivers. Raises ValueError for any other message."""
        try:
            event = json.loads(text)
            detail, mail = event["detail"], event["detail"]["mail"]
            kind = detail["eventType"]
            about = detail.get(_name_of(kind)) or {}
            return cls(
                message_id=mail["messageId"],
                sent_at=clock.from_text(mail["timestamp"]),
                at=clock.from_text(about.get("timestamp") or event["time"]),
                outcome=_outcome(kind, about),
                reason=_reason(kind, about),
                tags=EmailTags.of(_first_values(mail.get("tags") or {})),
                recipient=mail["destination"][0],
            )
        except (AttributeError, IndexError, KeyError, TypeError) as error:
            raise ValueError("the message is no event of SES about an email") from error


def _name_of(kind: str) -> str:
    """Returns the name of an event's own part in `detail`: `bounce` for `Bounce`."""
    return "failure" if kind == "Rendering Failure" else kind[:1].lower() + kind[1:]


def _outcome(kind: str, about: dict[str, Any]) -> Outcome:
    if kind == "Bounce":
        # A bounce that SES couldn't determine may be transient.
        return Outcome.BOUNCED if about["bounceType"] == "Permanent" else Outcome.RETURNED
    if kind == "Complaint":
        is_none = about.get("complaintFeedbackType") in _NO_COMPLAINTS
        return Outcome.UNKNOWN if is_none else Outcome.COMPLAINED
    return _OUTCOMES.get(kind, Outcome.UNKNOWN)


def _reason(kind: str, about: dict[str, Any]) -> str:
    named = ("bounceType", "bounceSubType", "complaintSubType", "complaintFeedbackType")
    words = (about.get(name) for name in (*named, "delayType"))
    return " ".join(str(word) for word in (kind, *words) if word)


def _first_values(tags: dict[str, list[str]]) -> dict[str, str]:
    return {name: values[0] for name, values in tags.items() if values}
