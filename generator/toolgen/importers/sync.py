"""What an import writes: new specs, earlier ones brought up to date; what has gone is told."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolgen.data.source import Source
from toolgen.importers.naming import Names
from toolgen.importers.tool import Imported, in_order
from toolgen.yaml12.patch import merged_order, patched
from toolgen.yaml12.writer import write

_IMPORTED = re.compile(r"^# Imported by `toolgen import ([a-z]+)`", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Earlier:
    """The specs that are there, for an import of one kind (and so for one target) into one folder."""

    kind: str
    below: str  # the folder below the specs folder, with a slash behind, or nothing
    sources: Sequence[Source]

    def names(self, sync: bool) -> Names:
        """What new tools must not be called, and what known ones are called already."""
        ours = self.imported() if sync else {}
        again = {source.path for source in ours.values()}
        taken = [
            str(data["name"])
            for source, data in self._tools()
            if source.path not in again and source.path != self.path(str(data["name"]))
        ]
        return Names(frozenset(taken), {name: _data(source)["name"] for name, source in ours.items()})

    def imported(self) -> dict[str, Source]:
        """Published name → the spec of an earlier import of this kind into this folder."""
        return {
            _published(data, self.kind): source
            for source, data in self._tools()
            if source.path.startswith(self.below)
            and (found := _IMPORTED.search(source.text))
            and found[1] == self.kind
        }

    def path(self, name: str) -> str:
        """Where the spec of the tool `name` goes."""
        return f"{self.below}{name}.yaml"

    def _tools(self) -> Iterator[tuple[Source, dict[str, Any]]]:
        for source in self.sources:
            if isinstance(source.data, dict) and isinstance(source.data.get("name"), str):
                yield source, source.data


@dataclass(frozen=True, slots=True)
class Plan:
    """What to write, and what to tell."""

    files: Mapping[str, str] = field(default_factory=dict)  # path below the specs folder → text
    in_the_way: Sequence[str] = ()  # files that an import does not replace
    notes: Sequence[str] = ()


def plan_import(tools: Sequence[Imported], earlier: Earlier) -> Plan:
    """New specs for all of `tools`."""
    there = {source.path for source in earlier.sources}
    files = {earlier.path(tool.name): spec_text(tool, earlier) for tool in tools}
    notes = [note for tool in tools for note in tool.notes]
    return Plan(files, [path for path in files if path in there], notes)


def plan_sync(tools: Sequence[Imported], earlier: Earlier, owned: Sequence[str]) -> Plan:
    """Specs of an earlier import brought up to date; `owned` are the fields that the source decides."""
    known = earlier.imported()
    there = {source.path for source in earlier.sources}
    files: dict[str, str] = {}
    in_the_way: list[str] = []
    notes: list[str] = []
    gone = dict(known)
    for tool in tools:
        source = gone.pop(_published(tool.fields, earlier.kind), None)
        if source is None:
            path = earlier.path(tool.name)
            in_the_way += [path] if path in there else []
            new = (
                tool if not known else Imported(in_order({**tool.fields, "enabled": False}), (), tool.origin)
            )
            files[path] = spec_text(new, earlier)
            notes += [*tool.notes, f"{tool.name}: new{', with enabled: false' if known else ''}"]
            continue
        wanted = _updated(_data(source), tool.fields, owned, earlier.kind)
        changed = [key for key in wanted.keys() | _data(source).keys() if _differ(wanted, _data(source), key)]
        if changed:
            files[source.path] = patched(source.text, wanted)
            notes += [*tool.notes, f"{tool.name}: updated {', '.join(sorted(changed))}"]
    for source in gone.values():
        notes.append(
            f"{_data(source)['name']}: gone from the source; {source.file} is kept: remove it or disable it"
        )
    return Plan(files, in_the_way, notes)


def spec_text(tool: Imported, earlier: Earlier) -> str:
    """A new spec, with the line that tells an editor its schema, and the one that tells where it is from."""
    up = "../" * earlier.below.count("/")
    origin = f" from {tool.origin}" if tool.origin.isprintable() and tool.origin else ""
    return (
        f"# yaml-language-server: $schema={up}.toolgen.schema.json\n"
        f"# Imported by `toolgen import {earlier.kind}`{origin}; with --sync, it follows its source.\n"
        f"{write(tool.fields)}"
    )


def _updated(
    old: dict[str, Any], new: Mapping[str, Any], owned: Sequence[str], target: str
) -> dict[str, Any]:
    """`old` with what the source decides taken from `new`, in the order of the file."""
    wanted = {key: value for key, value in old.items() if key not in owned}
    wanted |= {key: value for key, value in new.items() if key in owned}
    aliases = [
        *old.get("aliases", []),
        *(name for name in new.get("aliases", []) if name not in old.get("aliases", [])),
    ]
    targets = {name: value for name, value in old.get("targets", {}).items() if name != target}
    if options := new.get("targets", {}).get(target):
        targets = {**old.get("targets", {}), target: options}
    for key, value in (("aliases", aliases), ("targets", targets)):
        if value:
            wanted[key] = value
        else:
            wanted.pop(key, None)
    return {key: wanted[key] for key in merged_order(list(old), list(in_order(wanted)))}


def _published(fields: Mapping[str, Any], target: str) -> str:
    options = fields.get("targets")
    inner = options.get(target) if isinstance(options, dict) else None
    name = inner.get("name") if isinstance(inner, dict) else None
    return str(name or fields["name"])


def _data(source: Source) -> dict[str, Any]:
    return source.data if isinstance(source.data, dict) else {}


def _differ(one: Mapping[str, Any], other: Mapping[str, Any], key: str) -> bool:
    return json.dumps(one.get(key)) != json.dumps(other.get(key)) or (key in one) != (key in other)
