"""A contract: one tool of one side of a comparison, with its places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from toolgen.changes.python_names import PythonNames
from toolgen.language.program import Origins, Program
from toolgen.language.source import Source, Span
from toolgen.language.spec import ContentSpec, Spec
from toolgen.schema.document import JsonPath, SchemaDocument, plain_pointer

REQUEST: Final = "input_schema"
RESPONSE: Final = "output_schema"
CHUNK: Final = "chunk_schema"
SCHEMA_PATHS: Final[Mapping[str, JsonPath]] = {
    REQUEST: ("input_schema",),
    RESPONSE: ("output_schema",),
    CHUNK: ("stream", "chunk_schema"),
}
"""Schema of a contract → its path in a spec."""

ALL_FIELDS: Final = frozenset(Spec.model_fields)

HINT_DEFAULTS: Final[Mapping[str, bool]] = {
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": True,
}
"""Hint → its value if a spec leaves it out, as in MCP's `ToolAnnotations`."""

HINTS_OF_WRITING_TOOLS: Final = ("destructiveHint", "idempotentHint")
"""Hints that clients ignore beside `readOnlyHint: true`, as MCP says of them."""


class ContractPlaces(Protocol):
    """Where the parts of a contract are written. Paths are those of a spec's data."""

    def key(self, path: JsonPath) -> Span:
        """Return the place of the key at `path`, or of the nearest ancestor that is written."""

    def value(self, path: JsonPath) -> Span:
        """Return the place of the value at `path`, or of the nearest ancestor that is written."""

    def shared(self, path: JsonPath) -> SharedPlace | None:
        """Return where `path` is in a shared file; None if it is written in the tool's own."""


@dataclass(frozen=True, slots=True)
class SharedPlace:
    """A place in a shared file."""

    file: str  # below the specs folder
    path: JsonPath  # $defs, the name of the definition, and further

    @property
    def pointer(self) -> str:
        """Return the file and a JSON Pointer: shared/shop.yaml#/$defs/Sku."""
        return f"{self.file}#{plain_pointer(self.path)}"


@dataclass(frozen=True, slots=True)
class Contract:
    """One tool as it is compared: its fields, and its schemas without references to other files."""

    spec: Spec  # of an exported definition: built from the fields that it has
    documents: Mapping[str, SchemaDocument]  # those of REQUEST, RESPONSE and CHUNK that the tool has, bound
    places: ContractPlaces
    knows: frozenset[str] = ALL_FIELDS  # fields of `Spec` that the source can express
    python: PythonNames | None = None  # names of its generated code; None: they are not known
    repairs: Mapping[str, str] = field(default_factory=dict)  # schema that was not valid → the first repair

    @property
    def name(self) -> str:
        """Return the wire name."""
        return self.spec.name

    @property
    def content_entries(self) -> list[ContentSpec] | None:
        """Return the entries of `content`; None if any content is allowed."""
        content = self.spec.content
        return None if isinstance(content, str) else content

    def hint(self, name: str) -> bool:
        """Return a hint of `annotations`, or its default."""
        found = getattr(self.spec.annotations, name, None)
        return HINT_DEFAULTS[name] if found is None else bool(found)

    def is_hint_read(self, name: str) -> bool:
        """True if clients read the hint: of a read-only tool, some mean nothing."""
        return name not in HINTS_OF_WRITING_TOOLS or not self.hint("readOnlyHint")

    def published_names(self) -> dict[str, str]:
        """Return target → the name under which it publishes the tool, where it has one of its own."""
        targets = self.spec.targets
        names = [*type(targets).model_fields, *(targets.model_extra or {})]
        options = {name: self.spec.options_of(name) for name in names}
        return {name: found.name for name, found in options.items() if found is not None and found.name}

    def place(self, *path: str | int) -> Span:
        """Return the place of a field of the spec; of the tool's `name:` if it is not written."""
        # Where nothing of the path is written, the nearest ancestor is the whole file.
        span = self.places.key(path)
        return self.places.key(("name",)) if span == self.places.value(()) else span


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """What the configuration of a project says, or means by default, that others depend on."""

    targets: frozenset[str]
    coerce: bool
    output_schema: bool  # published over MCP
    package: str  # import name of the generated code
    server_name: str
    instructions: str  # of the server; empty: none
    places: Mapping[str, Span]  # field of this class → where it is set, or could be


@dataclass(frozen=True, slots=True)
class Side:
    """The tools of one side of a comparison: of a git ref, a folder, a file or a server."""

    label: str  # as the user named it
    contracts: Mapping[str, Contract]  # by wire name, those that callers can see
    texts: Mapping[str, bytes | str] = field(default_factory=dict)  # file of a span → text, for source lines
    settings: ProjectSettings | None = None  # of the project; None: the side has none


@dataclass(frozen=True, slots=True)
class SpecPlaces:
    """The places of a spec: in its file, and in the shared files that its schemas refer to."""

    source: Source
    origins: Mapping[str, Origins]  # schema of the contract → its `$defs` that were copied from shared files
    files: Mapping[str, Source]  # the shared ones, by path below the specs folder

    def key(self, path: JsonPath) -> Span:
        """Return the place of the key at `path`; of its nearest ancestor that is written, if it is not."""
        source, written = self._origin(path)
        return source.nearest_key(written)

    def value(self, path: JsonPath) -> Span:
        """Return the place of the value at `path`; of its nearest ancestor that is written, if it is not."""
        source, written = self._origin(path)
        return source.value(written)

    def _origin(self, path: JsonPath) -> tuple[Source, JsonPath]:
        """Return the file and the path in it where the part of a bound schema at `path` was written."""
        found = self.shared(path)
        return (self.source, path) if found is None else (self.files[found.file], found.path)

    def shared(self, path: JsonPath) -> SharedPlace | None:
        """Return where a part of a bound schema was written in a shared file."""
        # Only `$defs` at the top of a schema have copies (2020-12 core, section 9.3.1).
        for name, start in SCHEMA_PATHS.items():
            inner = path[len(start) :]
            if path[: len(start)] == start and len(inner) >= 2 and inner[0] == "$defs":
                found = self.origins.get(name, {}).get(str(inner[1]))
                if found is not None:
                    return SharedPlace(found.path, ("$defs", found.name, *inner[2:]))
        return None


def contracts_of(program: Program) -> dict[str, Contract]:
    """Return the contracts of the enabled tools by name."""
    shared = {path: file.source for path, file in program.shared.items()}
    return by_name(
        Contract(tool.spec, tool.documents, SpecPlaces(tool.source, tool.origins, shared))
        for tool in program.tools
    )


def by_name(contracts: Iterable[Contract]) -> dict[str, Contract]:
    """Return the contracts by name, sorted."""
    return {each.name: each for each in sorted(contracts, key=lambda each: each.name)}
