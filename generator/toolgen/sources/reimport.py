"""Plan the files of an import: new specs, updates of earlier ones, notes on tools that disappeared."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Final

from toolgen.base.suggestions import count, shortened
from toolgen.language.identifiers import file_stem
from toolgen.language.source import Source
from toolgen.language.spec import imported_kind, is_shared_file
from toolgen.language.yaml12.patch import merge_key_order, patch_yaml
from toolgen.language.yaml12.writer import write
from toolgen.schema.document import JsonPath, subschemas
from toolgen.sources.imported_tool import ImportedTool, ImportedTools, in_spec_order
from toolgen.sources.spec_names import ExistingNames

_MAX_NAMES: Final = 200  # characters
_SCHEMAS: Final = ("input_schema", "output_schema")
_WHERE_GIVEN = frozenset(("output_schema", "group", "load"))
"""Fields that come from the source if it has them, and are the author's otherwise."""
_PUBLISHING = frozenset(("inline", "output_schema"))
"""Options of a target that no source has: how the author publishes a tool."""


@dataclass(frozen=True, slots=True)
class ExistingSpecs:
    """The specs in the folder of an import."""

    kind: str  # of the import
    folder: str  # below the specs folder, with a trailing slash, or empty
    sources: Mapping[str, Source]  # by path below the specs folder
    upstream: str = ""  # of an import whose calls are forwarded

    @property
    def target(self) -> str:
        """The target whose published names identify the tools."""
        return "mcp" if self.kind == "fastmcp" else self.kind

    def names(self, sync: bool) -> ExistingNames:
        """Return the names that new tools must not have, and those of tools that a sync updates."""
        imported = self.imported() if sync else {}
        updated = {source.path for source in imported.values()}
        others = [(source, data) for source, data in self._tools() if source.path not in updated]
        in_place = {data["name"] for source, data in others if source.path == self.path(data["name"])}
        taken = {data["name"] for _, data in others} - in_place
        for _, data in others:
            aliases = data.get("aliases")
            taken.update(
                name for name in (aliases if isinstance(aliases, list) else ()) if isinstance(name, str)
            )
        return ExistingNames(
            frozenset(taken),
            frozenset(in_place),
            {key: _spec_data(source)["name"] for key, source in imported.items()},
        )

    def imported(self) -> dict[str, Source]:
        """Return the key of a tool → spec, of earlier imports of this kind into this folder."""
        found: dict[str, Source] = {}
        for source, data in self._tools():
            is_own = str(data.get("x-upstream", self.upstream)).partition("/")[0] == self.upstream
            if is_own and source.path.startswith(self.folder) and imported_kind(source.text) == self.kind:
                key = self.key(data)
                # two documents in one folder may call operations alike: the other one goes by its name
                found[_published_name(data, self.target) if key in found else key] = source
        return found

    def key(self, fields: Mapping[str, Any]) -> str:
        """Return what identifies a tool in its source: its operation in an OpenAPI document, or its name."""
        call = fields.get("x-openapi")
        if self.kind == "openapi" and isinstance(call, dict):
            operation = call.get("operation")
            return operation if isinstance(operation, str) else f"{call.get('method')} {call.get('path')}"
        return str(fields.get("x-upstream", "")).partition("/")[2] or _published_name(fields, self.target)

    def places(self, key: str, fields: Mapping[str, Any]) -> set[str]:
        """Return what may identify the tool in its source where it cannot be read: also its place."""
        call = fields.get("x-openapi")
        call = call if self.kind == "openapi" and isinstance(call, dict) else {}
        return {key, f"{call.get('method')} {call.get('path')}", str(call.get("path"))}

    def shared_path(self, file: str) -> str:
        """Return the path of a shared file of an import, below the specs folder."""
        return f"{self.folder}{file}"

    def shared_definitions(self, file: str) -> Mapping[str, Any] | None:
        """Return the definitions of a shared file; None if no import of this kind has written it."""
        source = self.sources.get(self.shared_path(file))
        if source is None or imported_kind(source.text) != self.kind or not is_shared_file(source.data):
            return None
        definitions = _spec_data(source).get("$defs")
        return definitions if isinstance(definitions, dict) else None

    def path(self, name: str) -> str:
        """Return the path of the spec of the tool `name`, below the specs folder."""
        return f"{self.folder}{file_stem(name)}.yaml"

    def _tools(self) -> Iterator[tuple[Source, dict[str, Any]]]:
        for source in self.sources.values():
            if isinstance(source.data, dict) and isinstance(source.data.get("name"), str):
                yield source, source.data


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """The files that an import writes, and its notes for the user."""

    files: Mapping[str, str] = field(default_factory=dict)  # path below the specs folder → text
    conflicts: Sequence[str] = ()  # existing files that the import would replace, and must not
    notes: Sequence[str] = ()
    unchanged: Mapping[str, str] = field(default_factory=dict)  # specs of the source's other tools


