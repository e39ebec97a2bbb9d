"""Where the links in emails lead: the dashboard that `AppUrl` names, else the service's own pages.

What the page needs stands in the fragment, which no server and no log ever sees.
"""

from storepost.values.settings import settings


def page_link(base_url: str, page: str, fragment: str = "") -> str:
    """Returns the address of a page, such as `invitation`, for what the fragment names."""
    root = settings().app_url or f"{base_url}/pages"
    return f"{root}/{page}" + (f"#{fragment}" if fragment else "")
