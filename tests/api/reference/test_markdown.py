"""Markdown as HTML: links, headings and code, and nothing of HTML."""

import pytest

from storepost.api.reference.markdown import Place, anchor_of, line_to_html, to_html

PLACE = Place(
    path="guides/errors",
    root="https://api.example.com/v1/docs/",
    names={"orders.list": "reference/orders#orders.list", "stale_update": "../problems/x/y"},
    served=frozenset({"index", "guides/errors", "guides/retries", "semantics"}),
)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a <b>", "<p>a &lt;b&gt;</p>\n"),
        ("<script>x</script>", "<p>&lt;script&gt;x&lt;/script&gt;</p>\n"),
        ("**a** `b`", "<p><strong>a</strong> <code>b</code></p>\n"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
        ("[a](javascript:alert(1))", "<p>[a](javascript:alert(1))</p>\n"),
    ],
)
def test_markup_is_rendered_and_html_is_escaped(text: str, html: str) -> None:
    assert to_html(text) == html


def test_line_has_no_paragraph() -> None:
    assert line_to_html("a `b` <c>") == "a <code>b</code> &lt;c&gt;"


@pytest.mark.parametrize(
    ("link", "address"),
    [
        ("retries.md", "https://api.example.com/v1/docs/guides/retries"),
        ("retries.md#a-b", "https://api.example.com/v1/docs/guides/retries#a-b"),
        ("../semantics.md#2", "https://api.example.com/v1/docs/semantics#2"),
        ("../index.md", "https://api.example.com/v1/docs"),
        ("#here", "#here"),
        ("https://example.com/a.md", "https://example.com/a.md"),
        ("../../examples/shop.py", None),
        ("weather.md", None),
    ],
)
def test_links(link: str, address: str | None) -> None:
    expected = "a" if address is None else f'<a href="{address}">a</a>'
    assert to_html(f"[a]({link})", PLACE) == f"<p>{expected}</p>\n"


def test_code_of_a_known_name_is_linked() -> None:
    orders = '<a href="https://api.example.com/v1/docs/reference/orders#orders.list">'
    assert to_html("`orders.list`", PLACE) == f"<p>{orders}<code>orders.list</code></a></p>\n"
    problem = '<a href="https://api.example.com/v1/problems/x/y">'
    assert to_html("`stale_update`", PLACE) == f"<p>{problem}<code>stale_update</code></a></p>\n"
    assert to_html("`orders`", PLACE) == "<p><code>orders</code></p>\n"


def test_code_in_a_link_or_a_heading_gets_no_other_link() -> None:
    assert to_html("[`orders.list`](#x)", PLACE).count("<a ") == 1
    assert to_html("# `orders.list`", PLACE) == (
        '<h1 id="orders.list"><code>orders.list</code></h1>\n'
    )


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("2.7 A no holds everywhere", "27-a-no-holds-everywhere"),
        ("What's `new` here?", "whats-new-here"),
        ("List orders `orders.list`", "orders.list"),
    ],
)
def test_anchors(heading: str, anchor: str) -> None:
    assert anchor_of(heading) == anchor


def test_equal_headings_have_different_anchors() -> None:
    html = to_html("## A\n\n## A\n\n## A")
    assert ['id="a"' in html, 'id="a-1"' in html, 'id="a-2"' in html] == [True] * 3


def test_code_blocks_can_be_scrolled_by_keyboard() -> None:
    assert to_html("```sh\na < b\n```") == (
        '<pre tabindex="0"><code class="language-sh">a &lt; b\n</code></pre>\n'
    )
