"""The site's answers: a page as HTML or Markdown, and the files that programs read."""

import json
from functools import cached_property, lru_cache
from pathlib import Path

from storepost.api.reference.documents import interface
from storepost.api.reference.site import assets, operations, overview
from storepost.api.reference.site.assets import Assets
from storepost.api.reference.site.library import INDEX, Library
from storepost.api.reference.site.postman import collection
from storepost.api.reference.site.search_index import search_index
from storepost.api.reference.web_page import DOCUMENTATION, WebPage, render, scripts, style_of

_PAGES = 128
_EXPLORER_POLICY = {
    "script-src": "'self' {hash}",
    # The explorer sets styles of its own, and shows icons that are in its script.
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
}


class Site:
    """The documentation, from a folder beside a function's handler."""

    def __init__(self, folder: Path) -> None:
        """`folder` holds `docs`, the Markdown, and maybe `assets`."""
        self.library = Library(folder / "docs")
        self.assets = Assets(folder / "assets")
        self._rendered = lru_cache(_PAGES)(self._render)

    @classmethod
    def beside(cls, handler: str) -> "Site":
        """Returns the site of the function whose handler is in this file."""
        return cls(Path(handler).parent)

    def page(self, path: str, base_url: str) -> WebPage:
        """Returns the page; raises NotFound."""
        return self._rendered(path, base_url)

    def llms_txt(self, base_url: str) -> str:
        """Returns the list of all pages for programs that read Markdown."""
        pages = self.library.everything()
        return overview.llms_txt(pages, f"{base_url}/docs/", interface()["info"]["summary"])

    def sitemap(self, base_url: str) -> str:
        """Returns the list of all pages, a line each, as sitemaps.org has it for text files."""
        paths = [page.path for page in self.library.everything()]
        return "\n".join(f"{base_url}/docs/{'' if p == INDEX else p}".rstrip("/") for p in paths)

    def style(self) -> str:
        """Returns the style of all pages, which a browser loads once."""
        return style_of(DOCUMENTATION)

    @cached_property
    def search_index(self) -> str:
        """Returns the search's data as JSON."""
        return json.dumps(search_index(self.library), ensure_ascii=False, separators=(",", ":"))

    def postman(self, base_url: str) -> str:
        """Returns the collection for Postman, as JSON."""
        return json.dumps(collection(base_url), indent=1, ensure_ascii=False)

    def _render(self, path: str, base_url: str) -> WebPage:
        from markupsafe import Markup  # noqa: PLC0415 - as Jinja

        root = f"{base_url}/docs/"
        content = Markup(self.library.html(path, root))  # noqa: S704 - it escapes
        explorer = self._asset(assets.EXPLORER, base_url)
        if path == operations.ALL and explorer:
            return self._explorer(content, explorer, base_url)
        search = self._asset(assets.SEARCH, base_url)
        return render(
            "docs-page.html",
            scripts("docs.js"),
            styles=(),
            policy={"script-src": "'self' {hash}", "style-src": "'self'"},
            values={
                "base_url": base_url,
                "content": content,
                "guides": self.library.guides,
                "path": path,
                "reference": self.library.reference,
                "search": search,
                "title": self.library.title(path),
            },
        )

    def _explorer(self, content: str, explorer: str, base_url: str) -> WebPage:
        return render(
            "explorer.html",
            scripts("explorer.js"),
            styles=("explorer.css",),
            policy=_EXPLORER_POLICY,
            values={"base_url": base_url, "content": content, "explorer": explorer},
        )

    def _asset(self, library: str, base_url: str) -> str | None:
        name = self.assets.name_of(library)
        return f"{base_url}/docs/assets/{name}" if name else None
