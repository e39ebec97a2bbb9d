"""A page of the service as an answer: rendered, and allowed only what it contains itself."""

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from storepost.api.reference.markdown import line_to_html, to_html
from storepost.values.languages import Language

if TYPE_CHECKING:
    from jinja2 import Environment

_HERE = Path(__file__).parent
DOCUMENTATION = ("style.css", "docs.css")
"""The styles of every page that explains something."""


@dataclass(frozen=True)
class WebPage:
    """A page, and the headers of its answer."""

    html: str
    headers: dict[str, str] = field(repr=False)


def scripts(*files: str) -> str:
    """Returns our own scripts of these names as one."""
    return "\n".join((_HERE / "scripts" / file).read_text("utf-8") for file in files)


def style_of(files: tuple[str, ...]) -> str:
    """Returns our own styles of these names as one."""
    return "\n".join((_HERE / "templates" / file).read_text("utf-8") for file in files)


def render(
    template: str,
    script: str = "",
    *,
    styles: tuple[str, ...] = ("style.css",),
    language: Language = Language.ENGLISH,
    personal: bool = False,
    policy: dict[str, str] | None = None,
    values: Mapping[str, object],
) -> WebPage:
    """Returns the template as a page, with these values in it.

    `personal` says that it is one person's, and may have a form. `policy` replaces parts of the
    Content-Security-Policy; `{hash}` in it stands for the script's own.
    """
    from markupsafe import Markup  # noqa: PLC0415 - as Jinja

    style = style_of(styles)
    html = (
        _templates()
        .get_template(template)
        .render(
            style=Markup(style),  # noqa: S704 - our own file
            script=Markup(script),  # noqa: S704 - our own files
            language=language,
            **values,
        )
    )
    headers = _headers(style, script, policy or {}, personal=personal)
    return WebPage(html, {**headers, "Content-Language": language})


def _headers(style: str, script: str, changed: dict[str, str], *, personal: bool) -> dict[str, str]:
    """Returns headers that allow nothing from elsewhere, no frame around it, and no referrer."""
    policy = {
        "default-src": "'none'",
        "style-src": _hash(style),
        # The page's own empty icon, so that no browser requests one.
        "img-src": "data:",
        "script-src": _hash(script) if script else "'none'",
        "connect-src": "'self'" if script else "'none'",
        "base-uri": "'none'",
        "form-action": "'self'" if personal else "'none'",
        "frame-ancestors": "'none'",
    } | {name: value.format(hash=_hash(script)) for name, value in changed.items()}
    return {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Cache-Control": "no-store" if personal else "no-cache",
    }


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 - 20 ms
    from markupsafe import Markup  # noqa: PLC0415

    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters["markdown"] = lambda text: Markup(to_html(text))  # noqa: S704 - it escapes
    environment.filters["line"] = lambda text: Markup(line_to_html(text))  # noqa: S704 - it escapes
    return environment
