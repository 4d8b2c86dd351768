"""Small files that break YAML readers and generators, each with the expected result."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from toolgen.compile.pipeline import bind
from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.language.program import Program

from tests.corpora import at_least, corpus
from tests.processes import processor_limit

NAME = "yaml_hard"
CORPUS = corpus(NAME)
MUST_REFUSE = {
    "reject",
    "reject-clean",
    "reject-clean within 2 s and < 500 MB",
    "reject-with-message",
    "reject-with-message-or-repair",
    "bounded",
}
MUST_ACCEPT = {"accept", "accept-as-alias-or-reject", "string-or-reject"}
EITHER = {
    "accept-or-clear-error",
    "both-or-reject",
    "consistent",
    "number-or-reject",
    "reject-or-both",
    "reject-or-dedupe",
    "reject-or-many",
    "reject-or-rename",  # the name __init__: renamed by the step `lower`
    "reject-or-string",
    "reject-or-stringify",
    "warn-or-reject",
    "warn-or-reject-or-1.2",
}


def _footguns() -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads((CORPUS / "footguns.json").read_text(encoding="utf-8"))
    return found


def _raw(name: str) -> bytes:
    raw = (CORPUS / "footguns" / name).read_bytes()
    if name == "block_scalars.yaml":  # written for a language with a field `notes`
        raw = raw.replace(b"notes:", b"x-notes:")
    return raw


def _understood(name: str, raw: bytes) -> Program:
    return bind({name: raw}, (), "specs/")


def test_every_footgun_has_an_expected_result() -> None:
    assert len(_footguns()) >= at_least(NAME, 80)
    assert {entry["want"] for entry in _footguns()} <= MUST_REFUSE | MUST_ACCEPT | EITHER


def _outcome(name: str, raw: bytes) -> tuple[Program | None, tuple[Diagnostic, ...]]:
    try:
        return _understood(name, raw), ()
    except SpecErrors as errors:
        return None, errors.diagnostics


@pytest.mark.parametrize("footgun", _footguns(), ids=lambda entry: entry["file"])
def test_a_footgun_has_its_expected_result(footgun: dict[str, str]) -> None:
    with processor_limit(2):
        program, faults = _outcome(footgun["file"], _raw(footgun["file"]))
    if program is None:
        assert footgun["want"] not in MUST_ACCEPT, faults
    else:
        assert footgun["want"] not in MUST_REFUSE
        assert len(program.tools) == 1
        json.dumps(program.tools[0].input_schema, allow_nan=False).encode("utf-8")
        if footgun["want"] == "warn-or-reject":
            assert program.warnings
    for fault in faults:
        assert fault.span.file == "specs/" + footgun["file"]
        assert fault.span.line >= 1
        assert fault.span.column >= 1
        assert fault.message
        assert not re.search(r"Traceback|Input should|<[a-z]+ object", fault.message)


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("norway_enum.yaml", {"country": {"type": "string", "enum": ["DE", "NO", "SE", "FI"]}}),
        ("sexagesimal.yaml", {"time": {"type": "string", "default": "12:30:45"}}),
        ("octal_int.yaml", {"mode12": {"type": "integer", "default": 0o644}}),
    ],
)
def test_scalars_are_read_as_in_yaml_1_2(file: str, expected: dict[str, Any]) -> None:
    properties = _understood(file, _raw(file)).tools[0].input_schema["properties"]
    assert {name: properties[name] for name in expected} == expected
