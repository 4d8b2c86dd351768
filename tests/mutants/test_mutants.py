"""The tests of the five designs find each fault of `plugin.py`."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from .plugin import MUTANTS

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="each mutant is a fork of one process")

ROOT = Path(__file__).parents[2]
SEEDS = "tests/seeds/test_"
WHOLE = f"{SEEDS}whole_schemas.py::test_"
BASE = f"{SEEDS}seed_000_base_tool.py::test_"
SPEC_DRIVEN = f"{SEEDS}seed_003_spec_driven_tools.py::test_"
INTERFACE = f"{SEEDS}seed_004_tool_interface.py::test_"

KILLERS: dict[str, tuple[str, ...]] = {
    "every_property_is_null": (
        f"{WHOLE}openai_definitions_are_the_authors",
        f"{WHOLE}anthropic_definitions_are_the_authors",
    ),
    "a_title_is_changed": (f"{WHOLE}mcp_publishes_the_authors_definitions",),
    "mcp_drops_annotations": (f"{WHOLE}mcp_publishes_the_authors_definitions",),
    "mcp_drops_output_schemas": (f"{WHOLE}mcp_publishes_the_authors_definitions",),
    "requests_are_not_checked": (
        f"{BASE}validation_is_shared",
        f"{BASE}requests_are_validated_with_the_authors_schema",
    ),
    "responses_are_not_checked": (f"{BASE}responses_are_validated_with_the_authors_schema",),
    "confirmation_is_skipped": (f"{INTERFACE}nothing_is_done_unless_the_user_agrees",),
    "scopes_are_ignored": (f"{BASE}missing_scopes_are_refused",),
    "an_error_code_is_changed": (f"{BASE}one_error_format_for_a_declared_error_with_its_hint",),
    "errors_lose_their_hint": (f"{BASE}one_error_format_for_a_declared_error_with_its_hint",),
    "aliases_are_not_answered": (f"{SPEC_DRIVEN}a_toolkit_lists_finds_groups_and_filters",),
    "final_answers_are_not_marked": (f"{SPEC_DRIVEN}a_final_answer_is_marked",),
    "extras_are_lost": (f"{SPEC_DRIVEN}extras_reach_the_next_call_and_the_application",),
}


@dataclass(frozen=True)
class Run:
    """Result of the tests for one mutant."""

    code: int  # pytest's
    output: str

    @property
    def failed(self) -> set[str]:
        """The test functions that failed."""
        return set(re.findall(r"^FAILED (\S+?::\w+)", self.output, re.MULTILINE))


def run_all(killers: dict[str, tuple[str, ...]]) -> dict[str, Run]:
    """One run for each mutant, and one without any."""
    everything = dict.fromkeys(test for tests in killers.values() for test in tests)
    done = subprocess.run(
        [sys.executable, "-m", "tests.mutants.run"],
        cwd=ROOT,
        input=json.dumps({"": [*everything], **killers}),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {name: Run(**run) for name, run in json.loads(done.stdout).items()}


def test_every_mutant_has_its_tests() -> None:
    assert KILLERS.keys() == MUTANTS.keys()


FAST = ("every_property_is_null", "confirmation_is_skipped")


@pytest.mark.parametrize("mutants", [FAST, pytest.param(tuple(KILLERS), marks=pytest.mark.slow)], ids=len)
def test_the_suite_kills_every_mutant(mutants: tuple[str, ...]) -> None:
    """Without a mutant all tests pass; with one, all that are named for it fail.

    One test, so that the mutants are run once, by one of pytest-xdist's workers.
    """
    killers = {mutant: KILLERS[mutant] for mutant in mutants}
    runs = run_all(killers)
    assert runs[""].code == 0, runs[""].output
    for mutant, tests in killers.items():
        run = runs[mutant]
        assert (run.code, run.failed) == (1, set(tests)), f"{mutant}\n{run.output}"
        assert not re.search(r"^ERROR \S+::", run.output, re.MULTILINE), f"{mutant}\n{run.output}"
