"""Commands that run tools generate what is out of date first, unless that is forbidden."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from .conftest import SPEC, Cli

CALL = ("call", "greet", "--input", '{"who": "Ada"}')
SERVERS = (("serve",), ("serve", "--http"), ("mock",), ("dev", "--port", "0"))


@pytest.fixture
def greeting(project: Cli) -> Cli:
    """A project with an implementation, whose code has not been generated."""
    (project.root / "work").mkdir()
    work = "from generated.tools.greet import GreetTool\n\n\nclass Greet(GreetTool):\n"
    (project.root / "work/greet.py").write_text(
        f"{work}    def execute(self, request, context): return {{'text': 'Hi'}}\n"
    )
    return project


def edit(project: Cli) -> Path:
    spec = project.root / "specs/greet.yaml"
    spec.write_text(spec.read_text().replace("Say hello", "Say good morning"))
    return spec


@pytest.mark.parametrize("words", [CALL, ("test",)], ids=" ".join)
def test_what_is_out_of_date_is_generated_once_and_said(greeting: Cli, words: tuple[str, ...]) -> None:
    first = greeting.process(*words)
    assert (first.code, first.err.splitlines()[0]) == (0, "generated 15 files")
    assert "generated 1" not in greeting.process(*words).err
    edit(greeting)
    assert greeting.process(*words, "--quiet").err == ""
    assert greeting("check").code == 0


@pytest.mark.parametrize("words", [CALL, ("test",), *SERVERS], ids=" ".join)
@pytest.mark.parametrize("given", [("--frozen", ""), ("", "1")], ids=["flag", "variable"])
def test_frozen_commands_write_nothing_and_end_with_2(
    greeting: Cli, words: tuple[str, ...], given: tuple[str, str]
) -> None:
    flag, variable = given
    greeting("generate")
    edit(greeting)
    before = greeting.tree()
    done = greeting.process(*words, *filter(None, [flag]), TOOLGEN_FROZEN=variable)
    assert (done.code, done.out) == (2, "")
    assert "run `toolgen generate`, or leave out --frozen" in done.err
    assert greeting.tree() == before


def test_frozen_commands_run_what_is_up_to_date(greeting: Cli) -> None:
    greeting("generate")
    assert greeting.process(*CALL, "--frozen").code == 0


def test_edited_files_are_left_as_they_are(greeting: Cli) -> None:
    greeting("generate")
    catalog = greeting.root / "generated/catalog.py"
    catalog.write_text(f"{catalog.read_text()}# mine\n")
    edit(greeting)
    done = greeting.process(*CALL)
    warning = "warning: generated/catalog.py was edited, and is left as it is: see `toolgen check`"
    assert (done.code, done.err.splitlines()[0]) == (0, warning)
    assert "# mine" in catalog.read_text()
    assert "good morning" in (greeting.root / "generated/definitions/greet.py").read_text()


def test_output_that_cannot_be_written_is_refused_with_a_way_out(greeting: Cli) -> None:
    greeting("generate")
    edit(greeting)
    (greeting.root / "generated/.toolgen-stage").symlink_to(greeting.root)
    done = greeting.process(*CALL)
    assert done.code == 2
    assert "error[cannot-write]" in done.err
    assert "use --frozen here" in done.err


def test_faults_of_specs_are_shown_as_generate_shows_them(greeting: Cli) -> None:
    greeting("generate")
    greeting.spec(
        "greet", SPEC.format(name="greet").replace("type: string, minLength", "type: text, minLength")
    )
    assert "specs/greet.yaml:8:17: error[unknown-type]" in greeting.process(*CALL).err


def test_a_second_process_waits_for_the_first_and_finds_the_code_fresh(greeting: Cli) -> None:
    for number in range(20):
        greeting.spec(f"more_{number}")
    with ThreadPoolExecutor() as pool:
        done = list(pool.map(lambda _: greeting.process(*CALL), range(3)))
    assert [(each.code, json.loads(each.out)) for each in done] == [(0, {"text": "Hi"})] * 3
    assert "".join(each.err for each in done).count("generated ") == 1
