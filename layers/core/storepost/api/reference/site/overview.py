"""The first page of the documentation, and the same as `llms.txt`."""

from collections.abc import Iterable
from dataclasses import dataclass

from storepost.values.wire import Json

_LIST = "- ["


@dataclass(frozen=True)
class Entry:
    """A page in a list of pages."""

    path: str
    title: str


def start_page(guides: str, document: Json) -> str:
    """Returns the page's Markdown; `guides` is the text that lists the guides."""
    _, _, listed = guides.partition("\n")
    summary = document["info"]["summary"]
    return f"# Guides and reference\n\n{summary}.\n\n{_in_guides(listed)}\n{_parts(document)}"


def _in_guides(text: str) -> str:
    """Returns the overview with its links adapted to the folder above."""
    return text.strip().replace("](", "](guides/").replace("](guides/../", "](")


def _parts(document: Json) -> str:
    about = {tag["name"]: tag for tag in document["tags"]}
    lines = ["\n## Reference by task\n"]
    for part in document["x-tagGroups"]:
        lines.append(f"### {part['name']}\n")
        for name in part["tags"]:
            tag = about[name]
            lines.append(f"- [{tag['x-displayName']}](reference/{name}.md): {tag['description']}")
        lines.append("")
    lines.append("[All operations](reference.md) · [Shapes](shapes.md)\n")
    return "\n".join(lines)


def llms_txt(entries: Iterable[Entry], root: str, summary: str) -> str:
    """Returns the pages in llmstxt.org's format: each address is that of the Markdown."""
    pages = [f"{_LIST}{page.title}]({root}{page.path}.md)" for page in entries]
    return f"# Storepost\n\n> {summary}\n\n## Documentation\n\n" + "\n".join(pages) + "\n"
