"""An email on its way: sealed in the outbox, so that neither address nor code stands there."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from storepost.accounts.emails.messages import Message, to_params
from storepost.platform.messaging.outbox import Queue, send_with
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.sealing import Purpose, seal, unseal
from storepost.values.ids import new_id


@dataclass(frozen=True)
class OutgoingEmail:
    """An email as the queue carries it."""

    id: UUID
    to: str
    template: str
    params: Mapping[str, object]


def send_email(changes: Changes, to: str, message: Message) -> None:
    """Sends the email once the changes are committed."""
    email_id = new_id()
    content = {"to": to, "template": message.template, "params": to_params(message)}
    body: dict[str, object] = {
        "id": str(email_id),
        "sealed": seal(json.dumps(content).encode(), Purpose.OUTGOING_EMAIL, str(email_id)),
    }
    send_with(changes, Queue.EMAILS, [(body, None)])


def read_email(body: str) -> OutgoingEmail:
    """The email that a message carries."""
    message = json.loads(body)
    email_id = UUID(message["id"])
    content = json.loads(unseal(message["sealed"], Purpose.OUTGOING_EMAIL, str(email_id)))
    return OutgoingEmail(email_id, content["to"], content["template"], content["params"])
