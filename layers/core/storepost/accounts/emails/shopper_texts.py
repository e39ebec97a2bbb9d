"""What the emails to shoppers say, in each language: `texts/<language>.json`, by template.

`{sender}` is the workspace's name. The texts address people formally, or nobody, and don't reveal a
person's gender. The Portuguese ones are for Portugal and Brazil.
"""

import json
from functools import cache
from pathlib import Path

from storepost.accounts.emails.messages import OptIn
from storepost.accounts.emails.values import brief, line
from storepost.values.languages import Language

_TEXTS = Path(__file__).parent / "texts"


def shopper_texts(template: str, language: Language, workspace: str) -> dict[str, str]:
    """Returns the template's texts with the workspace's name filled in, each by its own name."""
    sender = line(workspace)
    texts = _texts(language)[template]
    filled = {name: text.replace("{sender}", sender) for name, text in texts.items()}
    return {**filled, "subject": texts["subject"].replace("{sender}", brief(sender))}


def opt_in_wording(language: Language, workspace: str) -> str:
    """Returns what an opt-in email says, for evidence: it holds nothing of the person's own.

    It is the email's text with its subject and the button's label, without the link.
    """
    texts = shopper_texts(OptIn.template, language, workspace)
    body = [texts[name] for name in ("subject", "text", "button", "until", "ignore")]
    return "\n\n".join([*body, f"{line(workspace)}\n{texts['reason']}"])


@cache
def _texts(language: Language) -> dict[str, dict[str, str]]:
    """Returns all texts in a language; they are read once a container."""
    texts: dict[str, dict[str, str]] = json.loads((_TEXTS / f"{language}.json").read_text("utf-8"))
    return texts
