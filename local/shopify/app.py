"""The one app that the pretend Shopify knows: ours."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class App:
    """An app as Shopify knows it."""

    client_id: str
    secret: str = field(repr=False)


APP = App("local-app", "local-app-secret")
