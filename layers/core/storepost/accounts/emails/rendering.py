"""Renders an email from its name and parameters.

Two steps keep values away from MJML. A template's MJML, in which values are still placeholders, is
composed with the layout (``[[ ]]``, ``[% %]``) and becomes HTML once a container; each email then
fills that HTML's placeholders (``{{ }}``, ``{% %}``) with autoescape on. So markup in a value is
text to both languages.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

import mrml
from jinja2 import Environment, FileSystemLoader, FunctionLoader, StrictUndefined, select_autoescape

from storepost.accounts.emails.messages import MESSAGES, OptIn
from storepost.accounts.emails.shopper_texts import shopper_texts
from storepost.accounts.emails.values import FITTED, brief
from storepost.platform.messaging.ses import SERVICE
from storepost.values.languages import Language

_TEMPLATES = Path(__file__).parent / "templates"
# The names of templates after `_source`: the extension decides about escaping.
_HTML = ".html"


@dataclass(frozen=True, slots=True)
class RenderedEmail:
    """An email's subject (one line) and its two bodies, which may hold a code: log neither."""

    subject: str
    text: str = field(repr=False)
    html: str = field(repr=False)
    sender: str = field(default=SERVICE, repr=False)
    """The sender's name."""


def render(name: str, params: Mapping[str, object]) -> RenderedEmail:
    """Returns the email of this name (`MESSAGES`) with the parameters from `to_params`.

    Parameters that the email doesn't have are ignored, so that an older worker can render a newer
    message. Raises LookupError for an unknown name or a missing parameter, ValueError for a value
    of another kind than the message says.
    """
    values = _fitted(name, params)
    sender = SERVICE
    if name == OptIn.template:
        sender = str(values["workspace"])
        values["texts"] = shopper_texts(name, Language(str(values["language"])), sender)
    subject = _filled(f"{name}/subject.txt", values).strip()
    return RenderedEmail(
        subject=subject,
        text=_filled(f"{name}/body.txt", values).strip() + "\n",
        html=_filled(f"{name}/body{_HTML}", {**values, "subject": subject}),
        sender=sender,
    )


def _fitted(name: str, params: Mapping[str, object]) -> dict[str, object]:
    if name not in MESSAGES:
        raise LookupError(f"no email is named {name!r}")
    parts = fields(MESSAGES[name])
    missing = [part.name for part in parts if part.name not in params]
    if missing:
        raise LookupError(f"{name} lacks {', '.join(missing)}")
    return {part.name: FITTED[part.type](params[part.name]) for part in parts}


def _filled(template: str, values: Mapping[str, object]) -> str:
    return _emails.get_template(template).render(values)


def _source(template: str) -> str:
    if template.endswith(_HTML):
        return _html_of(template.removesuffix(_HTML) + ".mjml")
    return (_TEMPLATES / template).read_text("utf-8")


def _html_of(template: str) -> str:
    output = mrml.to_html(
        _layouts.get_template(template).render(),
        # MJML may include files and addresses. Ours never do, and must not by mistake.
        mrml.ParserOptions(include_loader=mrml.noop_loader()),
        # mrml's default would have the mail client fetch a web font.
        mrml.RenderOptions(fonts={}),
    )
    if output.warnings:
        raise ValueError(f"{template}: {[warning.kind for warning in output.warnings]}")
    return output.content


# It composes our own files and gets no values, so there is nothing to escape.
_layouts = Environment(  # noqa: S701
    loader=FileSystemLoader(_TEMPLATES),
    undefined=StrictUndefined,
    block_start_string="[%",
    block_end_string="%]",
    variable_start_string="[[",
    variable_end_string="]]",
    comment_start_string="[#",
    comment_end_string="#]",
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)

# Templates are compiled at their first use and kept for the container's life.
_emails = Environment(
    loader=FunctionLoader(_source),
    undefined=StrictUndefined,
    autoescape=select_autoescape(enabled_extensions=(_HTML,), default=False),
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)
_emails.filters["brief"] = brief