def plan_import(found: ImportedTools, existing: ExistingSpecs) -> ImportPlan:
    """Plan a new spec for each tool, and the file of schemas that they share."""
    files = {existing.path(tool.name): spec_text(tool, existing) for tool in found.tools}
    notes = [note for tool in found.tools for note in tool.notes]
    if found.definitions:
        files[existing.shared_path(found.shared_file)] = _shared_text(found, existing)
    return ImportPlan(files, [path for path in files if path in existing.sources], notes)


def plan_sync(
    found: ImportedTools, existing: ExistingSpecs, owned: Sequence[str], left_out: Collection[str] = ()
) -> ImportPlan:
    """Plan updates of earlier imported specs.

    `owned` are the fields that come from the source; `left_out` are the keys of tools that it has, but that
    cannot be read: their specs stay as they are.
    """
    imported = existing.imported()
    files: dict[str, str] = {}
    unchanged: dict[str, str] = {}
    conflicts: list[str] = []
    notes: list[str] = []
    missing = dict(imported)
    for tool in found.tools:
        source = missing.pop(existing.key(tool.fields), None)
        if source is None:
            path = existing.path(tool.name)
            conflicts += [path] if path in existing.sources else []
            # in a project that is in use, a new tool waits for its review
            fields = in_spec_order({**tool.fields, "enabled": False}) if imported else tool.fields
            files[path] = spec_text(ImportedTool(fields, (), tool.origin), existing)
            notes += [*tool.notes, f"{tool.name}: new{', with enabled: false' if imported else ''}"]
            continue
        current = _spec_data(source)
        fields = _relocated(tool.fields, found.shared_file, existing, source)
        merged = merge_texts(source.text, current, fields)
        notes += _kept(tool.name, merged)
        updated = _updated_fields(current, merged.fields, owned, existing.target)
        changed = [key for key in updated.keys() | current.keys() if _differs(updated, current, key)]
        text = patch_yaml(source.text, updated) if changed else source.text
        text = with_text_record(text, fields)
        if text != source.text:
            files[source.path] = text
        else:
            unchanged[source.path] = source.text
        if changed:
            notes += [*tool.notes, f"{tool.name}: updated {', '.join(sorted(changed))}"]
    for key, source in imported.items():
        if key in missing and not existing.places(key, _spec_data(source)).isdisjoint(left_out):
            notes.append(f"{missing.pop(key).path}: kept as it is, since its tool cannot be read")
    if missing:
        names = shortened(", ".join(_spec_data(source)["name"] for source in missing.values()), _MAX_NAMES)
        kept_specs = f"{count(len(missing), 'spec')} not in this import, and kept: {names}"
        notes.append(f"{kept_specs}; remove or disable what the source no longer has")
    path, earlier = existing.shared_path(found.shared_file), existing.shared_definitions(found.shared_file)
    # specs that are left out may use what the others do not
    definitions = dict(sorted({**(earlier or {}), **found.definitions}.items()))
    if definitions:
        text = existing.sources[path].text if path in existing.sources else ""
        merged = merge_texts(text, {"$defs": earlier}, {"$defs": definitions})
        notes += _kept(found.shared_file, merged)
        kept = replace(found, definitions=merged.fields["$defs"])
        if json.dumps(kept.definitions) != json.dumps(earlier):
            conflicts += [path] if earlier is None and path in existing.sources else []
            files[path] = _shared_text(kept, existing, texts=definitions)
            notes += [] if earlier is None else [f"{found.shared_file}: updated"]
        elif with_text_record(text, {"$defs": definitions}) != text:
            files[path] = with_text_record(text, {"$defs": definitions})
    return ImportPlan(files, conflicts, notes, unchanged)


