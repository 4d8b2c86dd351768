"""The JSON-Schema-Test-Suite: its cases with the validator alone, and as generated tools."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jsonschema_rs import ReferencingError
from toolgen.runtime.validation.json_value import is_json
from toolgen.schema.document import follow, format_pointer, subschemas
from toolgen.schema.validator import compiled

from tools.corpus.compiled_tools import compile_tools
from tools.corpus.round_trip import check_round_trip
from tools.corpus.score import Score

DRAFTS: Mapping[str, str] = {
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
    "draft7": "http://json-schema.org/draft-07/schema#",
}
_HOST = "http://localhost:1234/"


@dataclass(frozen=True, slots=True)
class Case:
    """One schema of the suite, and its tests."""

    draft: str
    file: str  # below the folder of the draft: `ref.json`, `optional/format/uri.json`
    title: str
    schema: Any
    tests: tuple[tuple[str, Any, bool], ...]  # description, value, whether it is valid

    @property
    def asserts_formats(self) -> bool:
        """True if formats are asserted: in the tests of formats."""
        return self.file.startswith("optional/")

    @property
    def where(self) -> str:
        return f"{self.draft}/{self.file}, {self.title}"


def cases(suite: Path, draft: str) -> Iterator[Case]:
    """Return all cases of a draft, including optional ones, in the order of files."""
    folder = suite / "tests" / draft
    for path in sorted(folder.rglob("*.json")):
        for group in json.loads(path.read_text(encoding="utf-8")):
            tests = tuple((test["description"], test["data"], test["valid"]) for test in group["tests"])
            file = path.relative_to(folder).as_posix()
            yield Case(draft, file, group["description"], group["schema"], tests)


def measure_suite(suite: Path) -> Iterator[Score]:
    """Measure both drafts: the validator on required and on optional cases, then generated tools."""
    for draft in DRAFTS:
        yield measure_validator(suite, draft, optional=False)
        yield measure_validator(suite, draft, optional=True)
        yield measure_tools(suite, draft)


def measure_validator(suite: Path, draft: str, optional: bool) -> Score:
    """Compare the validator with the suite on every case of a draft."""
    score = Score(f"test suite, {draft}, {'optional' if optional else 'required'}: validator")
    retrieve = _remotes(suite)
    for case in cases(suite, draft):
        if case.file.startswith("optional/") != optional:
            continue
        score.tools += 1
        judge, why = _judge(case, retrieve)
        for shows, value, valid in case.tests:
            said = None if judge is None else judge(value)
            problem = None if said is valid else why or f"says {said}, not {valid}"
            score["valid accepted" if valid else "invalid refused"].note(f"{case.where}: {shows}", problem)
    return score


def _judge(case: Case, retrieve: Callable[[str], Any]) -> tuple[Callable[[Any], bool] | None, str]:
    """Return the validator of a case; or None and the reason."""
    schema = case.schema if isinstance(case.schema, dict) else {"allOf": [case.schema]}
    try:
        validator = compiled({"$schema": DRAFTS[case.draft], **schema}, case.asserts_formats, retrieve)
    except (ValueError, ReferencingError) as error:
        return None, str(error)
    return lambda value: is_json(value) and validator.is_valid(value), ""


def _remotes(suite: Path) -> Callable[[str], Any]:
    folder = suite / "remotes"
    known = {
        _HOST + path.relative_to(folder).as_posix(): json.loads(path.read_text(encoding="utf-8"))
        for path in folder.rglob("*.json")
    }

    def retrieve(address: str) -> Any:
        if address not in known:
            raise ValueError(f"{address} is not among the suite's documents")
        return known[address]

    return retrieve


def measure_tools(suite: Path, draft: str) -> Score:
    """Generate tools with each schema as the property `v` of input and output; pass its values through.

    Schemas that toolgen refuses are counted by the reason; they are not differences.
    """
    score = Score(f"test suite, {draft}: as tools")
    known = {f"t{number}": case for number, case in enumerate(_carriable(suite, draft))}
    schemas = {name: as_property(case.schema, DRAFTS[draft]) for name, case in known.items()}
    score.tools = len(known)
    with compile_tools(f"suite_{draft.replace('-', '_')}", schemas) as (tools, refused):
        for name, case in known.items():
            if name in refused:
                score.refuse(case.where, refused[name].code)
                continue
            score["imported"].note(case.where, None)
            for shows, value, valid in case.tests:
                check_round_trip(score, tools[name], {"v": value}, valid, f"{case.where}: {shows}")
    return score


def _carriable(suite: Path, draft: str) -> Iterator[Case]:
    """Return the required cases, and those of asserted formats, because tools assert formats."""
    for case in cases(suite, draft):
        formats = case.file.startswith("optional/format/")
        if formats or (case.file != "format.json" and not case.asserts_formats):
            yield case


def as_property(schema: Any, draft: str) -> dict[str, Any]:
    """Return an object of draft `draft` whose property `v` is `schema`, with its references adjusted."""
    root = {"type": "object", "properties": {"v": _moved(schema)}, "required": ["v"]}
    named = schema.get("$schema", draft) if isinstance(schema, dict) else draft
    return root if named == DRAFTS["draft2020-12"] else {"$schema": named, **root}


def _moved(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    moved: dict[str, Any] = {key: value for key, value in copy.deepcopy(schema).items() if key != "$schema"}
    nodes = list(subschemas(moved))
    bases = [path for path, node in nodes if _is_base(node)]
    for path, node in nodes:
        if any(path[: len(base)] == base for base in bases):
            continue
        for keyword in ("$ref", "$dynamicRef"):
            ref = node.get(keyword)
            if isinstance(ref, str) and (ref == "#" or ref.startswith("#/")):
                follow(moved, path)[keyword] = "#" + format_pointer(("properties", "v")) + ref[1:]
    return moved


def _is_base(node: Mapping[str, Any]) -> bool:
    return isinstance(node.get("$id"), str) and not node["$id"].startswith("#")
