"""Compare what a server lists with what the specs publish: names, schemas, annotations, texts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Final

from toolgen.base.suggestions import did_you_mean, quoted, shortened
from toolgen.changes.comparing.definitions import ExportedSide, compare_definitions
from toolgen.changes.comparison import compare_tools
from toolgen.changes.contract import REQUEST, RESPONSE, SCHEMA_PATHS
from toolgen.changes.finding import Category, Finding, Level
from toolgen.changes.rule import ToolPair
from toolgen.language.diagnostic import SpecErrors
from toolgen.proof.containment import NotContained, Unanalysed, check_containment
from toolgen.schema.document import same_value
from toolgen.serving.listed_tool import output_for_handshake_era
from toolgen.testing.results import Failure

CHECK: Final = "listing"
_MAX_FAILURES: Final = 10  # of one tool
_MAX_WITNESS: Final = 200  # characters
_NOUNS: Final = {REQUEST: "requests", RESPONSE: "responses"}


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
    about_schemas = {name: [each for each in findings if _is_below(each, name)] for name in _NOUNS}
    for name, own in about_schemas.items():
        found.failures += _schema_failures(found, pair, name, own)
    for each in findings:
        if each.category is Category.AGENT:
            found.texts.append(each.pointer)
        elif each.pointer.startswith("/annotations") or (
            each.level is not Level.INFO and not any(each in own for own in about_schemas.values())
        ):
            found.failures.append(_failure(each, pair))
    del found.failures[_MAX_FAILURES:]


def _schema_failures(
    found: ListedTool, pair: ToolPair, name: str, findings: Sequence[Finding]
) -> Iterator[Failure]:
    """Yield the differences of a schema, if it does not accept the same values on both sides."""
    old, new = pair.old.documents.get(name), pair.new.documents.get(name)
    told = [each for each in findings if each.category is Category.WIRE and each.code != "draft-changed"]
    if old is None or new is None:
        yield from (_failure(each, pair) for each in told)
        return
    if same_value(old.schema, new.schema):
        return
    lost, gained = check_containment(old, new), check_containment(new, old)
    diff = [
        *_witness_lines(lost, f"- valid {_NOUNS[name]} by the spec, and not by the server's schema"),
        *_witness_lines(gained, f"+ valid {_NOUNS[name]} by the server's schema, and not by the spec"),
    ]
    if not diff:
        found.undecided += [each.reason for each in (lost, gained) if isinstance(each, Unanalysed)]
        return
    message = f"the server lists another schema of {_NOUNS[name]}"
    place = pair.old.place(*SCHEMA_PATHS[name])
    yield Failure(CHECK, message, place, diff=tuple(diff))
    yield from (_failure(each, pair) for each in told)


def _witness_lines(verdict: Any, label: str) -> Iterator[str]:
    if isinstance(verdict, NotContained):
        text = json.dumps(verdict.witness, ensure_ascii=True)
        yield f"{label}: {shortened(text, _MAX_WITNESS)}"


def _failure(finding: Finding, pair: ToolPair) -> Failure:
    place = finding.places.old or pair.old.place("name")
    return Failure(CHECK, f"the server lists another contract: {finding.message}", place)


def _is_below(finding: Finding, name: str) -> bool:
    start = f"/{SCHEMA_PATHS[name][0]}"
    return finding.pointer == start or finding.pointer.startswith(f"{start}/")
