"""What can be wrong with a webhook endpoint (docs/interface.md)."""

from storepost.values.problems import Conflict, ValidationFailed
from storepost.webhooks.endpoints.model import MAX_ENDPOINTS


class EndpointLimit(Conflict):
    """The workspace has as many webhook endpoints as it may."""

    code = "endpoint_limit"
    title = "Too many webhook endpoints"
    remedy = f"A workspace has {MAX_ENDPOINTS} webhook endpoints at most; delete one first."


class EndpointDisabled(Conflict):
    """The webhook endpoint is disabled, so nothing is sent to it."""

    code = "endpoint_disabled"
    title = "The webhook endpoint is disabled"
    remedy = "Enable it first: change its `status` to `enabled`."


class UnknownEventType(ValidationFailed):
    """An event type, or a group of them, doesn't exist."""

    code = "unknown_event_type"
    title = "There is no such event type"
    remedy = "Use types that `GET /webhook-event-types` lists, a group such as `order.*`, or `*`."
