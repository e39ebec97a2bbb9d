"""The settings that the template puts in a function's environment."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from re import fullmatch


def _read(name: str, default: str | None = None) -> str:
    value = os.environ.get(name, default)
    if value is None:
        raise RuntimeError(f"the environment lacks {name}; template.yaml sets it")
    return value


def _read_queue_urls() -> dict[str, str]:
    """Returns the queues' URLs by name: that of `COUPON_CODES_QUEUE_URL` by `coupon_codes`."""
    ending = "_QUEUE_URL"
    named = {name: url for name, url in os.environ.items() if name.endswith(ending)}
    return {name.removesuffix(ending).lower(): url for name, url in named.items()}


def _read_code_key_ids() -> dict[int, str]:
    """Returns the keys by generation: `CODE_KEY_ID` is the first, `CODE_KEY_ID_2` the second."""
    later = {
        int(name.rpartition("_")[2]): value
        for name, value in os.environ.items()
        if fullmatch(r"CODE_KEY_ID_[0-9]+", name) and value
    }
    return dict(sorted({**later, 1: _read("CODE_KEY_ID", "")}.items()))


@dataclass(frozen=True)
class ServiceSettings:
    """The environment, read once for each container."""

    table: str = field(default_factory=lambda: _read("TABLE_NAME"))
    idempotency_table: str = field(default_factory=lambda: _read("IDEMPOTENCY_TABLE"))
    queue_urls: Mapping[str, str] = field(default_factory=_read_queue_urls)
    """The queues' URLs, by the values of `platform/messaging/outbox.py`'s `Queue`."""
    job_objects: str = field(default_factory=lambda: _read("JOB_OBJECTS", ""))
    data_key_id: str = field(default_factory=lambda: _read("DATA_KEY_ID", ""))
    code_key_ids: Mapping[int, str] = field(default_factory=_read_code_key_ids)
    """Keys by their generation: links are sealed under the newest one, and opened under any."""
    app_url: str = field(default_factory=lambda: _read("APP_URL", "").rstrip("/"))
    shopify_client_id: str = field(default_factory=lambda: _read("SHOPIFY_CLIENT_ID", ""))
    shopify_secret_name: str = field(default_factory=lambda: _read("SHOPIFY_SECRET_NAME", ""))
    shopify_scopes: str = field(default_factory=lambda: _read("SHOPIFY_SCOPES", ""))
    caller_requests_per_second: int = field(
        default_factory=lambda: int(_read("CALLER_REQUESTS_PER_SECOND", "50"))
    )
    """For each API key and for each signed-in person; 0 for no budget."""
    workspace_requests_per_second: int = field(
        default_factory=lambda: int(_read("WORKSPACE_REQUESTS_PER_SECOND", "100"))
    )
    budget_burst_seconds: int = field(
        default_factory=lambda: int(_read("BUDGET_BURST_SECONDS", "2"))
    )
    """The size of a burst: as many requests as a budget has in so many seconds."""
    opt_in_emails_per_day: int = field(
        default_factory=lambda: int(_read("OPT_IN_EMAILS_PER_DAY", "2000"))
    )
    """For each workspace; 0 for no limit."""
    sender_address: str = field(default_factory=lambda: _read("SENDER_ADDRESS", ""))
    base_url: str = field(default_factory=lambda: _read("BASE_URL", "").rstrip("/"))
    is_local: bool = field(default_factory=lambda: _read("STOREPOST_LOCAL", "") == "1")
    """Whether this is the local run, whose gateway has no TLS."""
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
    """Returns the settings, which are read from the environment once."""
    return ServiceSettings()
