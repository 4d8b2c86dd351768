"""Every spec in `tests/cases/refused/` that can be written in Python is refused there in the same words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from toolgen.language.checking.check import check
from toolgen.language.checking.resolve import resolve
from toolgen.language.diagnostic import SpecErrors
from toolgen.language.reading.parse import parse
from toolgen.language.reading.read import read
from toolgen.runtime import BaseTool, ToolError, ToolSpec, ToolSpecError

CASES = Path(__file__).parent / "cases" / "refused"

FILES = "several files, or names of files"
TEXT = "the text of a file, which is refused before it is data"
NOT_IN_PYTHON = {
    "absolute-ref": FILES,
    "alias-bomb": TEXT,
    "alias-cycle": TEXT,
    "ambiguous-name": "`yes` without quotes",
    "control-character": TEXT,
    "duplicate-key": TEXT,
    "empty-file": TEXT,
    "key-not-text": TEXT,
    "lone-surrogate": TEXT,
    "merge-key": TEXT,
    "not-a-json-number": TEXT,
    "not-a-tool": "a file that holds no mapping: Python says that a ToolSpec or a mapping is expected",
    "not-utf-8": TEXT,
    "remote-ref": "the way out is another file: Python says that references stay within the definition",
    "several-documents": TEXT,
    "target-name": "names are those of the targets that a project generates",
    "too-deep": TEXT,
    "unknown-alias": TEXT,
    "unknown-tag": TEXT,
    "yaml-syntax": TEXT,
    "yaml-version": TEXT,
}
"""Codes of faults that a definition in Python cannot have, each with the reason."""

OF_YAML = ("toolgen", "enabled")
NAMES = {"use_when": "when_to_use"}
DATA = {
    case.relative_to(CASES).with_suffix("").as_posix(): case
    for case in sorted(CASES.glob("*/*.yaml"))
    if case.parent.name not in NOT_IN_PYTHON
}


def refused_in_yaml(case: Path) -> tuple[dict[str, Any], list[str]]:
    """Return the spec, and what is said about it with hints; nothing of other tools in a project."""
    sources = read({case.name: case.read_bytes()})
    with pytest.raises(SpecErrors) as caught:
        check(resolve(parse(sources)))
    data: Any = sources[0].data
    # Python's texts have quotes anyway
    return data, [
        each.message + (f"; {each.hint}" if each.hint and not each.hint.startswith("quote it") else "")
        for each in caught.value.diagnostics
        if not each.message.startswith(("'enabled'", "this toolgen"))
    ]


def without_places(error: ToolSpecError) -> set[str]:
    """Return the faults without the place with which a sentence begins: `confirm.message: …`."""
    return {
        fault.partition(": ")[2] if " " not in fault.partition(": ")[0] else fault for fault in error.faults
    }


@pytest.mark.parametrize("case", DATA.values(), ids=DATA)
def test_a_definition_is_refused_in_the_same_words(case: Path) -> None:
    data, said = refused_in_yaml(case)
    definition = {key: value for key, value in data.items() if key not in OF_YAML}
    with pytest.raises(ToolSpecError) as caught:
        type("Tool", (BaseTool,), {"definition": definition, "execute": lambda *_: None})
    assert without_places(caught.value) == set(said)


def error_class(entry: Any) -> Any:
    return type("Declared", (ToolError,), dict(entry)) if isinstance(entry, dict) else entry


def fields_of_spec(data: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a ToolSpec that says what `data` says."""
    fields = {NAMES.get(key, key): value for key, value in data.items() if key not in OF_YAML}
    if "stream" in fields:
        fields["chunk_schema"] = fields.pop("stream")["chunk_schema"]
    if "errors" in fields:
        fields["errors"] = [error_class(entry) for entry in fields["errors"]]
    return fields


IN_TOOL_SPEC = {
    name: case
    for name, case in DATA.items()
    # Python itself says that an argument is unknown or missing, and that an attribute is
    if case.parent.name not in ("unknown-field", "missing-field", "empty-field")
}


@pytest.mark.parametrize("case", IN_TOOL_SPEC.values(), ids=IN_TOOL_SPEC)
def test_a_tool_spec_is_refused_in_the_same_words(case: Path) -> None:
    data, said = refused_in_yaml(case)
    with pytest.raises(ToolSpecError) as caught:
        ToolSpec(**fields_of_spec(data))
    named = {re.sub("|".join(NAMES), lambda found: NAMES[found[0]], sentence) for sentence in said}
    assert without_places(caught.value) >= named


def test_the_reasons_are_those_of_existing_cases() -> None:
    assert NOT_IN_PYTHON.keys() <= {path.name for path in CASES.iterdir()}
