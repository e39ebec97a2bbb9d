"""SES's events about an email, as EventBridge delivers them to the targets of the template's rules.

Here SES publishes events only for emails to its mailbox simulator, and at once (SES developer
guide, "Using the mailbox simulator manually"): `success@`, `bounce@`, `complaint@`, `ooto@` and
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
    """An email that SES accepted, with the fields that its events contain."""

    id: str
    to: str
    source: str
    configuration_set: str
    tags: dict[str, str]
    sent_at: datetime


def event(email: SentEmail, kind: str, about: dict[str, Any], at: datetime | None = None) -> Event:
    """Returns EventBridge's event: `kind` is SES's `eventType`, `about` the part specific to it."""
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
    """Returns a bounce with this `bounceType` and `bounceSubType`."""
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
    """Returns a complaint with this `complaintFeedbackType`."""
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
    """Returns a delivery event."""
    about = {
        "processingTimeMillis": 546,
        "recipients": [email.to],
        "smtpResponse": "250 ok: Message 111 accepted",
        "reportingMTA": "a8-70.smtp-out.amazonses.com",
    }
    return event(email, "Delivery", about)


def simulated(email: SentEmail) -> list[Event]:
    """Returns the events of an email to the mailbox simulator; none for any other email."""
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
    """Sends events to the queues of the rules that they match.

    It uses no client: the call would count as one of the function that has just sent the email.
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
    """Whether an event matches a rule's pattern; one match in a list is enough.

    A reference to a resource means its logical id, which is its name here.
    """
    if isinstance(pattern, dict):
        return isinstance(value, dict) and all(
            matches(value.get(name), inner) for name, inner in pattern.items()
        )
    choices = [each["Ref"] if isinstance(each, dict) else each for each in pattern]
    values = value if isinstance(value, list) else [value]
    return any(each in choices for each in values)
