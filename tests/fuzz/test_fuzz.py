"""A short run of the fuzzer, its corpus, and planted bugs that it must find."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tools.fuzz import terminal, text
from tools.fuzz.batches import run_batch
from tools.fuzz.cases import pack
from tools.fuzz.generated_syntax import faults_of
from tools.fuzz.parts import PARTS, Entry, entries
from tools.fuzz.planted import ENVIRONMENT

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


def test_syntax_that_no_template_prints_is_found() -> None:
    assert faults_of("models/x.py", b"print(1)")
    assert faults_of("tools/x.py", b"\n\nclass A:\n    y = 1\nprint(1)\n")


@pytest.mark.slow  # it imports all of toolgen
@pytest.mark.parametrize("name", BAITS)
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


@pytest.mark.parametrize("place", terminal.PLACES)
def test_no_text_controls_the_terminal(place: str) -> None:
    assert PARTS["terminal"].replay({"place": place, "text": terminal.texts(random.Random(place))}) == []


@pytest.mark.slow
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
