"""Each claim of the five designs has a test, which a fault in the product fails (`tests/seeds/claims.jsonl`)."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from .run import FaultFinder, faulty_text

forking = pytest.mark.skipif(not hasattr(os, "fork"), reason="each mutant is a fork of one process")

ROOT = Path(__file__).parents[2]
CLAIMS: list[dict[str, Any]] = [
    json.loads(line) for line in (ROOT / "tests/seeds/claims.jsonl").read_text(encoding="utf-8").splitlines()
]
WHOLE = "tests/seeds/test_whole_schemas.py"
FAST = tuple(number for number, claim in enumerate(CLAIMS) if claim["claim"].startswith("Safety: "))


@dataclass(frozen=True)
class Run:
    """Result of the tests for one fault."""

    code: int  # pytest's
    output: str

    @property
    def failed(self) -> set[str]:
        """The test functions that failed."""
        return set(re.findall(r"^FAILED (\S+?::\w+)", self.output, re.MULTILINE))


def run_all(faults: list[dict[str, Any]]) -> list[Run]:
    """One run for each fault, after one without any."""
    tests = list(dict.fromkeys(fault["test"] for fault in faults))
    runs = [{"tests": tests}, *({**fault, "tests": [fault["test"]]} for fault in faults)]
    done = subprocess.run(
        [sys.executable, "-m", "tests.mutants.run"],
        cwd=ROOT,
        input=json.dumps(runs),
        capture_output=True,
        text=True,
        timeout=3600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [Run(**run) for run in json.loads(done.stdout)]


@cache
def docstrings_of(module: str) -> dict[str, str]:
    """Return the docstrings of a module's tests, in order."""
    tree = ast.parse((ROOT / module).read_text(encoding="utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {each.name: ast.get_docstring(each) or "" for each in functions if each.name.startswith("test_")}


def test_each_claim_is_quoted_by_its_test() -> None:
    for claim in CLAIMS:
        module, _, test = claim["test"].partition("::")
        if module != WHOLE:
            assert f"seed_{claim['seed']}_" in module
            assert claim["claim"] in docstrings_of(module)[test].splitlines()


@pytest.mark.parametrize("seed", ["000", "001", "002", "003", "004"])
def test_tests_are_in_the_order_of_the_claims(seed: str) -> None:
    tests = [
        claim["test"] for claim in CLAIMS if claim["seed"] == seed and not claim["test"].startswith(WHOLE)
    ]
    wanted = list(dict.fromkeys(test.partition("::")[2] for test in tests))
    (module,) = {test.partition("::")[0] for test in tests}
    assert [test for test in docstrings_of(module) if test in wanted] == wanted


def test_each_fault_can_be_made() -> None:
    for claim in CLAIMS:
        compile(faulty_text(claim), claim["file"], "exec")
        assert FaultFinder(claim["file"], "").name.startswith("toolgen.")


@forking
@pytest.mark.parametrize(
    "numbers", [FAST, pytest.param(tuple(range(len(CLAIMS))), marks=pytest.mark.slow)], ids=len
)
def test_each_fault_fails_the_test_of_its_claim(numbers: tuple[int, ...]) -> None:
    """Without a fault all tests pass; with one, the test of its claim fails.

    One test, so that the faults are run once, by one of pytest-xdist's workers.
    """
    faults = [CLAIMS[number] for number in numbers]
    first, *runs = run_all(faults)
    assert first.code == 0, first.output
    survivors = [
        f"{fault['claim']}: {fault['old']} -> {fault['new']}\n{run.output[-1500:]}"
        for fault, run in zip(faults, runs, strict=True)
        if (run.code, run.failed) != (1, {fault["test"]})
        or re.search(r"^ERROR \S+::", run.output, re.MULTILINE)
    ]
    assert survivors == [], "\n".join(survivors)
