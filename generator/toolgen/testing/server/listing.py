"""Compare what a server lists with what the specs publish: names, schemas, annotations, texts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Final

from toolgen.base.suggestions import did_you_mean, quoted, shortened
from toolgen.changes.comparing.definitions import ExportedSide, compare_definitions
from toolgen.changes.comparison import compare_tools
from toolgen.changes.contract import REQUEST, RESPONSE
from toolgen.changes.finding import Category, Finding, Level, Witness
from toolgen.changes.policy import UNANALYSED
from toolgen.changes.rule import ToolPair
from toolgen.language.diagnostic import SpecErrors
from toolgen.schema.document import same_value
from toolgen.serving.listed_tool import output_for_handshake_era
from toolgen.testing.results import Failure

CHECK: Final = "listing"
_MAX_FAILURES: Final = 10  # of one tool
_MAX_WITNESS: Final = 200  # characters


@dataclass(slots=True)
class ListedTool:
    """A tool of the specs, compared with the tool of that name that a server lists."""

    name: str  # published
    is_missing: bool = False
    failures: list[Failure] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)  # pointers to texts for models that differ
    undecided: list[str] = field(default_factory=list)  # why schemas could not be compared
    annotations: Mapping[str, Any] | None = None  # as the server lists them


@dataclass(frozen=True, slots=True)
class Listing:
    """The tools of the specs as a server lists them."""

    tools: Mapping[str, ListedTool]  # by the name in the spec
    unknown: tuple[str, ...]  # names of listed tools that the specs do not have


def compare_listing(own: ExportedSide, listed: ExportedSide, today: date) -> Listing:
    """Return the differences between what the project publishes and what a server lists."""
    definitions = listed.by_name
    tools: dict[str, ListedTool] = {}
    for name, spec in own.specs.items():
        if name in definitions:
            tools[spec.name] = _compared(name, own, listed, today)
        else:
            hint = did_you_mean(name, definitions)
            message = f"the server has no tool {quoted(name)}{f'; {hint}' if hint else ''}"
            failure = Failure(CHECK, message, own.places[name].key(("name",)))
            tools[spec.name] = ListedTool(name, is_missing=True, failures=[failure])
    return Listing(tools, tuple(name for name in definitions if name not in own.specs))


def _compared(name: str, own: ExportedSide, listed: ExportedSide, today: date) -> ListedTool:
    listed_annotations = listed.by_name[name].fields.get("annotations")
    found = ListedTool(name, annotations=listed_annotations if isinstance(listed_annotations, dict) else None)
    here, there = _only(own, name), _only(listed, name)
    there = replace(there, tools=[_unwrapped(there.tools[0].fields, here.tools[0].fields, there)])
    try:
        old, new = compare_definitions(here, there)
    except SpecErrors as errors:
        faults = "; ".join(each.message for each in errors.diagnostics[:3])
        message = f"the server's definition is not valid: {shortened(faults)}"
        found.failures.append(Failure(CHECK, message, own.places[name].key(("name",))))
        return found
    if name not in old.contracts or name not in new.contracts:
        return found  # they are equal
    _add_findings(found, ToolPair(old.contracts[name], new.contracts[name], today))
    return found


def _only(side: ExportedSide, name: str) -> ExportedSide:
    return replace(side, tools=[side.by_name[name]])


def _unwrapped(listed: Mapping[str, Any], own: Mapping[str, Any], side: ExportedSide) -> Any:
    """Return the listed tool, with its output schema as newer protocol versions have it."""
    schema = own.get("output_schema")
    fields = dict(listed)
    if schema is not None and same_value(listed.get("output_schema"), output_for_handshake_era(schema)):
        fields["output_schema"] = schema
    return replace(side.tools[0], fields=fields)


def _add_findings(found: ListedTool, pair: ToolPair) -> None:
    findings = list(compare_tools(pair))
    # a schema is another one if a value shows it, or if only one side has it
    differing = {_field(each) for each in findings if each.witness or each.code == "response-schema-added"}
    for each in findings:
        field = _field(each)
        if each.category is Category.AGENT:
            found.texts.append(each.pointer)
        elif each.code == UNANALYSED:
            found.undecided.append(each.message)
        elif field in (REQUEST, RESPONSE):
            if each.witness or (field in differing and each.category is Category.WIRE):
                found.failures.append(_failure(each, pair))
        elif field == "annotations" or each.level is not Level.INFO:
            found.failures.append(_failure(each, pair))
    del found.failures[_MAX_FAILURES:]


def _failure(finding: Finding, pair: ToolPair) -> Failure:
    place = finding.places.old or pair.old.place("name")
    message = f"the server lists another contract: {finding.message}"
    return Failure(CHECK, message, place, diff=() if finding.witness is None else (_line(finding.witness),))


def _line(witness: Witness) -> str:
    value = shortened(json.dumps(witness.value, ensure_ascii=True), _MAX_WITNESS)
    if witness.accepted_by == "old":
        return f"- valid by the spec, and not by the server's schema: {value}"
    return f"+ valid by the server's schema, and not by the spec: {value}"


def _field(finding: Finding) -> str:
    """Return the field of the spec that a finding is about."""
    return finding.pointer.split("/")[1]
