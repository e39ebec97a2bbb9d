"""The people of the story, and their actions outside the API."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openapi.story.story_run import StoryRun

OWNER, ADMIN, MEMBER = "olive@example.com", "anton@example.com", "mira@example.com"
PASSWORD = "correct horse battery staple"  # noqa: S105 - everybody of the story has it


def code_to(address: str) -> Callable[["StoryRun"], None]:
    """Somebody reads the code in the latest email to them."""

    def read(story: "StoryRun") -> None:
        [code] = story.email_to(address).codes
        story.keep_code(address, code)

    return read


def link_to(address: str, name: str) -> Callable[["StoryRun"], None]:
    """Somebody follows the link in the latest email to them; the token is its fragment."""

    def read(story: "StoryRun") -> None:
        [link] = story.email_to(address).links
        story.values[name] = link.partition("#")[2]
        story.masks.add_token(name, story.values[name])

    return read
