"""Sources to specs: every field typed, every schema checked by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.language.program import Parsed
from toolgen.language.references.bundle import diagnostic_of
from toolgen.language.source import Source
from toolgen.language.spec import SHARED_FILE_KEYS, Spec, is_shared_file
from toolgen.language.targets.builtin import BUILT_IN
from toolgen.language.targets.definition import Target
from toolgen.runtime.definition.check import spec_faults
from toolgen.runtime.definition.faults import SpecFault
from toolgen.runtime.definition.semantics.json_schema import check_schema
from toolgen.runtime.definition.spec_schema import DEFINITIONS, schemas_of

_OF_TOOLS: Final = frozenset(("name", "input_schema", "inputSchema", "parameters", "function"))
_FIELDS: Final = _OF_TOOLS | DEFINITIONS["Tool"]["properties"].keys()
_SHARED_HINT: Final = (
    "for shared schemas, write `$defs:` and below it each schema with its name; "
    "a tool has `name`, `description` and `input_schema`"
)
YAML_BOOLEANS: Final = frozenset(("y", "n", "yes", "no", "on", "off"))  # of YAML 1.1, in any case


def parse(sources: tuple[Source, ...], targets: Sequence[Target] = ()) -> Parsed:
    """Parse every file: a tool, or a file of schemas that tools share.

    A spec may have options of the built-in targets and of
    `targets`. Raises `SpecErrors` with the faults of all files.
    """
    own = {
        target.name: tuple(target.definition.options.model_fields)
        for target in targets
        if target.tool_name and target.name not in BUILT_IN
    }
    tools: list[tuple[Spec, Source]] = []
    shared: dict[str, Source] = {}
    faults: list[Diagnostic] = []
    for source in sources:
        if not isinstance(source.data, dict):
            message = "a spec is a mapping with `name`, `description` and `input_schema`"
            hint = "write one tool per file; `toolgen new` writes a first one"
            faults.append(Diagnostic(source.value(), "not-a-tool", message, hint))
        elif is_shared_file(source.data):
            shared[source.path] = source
            faults.extend(_shared_faults(source, source.data))
        elif (neither := _neither_tool_nor_shared(source, source.data)) is not None:
            faults.append(neither)
        else:
            made = _spec(source, source.data, own)
            if isinstance(made, Spec):
                tools.append((made, source))
            else:
                faults.extend(made)
    if faults:
        raise SpecErrors(faults)
    return Parsed(tuple(tools), shared)


def _spec(
    source: Source, data: Mapping[str, Any], own_targets: Mapping[str, Sequence[str]]
) -> Spec | list[Diagnostic]:
    found = spec_faults(data, own_targets)
    faults = [_diagnostic(source, fault) for fault in found]
    faults.extend(_ambiguous_name(source, data))
    for path, schema in schemas_of(data):
        if isinstance(schema, dict):
            faults.extend(diagnostic_of(fault, source) for fault in check_schema(schema, path))
    if faults:
        return faults
    # pydantic gets valid data only, so that its own words reach no user
    fields: dict[str, Any] = {}
    extensions: dict[str, Any] = {}
    for key, value in data.items():
        (extensions if key.startswith("x-") else fields)[key] = value
    return Spec.model_validate({**fields, "extensions": extensions})


def _diagnostic(source: Source, fault: SpecFault) -> Diagnostic:
    found = diagnostic_of(fault, source)
    span, hint = found.span, fault.hint
    line = source.lines[span.line - 1]
    if fault.needs_quotes:
        # as it was typed: YAML has read `1.10` as 1.1
        written = line[span.column - 1 : span.column - 1 + span.length]
        hint = f'quote it: "{written}"' if written else ""
    elif fault.code == "bad-value" and fault.hint and line.rstrip().endswith((": |", ": >", "|-", ">-")):
        hint = "indent the text below this line by two spaces"
    return replace(found, hint=hint)


def _ambiguous_name(source: Source, data: Mapping[str, Any]) -> Iterator[Diagnostic]:
    name = data.get("name")
    if not isinstance(name, str) or name.lower() not in YAML_BOOLEANS:
        return
    span = source.value(("name",))
    if source.lines[span.line - 1][span.column - 1 : span.column] not in ('"', "'"):
        message = f"many YAML parsers read {name} as a boolean"
        yield Diagnostic(span, "ambiguous-name", message, f'quote it: "{name}"')


def _neither_tool_nor_shared(source: Source, data: Mapping[str, Any]) -> Diagnostic | None:
    """Return the one fault of a file that is rather meant for shared schemas than for a tool."""
    is_for_definitions = not {"$defs", "definitions"}.isdisjoint(data)
    if not (_OF_TOOLS if is_for_definitions else _FIELDS).isdisjoint(data):
        return None
    first = next(key for key in data if key not in SHARED_FILE_KEYS)
    message, hint = "the file is neither a tool nor a file of shared schemas", _SHARED_HINT
    if "$defs" in data:
        message = f"beside `$defs`, a file of shared schemas has only `$schema` and `$comment`, not '{first}'"
        hint = "move it below `$defs`, or remove it"
    elif "definitions" in data:
        hint = "rename `definitions` to `$defs`"
    return Diagnostic(source.key((first,)), "not-a-tool", message, hint)


def _shared_faults(source: Source, data: Mapping[str, Any]) -> Iterator[Diagnostic]:
    definitions = data.get("$defs")
    if not isinstance(definitions, dict) or not definitions:
        where = source.key(("$defs",)) if "$defs" in data else source.value()
        message = "a file of shared schemas has them under `$defs`, and there are none"
        yield Diagnostic(where, "not-a-tool", message, _SHARED_HINT)
        return
    draft = {"$schema": data["$schema"]} if "$schema" in data else {}
    for name, schema in definitions.items():
        if isinstance(schema, bool):
            continue
        if not isinstance(schema, dict):
            place = source.value(("$defs", name))
            yield Diagnostic(place, "invalid-schema", f"{name!r} is not a schema", "write a mapping")
            continue
        for fault in check_schema(schema, ("$defs", name), draft):
            yield diagnostic_of(fault, source)
