"""Bundle schemas: definitions of shared files that a schema refers to are copied into its `$defs`.

See JSON Schema 2020-12 core, section 9.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from toolgen.language.diagnostic import Diagnostic, Note
from toolgen.language.program import Origins, SharedSchema
from toolgen.language.references.shared_files import SharedDefinition, find_definition, resolve_file_reference
from toolgen.language.source import Source, Span
from toolgen.runtime.definition.faults import SpecFault
from toolgen.runtime.definition.semantics.references import dangling
from toolgen.schema.document import (
    Draft,
    JsonPath,
    Located,
    NoTarget,
    Schema,
    SchemaDocument,
    follow,
    format_pointer,
    replace_refs,
    subschemas,
)


class Origin(NamedTuple):
    """A definition of a shared file."""

    source: Source
    name: str


class BundledDefinitions(NamedTuple):
    """Definitions of shared files by their names in the bundle, and their origins."""

    schemas: dict[str, Any]
    origins: dict[str, Origin]


@dataclass(frozen=True, slots=True)
class Bound:
    """A schema whose references all lead to places inside it, with the origin of each part."""

    document: SchemaDocument
    source: Source
    path: JsonPath  # of the schema in `source`
    copied: Mapping[str, Origin]  # name in `$defs` → where it was copied from

    @property
    def schema(self) -> Schema:
        """The schema, with the definitions that were copied in its `$defs`."""
        return self.document.schema

    def origin(self, path: JsonPath) -> tuple[Source, JsonPath]:
        """Return the file and the path in it where the part of the schema at `path` was written."""
        if len(path) >= 2 and path[0] == "$defs" and path[1] in self.copied:
            source, name = self.copied[str(path[1])]
            return source, ("$defs", name, *path[2:])
        return self.source, (*self.path, *path)

    @property
    def origins(self) -> Origins:
        """Return the shared schemas that were copied, by their names in `$defs`."""
        return {name: SharedSchema(source.path, own) for name, (source, own) in self.copied.items()}

    def value(self, path: JsonPath) -> Span:
        """Return where the value at `path` of the schema was written."""
        source, written = self.origin(path)
        return source.value(written)

    def key(self, path: JsonPath) -> Span:
        """Return where the key at `path` of the schema was written."""
        source, written = self.origin(path)
        return source.key(written)


class Bundler:
    """Bundles one schema, and collects the `faults` of its references."""

    def __init__(self, shared: Mapping[str, Source]) -> None:
        self.faults: list[Diagnostic] = []
        self._shared = shared
        self._names: dict[tuple[str, str], str] = {}  # file and definition → its name in the bundle
        self._queue: list[tuple[str, str]] = []  # of definitions to copy
        self._used_names: set[str] = set()
        self._draft: Draft | None = None

    def bind(self, schema: Mapping[str, Any], source: Source, path: JsonPath) -> Bound:
        """Return the bundle of `schema`, which is written in `source` at `path`."""
        own = schema.get("$defs")
        self._used_names = set(own) if isinstance(own, dict) else set()
        document = SchemaDocument(schema)
        self._draft = document.draft
        refs = self._own_refs(document, source, path)
        if not refs:
            return Bound(document, source, path, {})
        bundle = replace_refs(schema, refs)
        copied = self._copy_definitions()
        if copied.schemas:
            bundle["$defs"] = {**bundle.get("$defs", {}), **copied.schemas}
        return Bound(_with_own_targets(document, SchemaDocument(bundle)), source, path, copied.origins)

    def bind_files(self, paths: Sequence[str]) -> Bound:
        """Return the bundle of all definitions in some shared files."""
        source = self._shared[paths[0]]
        data: Any = source.data
        self._draft = source.document.draft
        for path in paths:
            definitions: Any = self._shared[path].data
            for name in definitions["$defs"]:
                self._include(SharedDefinition(path, name, ()))
        copied = self._copy_definitions()
        draft = {"$schema": data["$schema"]} if "$schema" in data else {}
        return Bound(SchemaDocument({**draft, "$defs": copied.schemas}), source, (), copied.origins)

    def uses(self) -> set[str]:
        """Return the shared files that definitions were copied from."""
        return {path for path, _ in self._names}

    def _copy_definitions(self) -> BundledDefinitions:
        copied = BundledDefinitions({}, {})
        for path, name in self._queue:  # grows while definitions refer to further ones
            source = self._shared[path]
            schema = follow(source.data, ("$defs", name))
            copy = replace_refs(schema, self._shared_refs(schema, source, name))
            bundled = self._names[path, name]
            copied.schemas[bundled], copied.origins[bundled] = copy, Origin(source, name)
        return copied

    def _own_refs(self, document: SchemaDocument, source: Source, path: JsonPath) -> dict[JsonPath, str]:
        """Return the rewritten references of a tool's schema, by path: to shared files, and unusual ones."""
        refs: dict[JsonPath, str] = {}
        for here, node in subschemas(document.schema):
            for keyword, found in document.references(node, here):
                ref, span_path = node[keyword], (*path, *here, keyword)
                if isinstance(found, Located):
                    home = document.resource_of(here)
                    # A fragment is percent-decoded before it is read as a pointer (RFC 6901, section 6), so
                    # `#%2F$defs%2FSku` is `#/$defs/Sku`. Validators take it for the name of an anchor.
                    is_escaped = "%" in ref.partition("#")[2].partition("/")[0]
                    if keyword == "$ref" and is_escaped and found.path[: len(home)] == home:
                        refs[here] = "#" + format_pointer(found.path[len(home) :])
                    continue
                if found.candidates:
                    continue
                if not found.is_elsewhere:
                    fault = dangling(span_path, ref, self._used_names)
                    self.faults.append(
                        Diagnostic(source.value(span_path), fault.code, fault.message, fault.hint)
                    )
                    continue
                target = resolve_file_reference(ref, source, span_path, self._shared)
                new = self._rewrite(target, source, span_path, bool(document.resource_of(here)))
                if new:
                    refs[here] = new
        return refs

    def _shared_refs(self, schema: Any, source: Source, name: str) -> dict[JsonPath, str]:
        """Return the rewritten references of a shared definition: `#` no longer means its file."""
        refs: dict[JsonPath, str] = {}
        document = source.document
        for here, node in subschemas(schema, ("$defs", name)):
            inside_id = bool(document.resource_of(here))
            for keyword, found in document.references(node, here):
                ref, span_path = node[keyword], (*here, keyword)
                if isinstance(found, NoTarget) and found.candidates:
                    for _, (_, definition, *rest) in found.candidates:
                        self._include(SharedDefinition(source.path, str(definition), tuple(rest)))
                    continue
                target: SharedDefinition | Diagnostic
                is_elsewhere = isinstance(found, NoTarget) and found.is_elsewhere
                if is_elsewhere:
                    target = resolve_file_reference(ref, source, span_path, self._shared)
                else:
                    target = find_definition(source, ref, source, span_path, here)
                new = self._rewrite(target, source, span_path, inside_id and is_elsewhere)
                if new and keyword == "$ref" and not inside_id:  # an `$id` is copied with what is in it
                    refs[here[2:]] = new
        return refs

    def _rewrite(
        self, target: SharedDefinition | Diagnostic, source: Source, at: JsonPath, inside_id: bool
    ) -> str:
        """Return the reference to `target` in the bundle; empty if it is refused, which is a fault."""
        if isinstance(target, Diagnostic):
            self.faults.append(target)
            return ""
        if inside_id or (at[-1] == "$dynamicRef" and target.path != source.path):
            if inside_id:
                message, hint = "a shared file cannot be reached from below an `$id`", "remove the `$id`"
            else:
                message, hint = "a `$dynamicRef` cannot leave its file", "use `$ref`"
            self.faults.append(Diagnostic(source.value(at), "unbundled-ref", message, hint))
            return ""
        if self._shared[target.path].document.draft != self._draft:
            self.faults.append(
                Diagnostic(
                    source.value(at),
                    "mixed-drafts",
                    f"{target.path} is written in another draft of JSON Schema",
                    "write the same `$schema` in both, or in neither",
                )
            )
            return ""
        return self._include(target)

    def _include(self, target: SharedDefinition) -> str:
        """Add `target` to the bundle, and return the reference to it there."""
        key = (target.path, target.name)
        if key not in self._names:
            # Definitions of several files may have one name, and the schema's own keep theirs.
            name, number = target.name, 2
            while name in self._used_names:
                name, number = f"{target.name}_{number}", number + 1
            self._used_names.add(name)
            self._names[key] = name
            self._queue.append(key)
        return "#" + format_pointer(("$defs", self._names[key], *target.rest))


