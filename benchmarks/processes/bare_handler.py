"""The floor of a cold start: Powertools' resolver with validation, PynamoDB, and one client."""

import os
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from aws_lambda_powertools.utilities.typing import LambdaContext
from pynamodb.attributes import UnicodeAttribute
from pynamodb.models import Model


class Thing(Model):
    """A row with nothing but its key."""

    class Meta:
        """The one table."""

        table_name = os.environ["TABLE_NAME"]
        region = os.environ["AWS_REGION"]

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)


app = APIGatewayHttpResolver(enable_validation=True)
client: Any = Thing._get_connection().connection.client


@app.get("/v1/things/<id>")
def get_thing(id: str) -> dict[str, str]:
    """The thing."""
    return {"id": Thing.get(id, id, consistent_read=True).pk}


def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """The function's entry point."""
    return app.resolve(event, context)
