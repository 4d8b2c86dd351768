"""Sources to specs: every field typed, every schema checked by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.language.program import Parsed
from toolgen.language.references.bundle import diagnostic_of
from toolgen.language.source import Source
from toolgen.language.spec import Spec, is_shared_file
from toolgen.language.targets.builtin import BUILT_IN
from toolgen.language.targets.definition import Target
from toolgen.runtime.definition.check import spec_faults
from toolgen.runtime.definition.faults import SpecFault
from toolgen.runtime.definition.semantics.json_schema import check_schema
from toolgen.runtime.definition.spec_schema import schemas_of

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
            faults.append(
                Diagnostic(
                    source.value(),
                    "not-a-tool",
                    "a spec is a mapping with `name`, `description` and `input_schema`",
                    "write one tool per file; `toolgen new` writes a first one",
                )
            )
        elif is_shared_file(source.data):
            shared[source.path] = source
            faults.extend(_shared_faults(source, source.data))
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


def _shared_faults(source: Source, data: Mapping[str, Any]) -> Iterator[Diagnostic]:
    definitions = data.get("$defs")
    if not isinstance(definitions, dict) or not definitions:
        where = source.key(("$defs",)) if "$defs" in data else source.value()
        yield Diagnostic(
            where,
            "not-a-tool",
            "a file of shared schemas has them under `$defs`, and there are none",
            "write `$defs:` with a mapping of schemas; a tool has `name`, `description` and `input_schema`",
        )
        return
    draft = {"$schema": data["$schema"]} if "$schema" in data else {}
    for name, schema in definitions.items():
        if isinstance(schema, bool):
            continue
        if not isinstance(schema, dict):
            yield Diagnostic(
                source.value(("$defs", name)),
                "invalid-schema",
                f"{name!r} is not a schema",
                "write a mapping",
            )
            continue
        for fault in check_schema(schema, ("$defs", name), draft):
            yield diagnostic_of(fault, source)
