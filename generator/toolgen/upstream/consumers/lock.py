"""`toolgen.lock` of a client: what it was generated from, and what its users call."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, Field, SkipValidation, ValidationError

from toolgen.base.suggestions import quoted
from toolgen.changes.comparing.lock import lock_text, read_lock
from toolgen.language.package import PackageSettings
from toolgen.schema.budget import BUDGET
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.json_source import load_json
from toolgen.sources.mcp_client.listing import Listing
from toolgen.upstream.consumers.definitions import ClientDefinitions, definitions_of

PYTHON: Final = "python"
TYPESCRIPT: Final = "typescript"
MAX_LOCK: Final = 4 * BUDGET.import_bytes
_KEY: Final = "client"
_FORMAT: Final = 1
_AGAIN: Final = "write it again: toolgen client SOURCE --out DIR --package NAME"
_SETTINGS: Final = ("coerce", "mcp_output_schema", "mcp_references")
"""Settings of a project that its definitions depend on."""


class ClientLock(BaseModel, frozen=True):
    """A lock as `toolgen client` writes it. The fields after `listing` are below its key `client`."""

    listing: Annotated[SkipValidation[Listing], Field(exclude=True)]  # what the server lists
    package: str
    source: str  # as it was given
    language: Literal["python", "typescript"] = PYTHON
    uses_in: list[str] = []  # files and folders, relative to the lock
    uses: dict[str, list[str]] | None = None  # listed name → arguments; None: not known
    settings: dict[Literal["coerce", "mcp_output_schema", "mcp_references"], bool | str] = {}
    specs: dict[str, str] = {}  # the author's, if the source was a folder of them

    @property
    def definitions(self) -> ClientDefinitions:
        """Return what the client is generated from. Raises UnableError."""
        if not self.specs:
            return definitions_of(self.listing, quoted(self.source))
        settings: Any = self.settings
        return ClientDefinitions(self.listing, self.specs, PackageSettings(**settings), is_folder=True)

    def as_text(self) -> str:
        """Return the content of the file."""
        client = {"format": _FORMAT, **self.model_dump(exclude_defaults=True)}
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
    try:
        return ClientLock.model_validate({**client, "listing": listing})
    except ValidationError:
        raise SourceError(f"{name}: `client` is not as `toolgen client` writes it", _AGAIN) from None