def _relocated(
    fields: Mapping[str, Any], file: str, existing: ExistingSpecs, source: Source
) -> Mapping[str, Any]:
    """Return fields with references to the shared file as they are written in a spec that was moved."""
    if not file:
        return fields
    path = posixpath.relpath(existing.shared_path(file), posixpath.dirname(source.path) or ".")

    def moved(value: Any) -> Any:
        if isinstance(value, list):
            return [moved(each) for each in value]
        if not isinstance(value, dict):
            return value
        ref = value.get("$ref")
        if isinstance(ref, str) and ref.startswith(f"{file}#"):
            value = {**value, "$ref": path + ref.removeprefix(file)}
        return {key: moved(each) for key, each in value.items()}

    return {key: moved(value) if key in _SCHEMAS else value for key, value in fields.items()}


def _kept(file_or_tool: str, merged: MergedTexts) -> list[str]:
    return [
        f"{file_or_tool}: texts of {field} differ from those of the source; those written by hand are kept"
        for field in merged.conflicts
    ]


def _shared_text(
    found: ImportedTools, existing: ExistingSpecs, *, texts: Mapping[str, Any] | None = None
) -> str:
    """Return the text of a shared file; `texts` are the definitions of the source, if they differ."""
    record = text_record({"$defs": found.definitions if texts is None else texts})
    return (
        f"# Imported by `toolgen import {existing.kind}`: schemas of several tools; with --sync, they follow "
        f"their source.\n{record}{write({'$defs': dict(found.definitions)})}"
    )


def spec_text(tool: ImportedTool, existing: ExistingSpecs) -> str:
    """Return the text of a new spec: the editor's schema and the origin as comments, then the fields."""
    up = "../" * existing.folder.count("/")
    origin = f" from {tool.origin}" if tool.origin.isprintable() and tool.origin else ""
    return (
        f"# yaml-language-server: $schema={up}.toolgen.schema.json\n"
        f"# Imported by `toolgen import {existing.kind}`{origin}; with --sync, it follows its source.\n"
        f"{text_record(tool.fields)}"
        f"{write(tool.fields)}"
    )


def _updated_fields(
    current: dict[str, Any], new: Mapping[str, Any], owned: Sequence[str], target: str
) -> dict[str, Any]:
    """Return `current` with the owned fields of `new`, in the order of the existing file."""
    owned = (*owned, *(new.keys() & _WHERE_GIVEN))
    updated = {key: value for key, value in current.items() if key not in owned}
    updated |= {key: value for key, value in new.items() if key in owned}
    aliases = [
        *current.get("aliases", []),
        *(name for name in new.get("aliases", []) if name not in current.get("aliases", [])),
    ]
    targets = dict(current.get("targets", {}))
    given, wanted = targets.pop(target, {}), new.get("targets", {}).get(target, {})
    kept = {
        key: wanted.get(key, value) for key, value in given.items() if key in wanted or key in _PUBLISHING
    }
    if options := {**kept, **wanted}:
        targets = {**current.get("targets", {}), target: options}
    for key, value in (("aliases", aliases), ("targets", targets)):
        if value:
            updated[key] = value
        else:
            updated.pop(key, None)
    return {key: updated[key] for key in merge_key_order(list(current), list(in_spec_order(updated)))}


def _published_name(fields: Mapping[str, Any], target: str) -> str:
    targets = fields.get("targets")
    options = targets.get(target) if isinstance(targets, dict) else None
    name = options.get("name") if isinstance(options, dict) else None
    return str(name or fields["name"])


