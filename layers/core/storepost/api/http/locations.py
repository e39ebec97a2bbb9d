"""`Location`: where to read what a request created or started (RFC 9110, section 10.2.2)."""

import json
from typing import Any
from urllib.parse import quote

from aws_lambda_powertools.utilities.data_classes.common import BaseProxyEvent

from storepost.api.http.origin import base_url

LOCATIONS = {
    "apiKeys.create": "/api-keys/{apiKey[id]}",
    "changeProposals.create": "/change-proposals/{id}",
    "connections.create": "/connections/{key}",
    "coupons.assign": "/coupon-codes/{id}",
    "coupons.create": "/coupons/{id}",
    "coupons.createCodes": "/coupons/{id}",
    "coupons.import": "/coupons/{id}",
    "customers.put": "/stores/{parent_id}/customers?externalId={externalId}",
    "customers.putByQuery": "/stores/{parent_id}/customers?externalId={externalId}",
    "feeds.create": "/feeds/{id}",
    "feeds.createImport": "/feeds/{feedId}/imports/{id}",
    "invitations.create": "/invitations/{id}",
    "locales.create": "/locales/{id}",
    "orders.put": "/orders/{id}",
    "orders.putByQuery": "/orders/{id}",
    "productPriorityChanges.apply": "/product-priority-changes/{id}",
    "productPriorityChanges.create": "/product-priority-changes/{id}",
    "productPriorityChanges.refresh": "/product-priority-changes/{id}",
    "products.put": "/products/{id}",
    "products.putByQuery": "/products/{id}",
    "profiles.upsert": "/profiles/{id}",
    "stores.create": "/stores/{id}",
    "stores.createBatch": "/stores/{parent_id}/imports/{id}",
    "stores.createImport": "/stores/{parent_id}/imports/{id}",
    "suppressions.create": "/suppressions/{id}",
    "webhookEndpoints.create": "/webhook-endpoints/{endpoint[id]}",
    "webhookEndpoints.retryDelivery": "/webhook-endpoints/{parent_id}/deliveries/{id}",
    "webhookEndpoints.test": "/webhook-endpoints/{parent_id}/deliveries/{id}",
    "workspaces.create": "/workspaces/{id}",
}
"""By operation, with fields of the answer; `parent_id` is the id in the request's path."""

_STATUSES = frozenset({201, 202})


def location_of(
    operation: str | None, event: BaseProxyEvent, answer: dict[str, Any]
) -> dict[str, str]:
    """Returns the header if the answer is a 201 or 202 of something that has an address."""
    template = LOCATIONS.get(operation or "")
    if template is None or answer["statusCode"] not in _STATUSES:
        return {}
    payload = json.loads(answer["body"])
    parent_id = "".join(str(event["rawPath"]).split("/")[3:4])  # as /v1/stores/<id>/imports
    values = {k: quote(v, safe="") if isinstance(v, str) else v for k, v in payload.items()}
    return {"Location": base_url(event) + template.format_map({**values, "parent_id": parent_id})}
