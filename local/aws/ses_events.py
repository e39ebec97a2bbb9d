"""What SES says of an email, as EventBridge carries it to the targets of the template's rules.

Here SES says something of emails to its mailbox simulator alone, and at once (SES developer guide,
"Using the mailbox simulator manually"): `success@`, `bounce@`, `complaint@`, `ooto@` and
`suppressionlist@simulator.amazonses.com`, also with a label, as in `bounce+one@`.
"""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.sqs.models import sqs_backends

from local.template import resources
from storepost.values import clock

SIMULATOR = "simulator.amazonses.com"
_REGION = "eu-central-1"

type Event = dict[str, Any]

_DETAIL_TYPES = {
    "Bounce": "Email Bounced",
    "Complaint": "Email Complaint Received",
    "Delivery": "Email Delivered",
    "DeliveryDelay": "Email Delivery Delayed",
    "Reject": "Email Rejected",
    "Rendering Failure": "Email Rendering Failed",
}


@dataclass(frozen=True)
class SentEmail:
    """An email that SES took: what its events repeat of it."""

    id: str
    to: str
    source: str
    configuration_set: str
    tags: dict[str, str]
    sent_at: datetime


def event(email: SentEmail, kind: str, about: dict[str, Any], at: datetime | None = None) -> Event:
    """What EventBridge carries: `kind` is SES's `eventType`, `about` the part that it has alone."""
    at = at or email.sent_at
    tags = {
        "ses:source-tls-version": ["TLSv1.3"],
        "ses:operation": ["SendEmail"],
        "ses:configuration-set": [email.configuration_set],
        "ses:outgoing-ip": ["192.0.2.25"],
        **{name: [value] for name, value in email.tags.items()},
    }
    part = "failure" if kind == "Rendering Failure" else kind[:1].lower() + kind[1:]
    timed = {} if kind in {"Reject", "Rendering Failure"} else {"timestamp": clock.to_text(at)}
    return {
        "version": "0",
        "id": str(uuid4()),
        "detail-type": _DETAIL_TYPES[kind],
        "source": "aws.ses",
        "account": DEFAULT_ACCOUNT_ID,
        "time": at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "region": _REGION,
        "resources": [
            f"arn:aws:ses:{_REGION}:{DEFAULT_ACCOUNT_ID}:configuration-set/{email.configuration_set}"
        ],
        "detail": {
            "eventType": kind,
            part: {**about, **timed},
            "mail": {
                "timestamp": clock.to_text(email.sent_at),
                "source": email.source,
                "sendingAccountId": DEFAULT_ACCOUNT_ID,
                "messageId": email.id,
                "destination": [email.to],
                "headersTruncated": False,
                "headers": [{"name": "To", "value": email.to}],
                "commonHeaders": {"to": [email.to], "messageId": email.id},
                "tags": tags,
            },
        },
    }


def bounce(email: SentEmail, kind: str = "Permanent", sub_type: str = "General") -> Event:
    """A bounce, by its `bounceType` and `bounceSubType`."""
    status = "5.1.1" if kind == "Permanent" else "4.2.2"
    recipient = {"emailAddress": email.to, "action": "failed", "status": status}
    about = {
        "bounceType": kind,
        "bounceSubType": sub_type,
        "bouncedRecipients": [{**recipient, "diagnosticCode": f"smtp; 550 {status} {email.to}"}],
        "feedbackId": f"{email.id}-feedback",
        "reportingMTA": "dsn; mta.example.com",
    }
    return event(email, "Bounce", about)


def complaint(email: SentEmail, kind: str = "abuse") -> Event:
    """A complaint, by its `complaintFeedbackType`."""
    about = {
        "complainedRecipients": [{"emailAddress": email.to}],
        "feedbackId": f"{email.id}-feedback",
        "complaintSubType": None,
        "userAgent": "Example feedback loop",
        "complaintFeedbackType": kind,
        "arrivalDate": clock.to_text(email.sent_at),
    }
    return event(email, "Complaint", about)


def delivery(email: SentEmail) -> Event:
    """A delivery."""
    about = {
        "processingTimeMillis": 546,
        "recipients": [email.to],
        "smtpResponse": "250 ok: Message 111 accepted",
        "reportingMTA": "a8-70.smtp-out.amazonses.com",
    }
    return event(email, "Delivery", about)


def simulated(email: SentEmail) -> list[Event]:
    """What comes of an email to the mailbox simulator; nothing of any other."""
    local, _, domain = email.to.rpartition("@")
    if domain != SIMULATOR:
        return []
    return {
        "success": [delivery(email)],
        "bounce": [bounce(email)],
        "complaint": [delivery(email), complaint(email)],
        "ooto": [delivery(email), bounce(email, "Transient")],
        "suppressionlist": [bounce(email, "Permanent", "Suppressed")],
    }.get(local.partition("+")[0], [])


def publish(events: list[Event]) -> None:
    """Carries events to the queues of the rules that they match.

    Not by a client: the call would be the function's that has just sent the email.
    """
    from local.aws import QUEUES_CHANGED, REGION, queue_name  # noqa: PLC0415 - it imports this

    queues = sqs_backends[DEFAULT_ACCOUNT_ID][REGION]
    for each in events:
        for rule in resources("AWS::Events::Rule").values():
            if matches(each, rule["EventPattern"]):
                for target in rule["Targets"]:
                    name = queue_name(target["Arn"]["Fn::GetAtt"][0])
                    queues.send_message(name, json.dumps(each))
                    QUEUES_CHANGED.ring()


def matches(value: Any, pattern: Any) -> bool:  # noqa: ANN401 - JSON
    """Whether an event has what a rule's pattern names: of a list, any one.

    A reference to a resource stands for its logical id, which is its name here.
    """
    if isinstance(pattern, dict):
        return isinstance(value, dict) and all(
            matches(value.get(name), inner) for name, inner in pattern.items()
        )
    choices = [each["Ref"] if isinstance(each, dict) else each for each in pattern]
    values = value if isinstance(value, list) else [value]
    return any(each in choices for each in values)
