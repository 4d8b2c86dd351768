"""`toolgen.lock` of a client: what it was generated from, and what its users call."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from toolgen.base.suggestions import quoted
from toolgen.changes.comparing.lock import lock_text, read_lock
from toolgen.compile.printing.client_source import ToolUse
from toolgen.language.package import PackageSettings
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.json_source import load_json
from toolgen.sources.mcp_client.listing import Listing
from toolgen.upstream.consumers.definitions import ClientDefinitions, definitions_of

PYTHON: Final = "python"
TYPESCRIPT: Final = "typescript"
LANGUAGES: Final = (PYTHON, TYPESCRIPT)
_KEY: Final = "client"
_FORMAT: Final = 1
_SETTINGS: Final = ("coerce", "mcp_output_schema", "mcp_references")
_AGAIN: Final = "write it again: toolgen client SOURCE --out DIR --package NAME"


@dataclass(frozen=True, slots=True)
class ClientLock:
    """A lock as `toolgen client` writes it."""

    listing: Listing  # what the server lists
    package: str
    source: str  # as it was given
    headers: Sequence[str] = ()  # NAME=VARIABLE, for a URL
    specs: Mapping[str, str] = field(default_factory=dict)  # the author's, if the source was a folder of them
    settings: Mapping[str, Any] = field(default_factory=dict)  # of the project of these specs
    uses_in: Sequence[str] = ()  # files and folders, relative to the lock
    uses: Mapping[str, ToolUse] | None = None  # by the names that the server lists; None: not known
    language: str = PYTHON

    @property
    def definitions(self) -> ClientDefinitions:
        """Return what the client is generated from. Raises UnableError."""
        if not self.specs:
            return definitions_of(self.listing, quoted(self.source, 80))
        settings = PackageSettings(**self.settings)
        return ClientDefinitions(self.listing, self.specs, settings, is_folder=True)

    def as_text(self) -> str:
        """Return the content of the file."""
        client: dict[str, Any] = {"format": _FORMAT, "package": self.package, "source": self.source}
        if self.language != PYTHON:
            client["language"] = self.language
        if self.headers:
            client["headers"] = list(self.headers)
        if self.uses is not None:
            client["uses_in"] = sorted(self.uses_in)
            client["uses"] = {
                name: {"arguments": sorted(use.arguments), "fields": sorted(use.fields)}
                for name, use in sorted(self.uses.items())
            }
        if self.specs:
            client |= {"settings": dict(self.settings), "specs": dict(sorted(self.specs.items()))}
        return lock_text(self.listing, {_KEY: client})


def settings_of(settings: PackageSettings) -> dict[str, Any]:
    """Return the settings of a project that its definitions depend on."""
    return {name: getattr(settings, name) for name in _SETTINGS}


def read_client_lock(content: bytes, name: str) -> ClientLock:
    """Return what the lock of a client holds; messages call it `name`. Raises SourceError."""
    listing = read_lock(content, name)
    client = load_json(content.decode("utf-8-sig"), name).get(_KEY)
    if not isinstance(client, dict):
        raise SourceError(f"{name} is a lock of `toolgen guard`, and not that of a client", _AGAIN)
    if client.get("format") != _FORMAT:
        found = quoted(json.dumps(client.get("format")), 20)
        message = f"{name} has the format {found} of clients, and this toolgen reads {_FORMAT}"
        raise SourceError(message, "install the toolgen that wrote it, or write it again")
    uses = client.get("uses")
    if not (
        all(isinstance(client.get(key), str) for key in ("package", "source"))
        and client.get("language", PYTHON) in LANGUAGES
        and all(_are_texts(client.get(key, [])) for key in ("headers", "uses_in"))
        and _is_map(client.get("specs", {}), str)
        and _are_settings(client.get("settings", {}))
        and (uses is None or (_is_map(uses, dict) and all(map(_is_use, uses.values()))))
    ):
        raise SourceError(f"{name}: `client` is not as `toolgen client` writes it", _AGAIN)
    return ClientLock(
        listing,
        client["package"],
        client["source"],
        client.get("headers", []),
        client.get("specs", {}),
        client.get("settings", {}),
        client.get("uses_in", []),
        None if uses is None else {tool: _use(each) for tool, each in uses.items()},
        client.get("language", PYTHON),
    )


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_map(value: Any, kind: type) -> bool:
    return isinstance(value, dict) and all(isinstance(each, kind) for each in value.values())


def _are_settings(value: Any) -> bool:
    return isinstance(value, dict) and all(
        name in _SETTINGS and isinstance(each, str if name == "mcp_references" else bool)
        for name, each in value.items()
    )


def _is_use(value: Mapping[str, Any]) -> bool:
    return all(_are_texts(value.get(key)) for key in ("arguments", "fields"))


def _use(value: Mapping[str, Any]) -> ToolUse:
    return ToolUse(frozenset(value["arguments"]), frozenset(value["fields"]))
