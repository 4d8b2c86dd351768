"""Suppressed findings: `x-lint` in a spec, at the top of a tool or in the schema that it concerns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolgen.base.suggestions import did_you_mean, quoted
from toolgen.language.codes import lint_codes
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.source import Source
from toolgen.language.spec import is_shared_file
from toolgen.runtime.definition.spec_schema import schemas_of
from toolgen.schema.document import JsonPath, subschemas

KEY: Final = "x-lint"
_EXAMPLE: Final = "write it as in `x-lint: {ignore: {title-missing: shown in no client}}`"
_OWN: Final = frozenset(("invalid-suppression", "unused-suppression"))


@dataclass(frozen=True, slots=True)
class Suppression:
    """One rule that is ignored in a part of a file."""

    source: Source
    within: JsonPath  # the tool, or the schema with the `x-lint`
    rule: str
    reason: str

    @property
    def path(self) -> JsonPath:
        """The path of the reason in the file."""
        return (*self.within, KEY, "ignore", self.rule)


def take_suppressions(data: Any) -> dict[JsonPath, object]:
    """Remove each `x-lint` from a file's data, so that nobody is sent it. Return the values by their paths.

    A property, or a key in an example, may have this name: it is no `x-lint`.
    """
    found: dict[JsonPath, object] = {}
    if not isinstance(data, dict):
        return found
    if is_shared_file({key: value for key, value in data.items() if key != KEY}):
        holders = list(subschemas(data))
    else:
        inner = [node for path, schema in schemas_of(data) for node in subschemas(schema, path)]
        holders = [((), data), *inner]
    for path, holder in holders:
        if isinstance(holder, dict) and KEY in holder:
            found[*path, KEY] = holder.pop(KEY)
    return found


def read_suppressions(source: Source) -> tuple[list[Suppression], list[Diagnostic]]:
    """Return the suppressions of a file, and what is wrong with them."""
    found: list[Suppression] = []
    faults: list[Diagnostic] = []
    for path, value in source.suppressions.items():
        ignored = value.get("ignore") if isinstance(value, Mapping) and value.keys() == {"ignore"} else None
        if not isinstance(ignored, Mapping) or not ignored:
            message = "`x-lint` must hold `ignore`, with a reason for each rule"
            faults.append(Diagnostic(source.value(path), "invalid-suppression", message, _EXAMPLE))
            continue
        for rule, reason in ignored.items():
            if fault := _fault(source, (*path, "ignore", rule), rule, reason):
                faults.append(fault)
            else:
                found.append(Suppression(source, path[:-1], rule, reason.strip()))
    return found, faults


def _fault(source: Source, path: JsonPath, rule: str, reason: Any) -> Diagnostic | None:
    if rule in _OWN:
        message = f"{quoted(rule)} cannot be ignored: it is about `x-lint` itself"
        return Diagnostic(source.key(path), "invalid-suppression", message, "remove it")
    if rule not in lint_codes():
        hint = did_you_mean(rule, lint_codes()) or "`toolgen explain` lists the rules"
        return Diagnostic(source.key(path), "invalid-suppression", f"there is no rule {quoted(rule)}", hint)
    if not isinstance(reason, str) or not reason.strip():
        message = f"{quoted(rule)} is ignored without a reason"
        return Diagnostic(source.value(path), "invalid-suppression", message, "say why in a few words")
    return None


class SuppressedFindings:
    """The suppressions of all files, matched with findings; knows in the end which were never needed."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self.faults: list[Diagnostic] = []
        self._by_file: dict[str, list[Suppression]] = {}
        self._used: set[tuple[str, JsonPath]] = set()
        for source in sources:
            if source.suppressions:
                self._by_file[source.file], faults = read_suppressions(source)
                self.faults += faults

    def reason(self, found: Diagnostic) -> str:
        """Return why a finding is ignored; empty if it is not."""
        for each in self._by_file.get(found.span.file, ()):
            path = each.source.path_at(found.span)
            if each.rule == found.code and path[: len(each.within)] == each.within:
                self._used.add((found.span.file, each.path))
                return each.reason
        return ""

    def unused(self) -> Iterator[Diagnostic]:
        """Yield a finding for each suppression that no finding needed."""
        for file, all_of_file in self._by_file.items():
            for each in all_of_file:
                if (file, each.path) not in self._used:
                    yield Diagnostic(
                        each.source.key(each.path),
                        "unused-suppression",
                        f"{quoted(each.rule)} finds nothing here, so there is nothing to ignore",
                        "remove it: `toolgen lint --fix` does",
                    )


def without_suppressed(warnings: Iterable[Diagnostic], sources: Iterable[Source]) -> list[Diagnostic]:
    """Return the warnings that no `x-lint` ignores."""
    suppressed = SuppressedFindings(sources)
    return [each for each in warnings if not suppressed.reason(each)]