def _with_own_targets(own: SchemaDocument, bundle: SchemaDocument) -> SchemaDocument:
    """Return `bundle` with references that name what they name in `own`: copies may have the same anchors."""
    refs = {
        here: "#" + format_pointer(target.path)
        for here, node in subschemas(own.schema)
        for keyword, target in own.references(node, here)
        if keyword == "$ref" and isinstance(target, Located)
        if getattr(bundle.target(node[keyword], here), "path", None) != target.path
    }
    return SchemaDocument(replace_refs(bundle.schema, refs)) if refs else bundle


# Faults that `runtime/definition` finds in a spec


def diagnostic_of(fault: SpecFault, written: Source | Bound) -> Diagnostic:
    """Return a fault with its place in what is written: a file, or a schema that has been bound."""
    span = written.key(fault.path) if fault.of_key else written.value(fault.path)
    if fault.part and isinstance(written, Source):
        span = _part_of(span, written.lines, fault.part)
    notes = tuple(Note(written.value(other), fault.about_other) for other in fault.others)
    return Diagnostic(span, fault.code, fault.message, fault.hint, notes)


def _part_of(span: Span, lines: list[str], part: str) -> Span:
    """Return the place of `part` in a text; that of the whole text if the part is escaped in the file."""
    # A text of several lines is a block scalar, whose lines follow the place of the value.
    for number in range(span.line, min(span.line + 20, len(lines)) + 1):
        column = lines[number - 1].find(part, span.column - 1 if number == span.line else 0)
        if column >= 0:
            return Span(span.file, number, column + 1, len(part))
    return span
