"""`toolgen.lock`: what an MCP server listed when somebody reviewed it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from toolgen.base.escaping.characters import printable
from toolgen.base.suggestions import quoted
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.json_source import read_json_documents
from toolgen.sources.mcp_client.listing import LISTS, Listing, refuse_unnamed

NAME: Final = "toolgen.lock"
VERSION: Final = 1
_KEY: Final = "toolgen_lock"
_MAX_START: Final = 256  # bytes in which a lock says so
_TEXTS: Final = ("name", "version", "instructions")
_AGAIN: Final = "write it again: toolgen guard --init"


def lock_text(listing: Listing, more: Mapping[str, Any] | None = None) -> str:
    """Return the content of a lock. Lists are sorted, so that only what a server changed is in a diff.

    Invisible characters are escaped, as JSON allows: whoever reviews the lock sees them. `more` are keys that
    `read_lock` leaves alone.
    """
    lists = {
        key: sorted(getattr(listing, key), key=lambda each: str(each.get(by))) for key, by in LISTS.items()
    }
    if not lists["skills"]:
        del lists["skills"]  # few servers have any
    server: dict[str, Any] = {key: getattr(listing, key) for key in _TEXTS}
    if listing.capabilities is not None:
        server["capabilities"] = sorted(listing.capabilities)
    if listing.about is not None:
        server["about"] = listing.about
    data = {_KEY: VERSION, "server": server, **lists, **(more or {})}
    text = json.dumps(data, indent=2, ensure_ascii=False)
    return printable(text, keep="\n") + "\n"


def is_lock(content: bytes) -> bool:
    """True if a document says that it is a lock; it may still be one that cannot be read."""
    return f'"{_KEY}"'.encode() in content[:_MAX_START]


def read_lock(content: bytes, name: str) -> Listing:
    """Return what a lock holds; messages call it `name`. Raises `SourceError` with what is wrong."""
    data = read_json_documents(content, name)[0].value
    if not isinstance(data, dict) or _KEY not in data:
        raise SourceError(f"{name} is not a lock that `toolgen guard --init` wrote", _AGAIN)
    if data[_KEY] != VERSION:
        message = f"{name} has the format {quoted(json.dumps(data[_KEY]))}, and this toolgen reads {VERSION}"
        raise SourceError(message, "install the toolgen that wrote it, or write it again")
    server = data.get("server")
    if not isinstance(server, dict) or not all(isinstance(server.get(key), str) for key in _TEXTS):
        raise SourceError(f"{name}: `server` must have the texts {', '.join(_TEXTS)}", _AGAIN)
    capabilities = server.get("capabilities")
    if not isinstance(capabilities, list | None) or not all(
        isinstance(each, str) for each in capabilities or ()
    ):
        raise SourceError(f"{name}: `server.capabilities` must be a list of texts", _AGAIN)
    about = server.get("about")
    if not isinstance(about, dict | None):
        raise SourceError(f"{name}: `server.about` must be an object", _AGAIN)
    for key in LISTS:
        refuse_unnamed(data.get(key, [] if key == "skills" else None), key, name)
    return Listing(
        **{key: server[key] for key in _TEXTS},
        **{key: data[key] for key in LISTS if key in data},
        capabilities=None if capabilities is None else frozenset(capabilities),
        about=about,
    )
