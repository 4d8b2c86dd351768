"""`toolgen.lock` of a client: what it was generated from, and what its users call."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from pydantic import BaseModel, StrictBool, StrictStr, ValidationError

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
_KEY: Final = "client"
_FORMAT: Final = 1
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
    return {name: getattr(settings, name) for name in _Settings.model_fields}


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
    try:
        read = _Client.model_validate(client)
    except ValidationError:
        raise SourceError(f"{name}: `client` is not as `toolgen client` writes it", _AGAIN) from None
    uses = read.uses
    return ClientLock(
        listing,
        read.package,
        read.source,
        read.headers,
        read.specs,
        read.settings.model_dump(exclude_unset=True),
        read.uses_in,
        None if uses is None else {tool: ToolUse(each.arguments, each.fields) for tool, each in uses.items()},
        read.language,
    )


class _Settings(BaseModel, extra="forbid"):
    coerce: StrictBool = False
    mcp_output_schema: StrictBool = False
    mcp_references: StrictStr = ""


class _Use(BaseModel):
    arguments: frozenset[StrictStr]
    fields: frozenset[StrictStr]


class _Client(BaseModel):
    """What a lock has below `client`, as it is written."""

    package: StrictStr
    source: StrictStr
    language: Literal["python", "typescript"] = PYTHON
    headers: list[StrictStr] = []
    uses_in: list[StrictStr] = []
    specs: dict[str, StrictStr] = {}
    settings: _Settings = _Settings()
    uses: dict[str, _Use] | None = None
