"""A setting or generated code that cannot be used is the user's to fix, and no bug of toolgen."""

from __future__ import annotations

import pytest

from tests.end_to_end.project import ECHO_SPEC, Project
from tests.samples import sample

ASKS = "confirm: {message: Echo?}\nidempotency: {ttl: 60}\nrate_limit: {per_minute: 9}\nbackground: {result_ttl: 60}\n"


CALL = ("call", "echo", "--input", '{"text": "a"}', "--yes")


@pytest.mark.parametrize("command", [CALL, pytest.param(("serve",), marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("TOOLGEN_CONFIRMATION_KEY", "short"),
        ("TOOLGEN_CONFIRMATION_STORE", "no-such-store"),
        ("TOOLGEN_TASK_QUEUE", "no-such-queue"),
        ("TOOLGEN_IDEMPOTENCY_STORE", "no-such-store"),
        ("TOOLGEN_RATE_LIMIT_STORE", "no-such-store"),
        ("TOOLGEN_CONFIRMATION_EXPIRY", "soon"),
    ],
)
def test_a_variable_that_is_not_valid_is_named(
    project: Project, command: tuple[str, ...], variable: str, value: str
) -> None:
    project.add_tool("echo", ECHO_SPEC + ASKS)
    project.generate()
    done = project.toolgen(*command, **{variable: value})
    assert (done.returncode, "bug in toolgen" in done.stderr) == (2, False), done.stderr
    assert variable in done.stderr


@pytest.mark.parametrize("module", sample(["catalog", "definitions/echo"], (0,)))
@pytest.mark.parametrize(
    "command", [("call", "echo"), ("serve",), ("test",), ("check", "--implementations"), ("worker",)]
)
def test_a_conflict_in_generated_code_is_no_bug(
    project: Project, command: tuple[str, ...], module: str
) -> None:
    project.add_tool("echo", ECHO_SPEC)
    project.generate()
    path = f"generated/{module}.py"
    project.write(path, "<<<<<<< HEAD\n" + (project.root / path).read_text())
    done = project.toolgen(*command, TOOLGEN_TASK_QUEUE="memory")
    assert (done.returncode, "bug in toolgen" in done.stderr) == (2, False), done.stderr
    if command != ("worker",) or module == "catalog":  # it imports definitions when it has calls to run
        assert "error[not-generated] the generated code cannot be" in done.stderr
        assert f"SyntaxError: invalid syntax ({module.rpartition('/')[2]}.py, line 1)" in done.stderr
        assert "run `toolgen generate`" in done.stderr


def test_call_shows_what_is_wrong_with_an_answer(project: Project) -> None:
    execute = "def execute(self, request, context): return {'colr': 1}"
    more = "output_schema: {type: object, additionalProperties: false, properties: {color: {type: string}}}"
    project.add_plain_tool("paint", execute, more=more)
    project.generate()
    done = project.toolgen("call", "paint")
    assert done.returncode == 1
    assert '$.colr: unknown property; did you mean "color"?' in done.stderr
