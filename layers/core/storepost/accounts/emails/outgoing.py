"""An email in the outbox and its queue: sealed, so that neither address nor code is readable."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar
from uuid import UUID

from storepost.accounts.emails.messages import Message, to_params
from storepost.platform.messaging.email_tags import EmailTags
from storepost.platform.messaging.messages import QueueMessage, send
from storepost.platform.messaging.outbox import Queue
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.sealing import Purpose, seal, unseal
from storepost.values.ids import new_id


@dataclass(frozen=True)
class SealedEmail(QueueMessage):
    """An email as the queue's message has it."""

    queue: ClassVar = Queue.EMAILS

    id: UUID
    sealed: str


@dataclass(frozen=True)
class OutgoingEmail:
    """An email that is to be sent."""

    id: UUID
    to: str
    template: str
    params: Mapping[str, object]
    tags: EmailTags | None
    """What it is for; None in a message that an earlier version queued."""


def send_email(changes: Changes, to: str, message: Message, tags: EmailTags) -> None:
    """Sends the email once the changes are committed; the tags say what it is for."""
    email_id = new_id()
    content = {
        "to": to,
        "template": message.template,
        "params": to_params(message),
        "tags": tags.by_name(),
    }
    sealed = seal(json.dumps(content).encode(), Purpose.OUTGOING_EMAIL, str(email_id))
    send(changes, SealedEmail(email_id, sealed))


def read_email(body: str) -> OutgoingEmail:
    """Returns the email in a message."""
    message = SealedEmail.of(body)
    content = json.loads(unseal(message.sealed, Purpose.OUTGOING_EMAIL, str(message.id)))
    tags = EmailTags.of(content.get("tags", {}))
    return OutgoingEmail(message.id, content["to"], content["template"], content["params"], tags)
