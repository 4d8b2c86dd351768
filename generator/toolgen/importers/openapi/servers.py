"""Where an API is: the first server that the document names, its variables filled in."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urljoin, urlsplit

from toolgen.importers.openapi.document import Library, Place
from toolgen.importers.openapi.operations import Operation
from toolgen.importers.openapi.repairs import Repairs


def server_of(operation: Operation, library: Library, repairs: Repairs) -> str:
    """The URL that the path is appended to; empty where the document names none that stands by itself."""
    owners = (
        (operation.node, operation.place),
        (operation.item, operation.item_place),
        (library.root, Place("", ())),
    )
    for owner, place in owners:
        listed = owner.get("servers")
        if isinstance(listed, list) and listed and isinstance(listed[0], dict):
            return _url(listed[0], place / "servers" / 0, library, repairs)
    return _absolute("/", Place("", ()), library, repairs)


def _url(server: dict[str, Any], at: Place, library: Library, repairs: Repairs) -> str:
    url = server.get("url")
    if not isinstance(url, str):
        raise library.refuse(at, "a server has a `url`")
    variables = library.member(server, at, "variables")

    def fill(found: re.Match[str]) -> str:
        variable = variables.get(found[1])
        value = variable.get("default") if isinstance(variable, dict) else None
        return str(value) if isinstance(value, str | int | float) else found[0]

    filled = re.sub(r"\{([^{}]+)\}", fill, url)
    if "{" in filled:
        repairs.note("the server's URL has a variable without a default", at)
        return ""
    return _absolute(filled, at, library, repairs)


def _absolute(url: str, at: Place, library: Library, repairs: Repairs) -> str:
    if library.name.startswith(("http://", "https://")):
        url = urljoin(library.name, url)
    parts = urlsplit(url)
    if parts.scheme in ("http", "https") and parts.netloc and not (parts.username or parts.query):
        return url.rstrip("/")
    repairs.note("no server with a URL of its own: it comes from the environment", at)
    return ""
