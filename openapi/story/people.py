"""Who is in the story, and what they do outside the API."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openapi.story.telling import Telling

OWNER, ADMIN, MEMBER = "olive@example.com", "anton@example.com", "mira@example.com"
PASSWORD = "correct horse battery staple"  # noqa: S105 - everybody of the story has it


def code_to(address: str) -> Callable[["Telling"], None]:
    """Somebody reads the code in the latest email to them."""

    def read(telling: "Telling") -> None:
        [code] = telling.email_to(address).codes
        telling.keep_code(address, code)

    return read


def link_to(address: str, name: str) -> Callable[["Telling"], None]:
    """Somebody follows the link in the latest email to them: what stands behind its `#`."""

    def read(telling: "Telling") -> None:
        [link] = telling.email_to(address).links
        telling.values[name] = link.partition("#")[2]
        telling.masks.add_token(name, telling.values[name])

    return read
