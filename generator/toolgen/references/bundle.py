"""A schema that stands by itself: what it takes from shared files is copied into its `$defs`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolgen.data.diagnostic import Diagnostic
from toolgen.data.source import Path, Source, Span
from toolgen.references.scope import collect
from toolgen.references.shared_files import Target, definition, file_target
from toolgen.schema.document import Draft, draft_of, follow, format_pointer, replace_refs
from toolgen.suggestions import did_you_mean, quoted


@dataclass(frozen=True, slots=True)
class Bound:
    """A schema in which every reference is bound, and where each part of it was written."""

    schema: Mapping[str, Any]
    source: Source
    path: Path  # of the schema in `source`
    taken: Mapping[str, tuple[Source, str]]  # name in `$defs` → file and name it was copied from

    def origin(self, path: Path) -> tuple[Source, Path]:
        """Where the part of the schema at `path` was written."""
        if len(path) >= 2 and path[0] == "$defs" and path[1] in self.taken:
            source, name = self.taken[str(path[1])]
            return source, ("$defs", name, *path[2:])
        return self.source, (*self.path, *path)

    def value(self, path: Path) -> Span:
        """The place of the value at `path` of the schema."""
        source, written = self.origin(path)
        return source.value(written)

    def key(self, path: Path) -> Span:
        """The place of the key at `path` of the schema."""
        source, written = self.origin(path)
        return source.key(written)


class Bundler:
    """Binds one schema. `faults` fill up on the way."""

    def __init__(self, shared: Mapping[str, Source]) -> None:
        self.faults: list[Diagnostic] = []
        self._shared = shared
        self._names: dict[tuple[str, str], str] = {}  # file and definition → name in the bundle
        self._queue: list[tuple[str, str]] = []
        self._taken_names: set[str] = set()
        self._draft: Draft | None = None

    def bind(self, schema: Mapping[str, Any], source: Source, path: Path) -> Bound:
        """`schema`, written in `source` at `path`, with what it takes from shared files."""
        own = schema.get("$defs")
        self._taken_names = set(own) if isinstance(own, dict) else set()
        self._draft = draft_of(schema)
        refs = self._own_refs(schema, source, path)
        if not refs:
            return Bound(schema, source, path, {})
        bundle = replace_refs(schema, refs)
        definitions, taken = self._pulled()
        bundle["$defs"] = {**bundle.get("$defs", {}), **definitions}
        return Bound(bundle, source, path, taken)

    def audit(self, path: str) -> Bound:
        """A bundle of every definition in the shared file at `path`, used or not, for its faults."""
        source = self._shared[path]
        data: Any = source.data
        self._draft = draft_of(data)
        for name in data["$defs"]:
            self._pull(Target(path, name, ()))
        definitions, taken = self._pulled()
        return Bound({"$defs": definitions}, source, (), taken)

    def uses(self) -> set[str]:
        """The shared files that were drawn from."""
        return {path for path, _ in self._names}

    def _pulled(self) -> tuple[dict[str, Any], dict[str, tuple[Source, str]]]:
        definitions: dict[str, Any] = {}
        taken: dict[str, tuple[Source, str]] = {}
        for path, name in self._queue:  # grows while definitions refer to further ones
            source = self._shared[path]
            schema = follow(source.data, ("$defs", name))
            copy = replace_refs(schema, self._shared_refs(schema, source, name))
            bundled = self._names[path, name]
            definitions[bundled], taken[bundled] = copy, (source, name)
        return definitions, taken

    def _own_refs(self, schema: Mapping[str, Any], source: Source, path: Path) -> dict[Path, str]:
        """New words for the references of a tool's schema that lead to shared files."""
        found, scope = collect(schema)
        refs: dict[Path, str] = {}
        for here, keyword, ref in found:
            span_path = (*path, *here, keyword)
            if ref.startswith("#"):
                if not scope.binds(schema, here, ref[1:]):
                    self._dangling(source, span_path, ref, self._taken_names)
            elif not scope.knows(here, ref):
                target = file_target(ref, source, span_path, self._shared)
                new = self._take(target, source, span_path, scope.inside_id(here))
                if new:
                    refs[here] = new
        return refs

    def _shared_refs(self, schema: Any, source: Source, name: str) -> dict[Path, str]:
        """New words for all references of a shared definition, whose `#` is no longer its file."""
        found, scope = collect(schema)
        refs: dict[Path, str] = {}
        for here, keyword, ref in found:
            span_path = ("$defs", name, *here, keyword)
            inside = scope.inside_id(here)
            target: Target | Diagnostic
            if ref.startswith("#") and inside:
                continue  # relative to that `$id`, and carried along with it
            if ref.startswith("#/"):
                target = definition(source, ref[1:], source, span_path)
            elif ref.startswith("#"):
                target = _anchored(source, ref[1:]) or definition(source, ref[1:], source, span_path)
            elif scope.knows(here, ref):
                continue
            else:
                target = file_target(ref, source, span_path, self._shared)
            new = self._take(target, source, span_path, inside)
            if new and keyword == "$ref":
                refs[here] = new
        return refs

    def _take(self, target: Target | Diagnostic, source: Source, at: Path, inside_id: bool) -> str:
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
        data: Any = self._shared[target.path].data
        if draft_of(data) != self._draft:
            self.faults.append(
                Diagnostic(
                    source.value(at),
                    "mixed-drafts",
                    f"{target.path} is written in another draft of JSON Schema",
                    "write the same `$schema` in both, or in neither",
                )
            )
            return ""
        return self._pull(target)

    def _pull(self, target: Target) -> str:
        """The pointer to `target` in the bundle."""
        key = (target.path, target.name)
        if key not in self._names:
            name, number = target.name, 2
            while name in self._taken_names:
                name, number = f"{target.name}_{number}", number + 1
            self._taken_names.add(name)
            self._names[key] = name
            self._queue.append(key)
        return "#" + format_pointer(("$defs", self._names[key], *target.rest))

    def _dangling(self, source: Source, path: Path, ref: str, known: set[str]) -> None:
        near = did_you_mean(ref.removeprefix("#/$defs/"), sorted(known))
        self.faults.append(
            Diagnostic(
                source.value(path),
                "dangling-ref",
                f"{quoted(ref)} leads nowhere in this schema",
                near or "`#` is the root of the schema, `input_schema` for one; its `$defs` are below that",
            )
        )


def _anchored(source: Source, anchor: str) -> Target | None:
    """The place of an `$anchor` in a shared file."""
    data: Any = source.data
    for name, schema in data["$defs"].items():
        rest = collect(schema)[1].anchors.get(anchor)
        if rest is not None:
            return Target(source.path, name, rest)
    return None
