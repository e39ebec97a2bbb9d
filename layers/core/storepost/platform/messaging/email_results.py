"""What is stored of SES's events: the newest email to an address, and its outcome.

A result is a function of the set of events received, so that their order and number don't matter:
of two emails the one sent later counts, of two events about one email the higher outcome.
"""

from dataclasses import dataclass
from datetime import datetime

from pynamodb.attributes import Attribute
from pynamodb.constants import STRING
from pynamodb.expressions.condition import Condition

from storepost.platform.messaging.ses_events import Outcome, outcome_of
from storepost.values import clock


@dataclass(frozen=True, slots=True, order=True)
class EmailResult:
    """The outcome of an email; results sort in the order in which they replace each other."""

    sent_at: datetime
    outcome: Outcome


class EmailResultAttribute(Attribute[EmailResult]):
    """A result as text that sorts as results do."""

    attr_type = STRING

    def serialize(self, value: EmailResult) -> str:
        """Returns the moment as in answers, `#`, and the outcome's number."""
        return f"{clock.to_text(value.sent_at)}#{value.outcome:d}"

    def deserialize(self, value: str) -> EmailResult:
        """Returns the result that was passed to `serialize`."""
        sent_at, _, outcome = value.partition("#")
        return EmailResult(clock.from_text(sent_at), outcome_of(int(outcome)))


def is_older(stored: EmailResultAttribute, result: EmailResult) -> Condition:
    """Returns the condition that no result is stored, or one that is older than this one."""
    condition: Condition = stored.does_not_exist() | (stored < result)
    return condition
