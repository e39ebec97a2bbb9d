"""Sends an email under a lease: a run that is killed in between may send it twice, never none."""

from collections.abc import Callable
from typing import Any, cast

from aws_lambda_powertools.utilities.idempotency import (
    DynamoDBPersistenceLayer,
    IdempotencyConfig,
    idempotent_function,
)
from aws_lambda_powertools.utilities.typing import LambdaContext

from storepost.accounts.emails.outgoing import OutgoingEmail, read_email
from storepost.accounts.emails.rendering import render
from storepost.platform.messaging.ses import AddressRefused, send_email
from storepost.platform.persistence.idempotency import OwnedClient
from storepost.values.ids import new_id
from storepost.values.logs import logger
from storepost.values.settings import settings

_config = IdempotencyConfig(expires_after_seconds=24 * 60 * 60, hash_function="sha256")


def _records() -> DynamoDBPersistenceLayer:
    """Returns the lease's records, owned by this run, which knows its own if an answer is lost."""
    return DynamoDBPersistenceLayer(
        table_name=settings().idempotency_table,
        boto3_client=cast("Any", OwnedClient(str(new_id()))),
    )


type IsWanted = Callable[[OutgoingEmail], bool]
"""Returns whether an email may be sent now: its recipient may have refused it in the meantime."""


def send(body: str, context: LambdaContext, is_wanted: IsWanted) -> None:
    """Sends the email in a message, unless it was sent already or isn't wanted any more.

    A permanent refusal ends the matter; everything else raises, and the queue retries.
    """
    _config.register_lambda_context(context)
    email = read_email(body)
    once = idempotent_function(
        _send,
        data_keyword_argument="email_id",
        persistence_store=_records(),
        config=_config,
        key_prefix="email",
    )
    once(email=email, email_id=str(email.id), is_wanted=is_wanted)


def _send(email: OutgoingEmail, email_id: str, is_wanted: IsWanted) -> None:
    if not is_wanted(email):
        logger.info("email not wanted", extra={"email": email_id, "template": email.template})
        return
    rendered = render(email.template, email.params)
    try:
        send_email(
            email.to,
            rendered.subject,
            rendered.text,
            rendered.html,
            rendered.sender,
            email.tags,
        )
    except AddressRefused as refusal:
        logger.warning(
            "email refused",
            extra={"email": email_id, "template": email.template, "reason": str(refusal)},
        )
