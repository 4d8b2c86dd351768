"""A short run of the fuzzer, its corpus, and planted bugs that it must find."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.fuzz import terminal, text
from tools.fuzz.batches import Outcome, finding, run_batch
from tools.fuzz.cases import Case, pack, written
from tools.fuzz.findings import Deadline, Tally
from tools.fuzz.generated_syntax import faults_of
from tools.fuzz.parts import PARTS, Entry, entries
from tools.fuzz.places import UnknownShapeError, places_of
from tools.fuzz.planted import ENVIRONMENT, PLANTED_BUGS
from tools.fuzz.strings import FIXED, PIECES
from tools.fuzz.workers import Workers

ROOT = Path(__file__).parents[2]
TEXTS = ['"""\n__import__("os")\n"""', "{{ 7*7 }} {% raw %}", "\\", "\u2028# coding=utf-7\x85", "class"]
# A planted bug, the smallest input by which the fuzzer finds it, and the kind of the finding.
BAITS: dict[str, tuple[str, str, str]] = {
    "docstrings_are_not_escaped": ("description", '"""; print(1); """', "syntax"),
    "literals_are_not_escaped": ("tags[]", '"+str(1)+"', "syntax"),
    "literals_are_templates": ("title", "{{ 7*7 }}", "altered"),
    "control_characters_are_dropped": ("title", "a\u200bb", "altered"),
    "texts_are_stripped": ("title", " x", "altered"),
    "a_reference_reads_any_file": ("input_schema: $ref of a property", "../secret.yaml#/$defs/A", "leaked"),
    "diagnostics_print_what_is_there": ("input_schema: type of a property", "\u202e", "terminal"),
}
# A planted bug of the terminal, and the place and the smallest text by which it is found.
TERMINAL_BAITS: dict[str, tuple[str, str]] = {
    "a_module_prints_by_itself": ("argument", "\x1b[2J"),
    "lines_are_printed_raw": ("generated file", "\u202e"),
    "json_has_raw_characters": ("values of a spec", "\x9b"),
    "a_line_may_command_a_ci_service": ("server error", "x\n::error::x"),
}
REPLAY = """
import json, sys
from tools.fuzz.parts import PARTS, Entry, entries
from tools.fuzz.planted import plant
from tools.fuzz.text import places
places()
plant()
print(json.dumps([finding.kind for finding in PARTS[sys.argv[1]].replay(json.load(sys.stdin))]))
"""
# Each bug in a fork: a bug that is planted hides the place of another.
PLANT_EACH = """
import os
from tools.fuzz.planted import PLANTED_BUGS, toolgen_modules
toolgen_modules()
for name, bug in PLANTED_BUGS.items():
    if os.fork() == 0:
        bug.plant()
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.wait()[1]) == 0, name
"""


@pytest.mark.parametrize("entry", [pytest.param(each, id=each.name) for each in entries()])
def test_inputs_of_the_corpus_do_not_fail_again(entry: Entry) -> None:
    assert entry.replay() == []


def test_texts_in_all_places_are_unchanged_and_run_nothing() -> None:
    cases = [case for each in TEXTS for case in pack(each, text.places())[:2]]
    left, calls = cases, 0
    while left:
        outcome = run_batch(left)
        assert outcome.tally.findings == []
        calls += outcome.tally.counts["calls"]
        left = outcome.again if calls == 0 else []
    assert calls > 0


@settings(max_examples=2)
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=5), min_size=1, max_size=4).map("".join))
def test_any_text_is_unchanged_as_a_description(made: str) -> None:
    case = Case(
        made, tuple(place for place in text.places() if place.label in ("description", "meta.x", "tags[]"))
    )
    assert run_batch([case]).tally.findings == []


def test_a_text_is_tried_in_every_place() -> None:
    cases = pack("hello", text.places())
    assert sorted(place.label for case in cases for place in case.places) == sorted(
        place.label for place in text.places()
    )
    assert all("hello" in str(written(case, 0)) for case in cases)


def test_new_fields_of_the_language_are_tried() -> None:
    tool = {"properties": {"brand_new": {"type": "array", "items": {"type": "string"}}}}
    language = {"definitions": {"Tool": tool, "Shared": {"properties": {}}}}
    assert "brand_new[]" in [place.label for place in places_of(language)]
    tool["properties"]["brand_new"] = {"type": "string", "pattern": "^[0-9]{7}$"}
    with pytest.raises(UnknownShapeError, match="brand_new"):
        places_of(language)


@pytest.mark.parametrize(
    "code",
    [
        "print(1)",
        "x = (lambda: 1)()",
        "import os",
        "x: eval('1') = 1",
        "a.__class__",
        "[x for x in ()]",
        "f'{x}'",
    ],
)
def test_syntax_that_no_template_prints_is_found(code: str) -> None:
    assert faults_of("models/x.py", code.encode())
    assert faults_of("tools/x.py", f"\n\nclass A:\n    y = 1\n{code}\n".encode())


def test_another_encoding_is_found() -> None:
    assert faults_of("models/x.py", b"# coding=utf-7\nx = 1\n") == ["is read as utf-7"]


@pytest.mark.slow
def test_toolgen_has_the_places_of_all_planted_bugs() -> None:
    done = subprocess.run([sys.executable, "-c", PLANT_EACH], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] if number else []) for number, name in enumerate(BAITS)],
)
def test_a_planted_bug_is_found(name: str) -> None:
    """The input finds nothing in the real toolgen, and the expected kind of finding with the planted bug."""
    place, hostile, kind = BAITS[name]
    assert kind in kinds_found(name, place, hostile)
    assert kinds_found("", place, hostile) == []


def kinds_found(planted_bug: str, place: str, hostile: str) -> list[str]:
    """Return the kinds of findings for a text in a place, with the planted bug."""
    done = subprocess.run(
        [sys.executable, "-c", REPLAY, "text"],
        cwd=ROOT,
        env={**os.environ, ENVIRONMENT: planted_bug},
        input=json.dumps({"text": hostile, "places": [place], "file": ""}),
        capture_output=True,
        text=True,
        check=True,
    )
    kinds: list[str] = json.loads(done.stdout)
    return kinds


class OneByOne:
    """Workers that do their work in this process."""

    count = 1

    def map(self, work: Any, jobs: Any, deadline: Deadline) -> Any:
        return map(work, jobs)


def test_a_fault_of_the_first_text_is_found_before_other_texts_are_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[int] = []

    def refused(cases: Sequence[Case]) -> Outcome:
        """Find a fault in every single case; others are divided, as after a crash."""
        tried.append(len(cases))
        if len(cases) == 1:
            return Outcome(Tally(findings=[finding("syntax", "", cases[0])]))
        return Outcome(again=[replace(each, company=len(cases) // 2) for each in cases])

    monkeypatch.setattr(text, "run_batch", refused)
    state = text._Run(Deadline.after(600), cast("Workers", OneByOne()))
    text._classified(state)
    assert {found.kind for found in state.tally.findings} == {"syntax"}
    assert len(tried) < len(text.places()) / 4, "what has failed is narrowed down first"


@pytest.mark.parametrize("place", terminal.PLACES)
def test_no_text_controls_the_terminal(place: str) -> None:
    assert PARTS["terminal"].replay({"place": place, "text": terminal.texts(random.Random(place))}) == []


@pytest.mark.slow  # it imports all of toolgen
@pytest.mark.parametrize("name", TERMINAL_BAITS)
def test_a_planted_bug_of_the_terminal_is_found(name: str) -> None:
    place, hostile = TERMINAL_BAITS[name]
    recipe = json.dumps({"place": place, "text": hostile})
    found = [
        subprocess.run(
            [sys.executable, "-c", REPLAY, "terminal"],
            cwd=ROOT,
            env={**os.environ, ENVIRONMENT: planted},
            input=recipe,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for planted in (name, "")
    ]
    assert found == ['["terminal"]', "[]"]


def test_every_planted_bug_belongs_to_a_part() -> None:
    assert set(BAITS) <= set(PLANTED_BUGS)
    assert set(TERMINAL_BAITS) == {name for name, bug in PLANTED_BUGS.items() if bug.part == "terminal"}
    assert len(FIXED) > 300
