"""Every page of the site as Markdown, by its path below the documentation's address."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from storepost.api.reference.documents import groups, interface
from storepost.api.reference.markdown import Place, to_html
from storepost.api.reference.site import messages, operations
from storepost.api.reference.site.overview import Entry, start_page
from storepost.values.problems import NotFound

INDEX = "index"
GUIDES = "guides"
_OVERVIEW = f"{GUIDES}/README"
_LINK = "]("


class Library:
    """The pages: those of the repository's folder `docs`, and those made from the description."""

    def __init__(self, folder: Path) -> None:
        """`folder` holds the Markdown files."""
        self._folder = folder

    @cached_property
    def paths(self) -> frozenset[str]:
        """Returns the paths of all pages."""
        files = (path.relative_to(self._folder) for path in self._folder.rglob("*.md"))
        made = [INDEX, operations.ALL, operations.SHAPES, *messages.PAGES]
        paths = map(operations.path_of, groups())
        return frozenset([*(str(file.with_suffix("")) for file in files), *made, *paths])

    @cached_property
    def guides(self) -> tuple[Entry, ...]:
        """Returns the guides in the order in which their overview lists them."""
        lines = self._file(_OVERVIEW).splitlines()
        return tuple(_listed(line) for line in lines if line.startswith("- ["))

    @cached_property
    def reference(self) -> tuple[tuple[str, tuple[Entry, ...]], ...]:
        """Returns the parts of the description's story, each with its groups."""
        titles = {name: tag["x-displayName"] for name, tag in groups().items()}
        return tuple(
            (part["name"], tuple(Entry(operations.path_of(n), titles[n]) for n in part["tags"]))
            for part in interface()["x-tagGroups"]
        )

    def markdown(self, path: str) -> str:
        """Returns the page's text; raises NotFound."""
        if path not in self.paths:
            raise NotFound()
        if path == INDEX:
            return start_page(self._file(_OVERVIEW), interface())
        return operations.page(path) or self._file(path)

    def html(self, path: str, root: str) -> str:
        """Returns the page's content; `root` is the documentation's address, with a last slash."""
        place = Place(path, root, operations.names(), self.paths)
        return to_html(self.markdown(path), place)

    def title(self, path: str) -> str:
        """Returns what the page's first heading says."""
        return self.markdown(path).lstrip("# ").partition("\n")[0]

    def everything(self) -> Iterator[Entry]:
        """Yields all pages, in the order of the navigation and then by path."""
        first = [INDEX, *(guide.path for guide in self.guides), operations.ALL]
        groups = [entry.path for _, part in self.reference for entry in part]
        known = dict.fromkeys([*first, *groups, *messages.PAGES, operations.SHAPES])
        for path in [*known, *sorted(self.paths - known.keys())]:
            yield Entry(path, self.title(path))

    def _file(self, path: str) -> str:
        return (self._folder / f"{path}.md").read_text("utf-8")


def _listed(line: str) -> Entry:
    title, _, rest = line.removeprefix("- [").partition(_LINK)
    return Entry(f"{GUIDES}/{rest.partition('.md)')[0]}", title)
