"""What the template tells a function by way of its environment."""

import os
from dataclasses import dataclass, field
from functools import cache


def _read(name: str, default: str | None = None) -> str:
    value = os.environ.get(name, default)
    if value is None:
        raise RuntimeError(f"the environment lacks {name}; template.yaml sets it")
    return value


@dataclass(frozen=True)
class ServiceSettings:
    """The environment, read once a container."""

    table: str = field(default_factory=lambda: _read("TABLE_NAME"))
    idempotency_table: str = field(default_factory=lambda: _read("IDEMPOTENCY_TABLE"))
    email_queue_url: str = field(default_factory=lambda: _read("EMAIL_QUEUE_URL", ""))
    write_back_queue_url: str = field(default_factory=lambda: _read("WRITE_BACK_QUEUE_URL", ""))
    account_erasure_queue_url: str = field(
        default_factory=lambda: _read("ACCOUNT_ERASURE_QUEUE_URL", "")
    )
    store_import_queue_url: str = field(default_factory=lambda: _read("STORE_IMPORT_QUEUE_URL", ""))
    profile_merge_queue_url: str = field(
        default_factory=lambda: _read("PROFILE_MERGE_QUEUE_URL", "")
    )
    webhook_queue_url: str = field(default_factory=lambda: _read("WEBHOOK_QUEUE_URL", ""))
    profile_erasure_queue_url: str = field(
        default_factory=lambda: _read("PROFILE_ERASURE_QUEUE_URL", "")
    )
    workspace_deletion_queue_url: str = field(
        default_factory=lambda: _read("WORKSPACE_DELETION_QUEUE_URL", "")
    )
    feed_import_queue_url: str = field(default_factory=lambda: _read("FEED_IMPORT_QUEUE_URL", ""))
    product_job_queue_url: str = field(default_factory=lambda: _read("PRODUCT_JOB_QUEUE_URL", ""))
    product_sales_queue_url: str = field(
        default_factory=lambda: _read("PRODUCT_SALES_QUEUE_URL", "")
    )
    coupon_code_queue_url: str = field(default_factory=lambda: _read("COUPON_CODE_QUEUE_URL", ""))
    search_repair_queue_url: str = field(
        default_factory=lambda: _read("SEARCH_REPAIR_QUEUE_URL", "")
    )
    job_objects: str = field(default_factory=lambda: _read("JOB_OBJECTS", ""))
    data_key_id: str = field(default_factory=lambda: _read("DATA_KEY_ID", ""))
    code_key_id: str = field(default_factory=lambda: _read("CODE_KEY_ID", ""))
    app_url: str = field(default_factory=lambda: _read("APP_URL", "").rstrip("/"))
    shopify_client_id: str = field(default_factory=lambda: _read("SHOPIFY_CLIENT_ID", ""))
    shopify_secret_name: str = field(default_factory=lambda: _read("SHOPIFY_SECRET_NAME", ""))
    shopify_scopes: str = field(default_factory=lambda: _read("SHOPIFY_SCOPES", ""))
    caller_requests_per_second: int = field(
        default_factory=lambda: int(_read("CALLER_REQUESTS_PER_SECOND", "50"))
    )
    """Of an API key, and of a signed-in person; 0 for no budget."""
    workspace_requests_per_second: int = field(
        default_factory=lambda: int(_read("WORKSPACE_REQUESTS_PER_SECOND", "100"))
    )
    budget_burst_seconds: int = field(
        default_factory=lambda: int(_read("BUDGET_BURST_SECONDS", "2"))
    )
    """A burst may be as many requests as a budget has in so many seconds."""
    sender_address: str = field(default_factory=lambda: _read("SENDER_ADDRESS", ""))
    base_url: str = field(default_factory=lambda: _read("BASE_URL", "").rstrip("/"))
    trusted_proxies: tuple[str, ...] = field(
        default_factory=lambda: tuple(_read("TRUSTED_PROXIES", "").split(","))
    )
    emails_per_second: float = field(
        default_factory=lambda: float(_read("EMAILS_PER_SECOND", "") or 0)
    )
    email_configuration_set: str = field(
        default_factory=lambda: _read("EMAIL_CONFIGURATION_SET", "")
    )


@cache
def settings() -> ServiceSettings:
    """The one reading of the environment."""
    return ServiceSettings()