def _spec_data(source: Source) -> dict[str, Any]:
    return source.data if isinstance(source.data, dict) else {}


def _differs(one: Mapping[str, Any], other: Mapping[str, Any], key: str) -> bool:
    return json.dumps(one.get(key)) != json.dumps(other.get(key)) or (key in one) != (key in other)


_TEXTS: Final = ("title", "description", "returns")
_WITH_TEXTS: Final = ("input_schema", "output_schema", "errors", "$defs")
_KEYWORDS: Final = ("title", "description", "hint")
_LINE: Final = re.compile(r"^# Texts as imported: (.*)\n", re.MULTILINE)
_ORIGIN: Final = re.compile(r"^# Imported by `toolgen import .*\n", re.MULTILINE)
_DIGITS: Final = 8  # of the hash of a text


@dataclass(frozen=True, slots=True)
class MergedTexts:
    """Fields of the source with texts of a spec."""

    fields: Mapping[str, Any]
    conflicts: tuple[str, ...]  # the fields whose texts were changed on both sides


def text_record(fields: Mapping[str, Any]) -> str:
    """Return the line of a header that says which texts the source had."""
    found = ", ".join(f"{name} {digest}" for name, digest in _digests(fields).items())
    return f"# Texts as imported: {found}\n" if found else ""


def with_text_record(text: str, fields: Mapping[str, Any]) -> str:
    """Return the text of an imported spec with the record of `fields` in place of the earlier one, if any."""
    text = _LINE.sub("", text, count=1)
    return _ORIGIN.sub(lambda found: found[0] + text_record(fields), text, count=1)


def merge_texts(text: str, current: Mapping[str, Any], new: Mapping[str, Any]) -> MergedTexts:
    """Return `new` fields of a source with the texts in which `current` was improved by hand.

    `text` is that of the spec.
    """
    header = _LINE.search(text)
    known = dict(each.split(" ", 1) for each in header[1].split(", ") if " " in each) if header else {}
    ours, theirs = _digests(current), _digests(new)
    fields, kept = dict(new), []
    for name in sorted(ours.keys() & theirs.keys()):
        if ours[name] in (known.get(name), theirs[name]):
            continue
        fields[name] = _merged(name, current[name], new[name])
        kept += [name] if theirs[name] != known.get(name) else []
    return MergedTexts(fields, tuple(kept))


def _merged(name: str, current: Any, new: Any) -> Any:
    """Return a field of the source with the texts that the spec has in the same places."""
    if name in _TEXTS:
        return current
    made = json.loads(json.dumps(new))
    written: dict[JsonPath, dict[str, str]] = {}
    for path, keyword, text in _texts(name, current):
        written.setdefault(path, {})[keyword] = text
    for path, node in _nodes(name, made):
        node.update(written.get(path, {}))
    return made


def _digests(fields: Mapping[str, Any]) -> dict[str, str]:
    texts = {name: fields[name] for name in _TEXTS if isinstance(fields.get(name), str)}
    texts |= {
        name: sorted(
            (list(map(str, path)), keyword, text) for path, keyword, text in _texts(name, fields[name])
        )
        for name in _WITH_TEXTS
        if isinstance(fields.get(name), Mapping | list)
    }
    return {name: sha256(json.dumps(text).encode()).hexdigest()[:_DIGITS] for name, text in texts.items()}


def _texts(name: str, value: Any) -> Iterator[tuple[JsonPath, str, str]]:
    for path, node in _nodes(name, value):
        for keyword in _KEYWORDS:
            if isinstance(node.get(keyword), str):
                yield path, keyword, node[keyword]


def _nodes(name: str, value: Any) -> Iterable[tuple[JsonPath, Any]]:
    """Return the parts of a field that have texts, with what identifies each."""
    if name == "errors":
        return [((str(each.get("code")),), each) for each in value if isinstance(each, dict)]
    return subschemas({"$defs": value} if name == "$defs" else value)
