"""The targets of links in emails: the dashboard of `AppUrl`, else the service's own pages.

The page's data is in the fragment, which no server and no log ever sees.
"""

from storepost.values.settings import settings


def page_link(base_url: str, page: str, fragment: str = "") -> str:
    """Returns the URL of a page, such as `invitation`, with its data in the fragment."""
    root = settings().app_url or f"{base_url}/pages"
    return f"{root}/{page}" + (f"#{fragment}" if fragment else "")
