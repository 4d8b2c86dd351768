"""Commands that run tools generate what is out of date first, unless that is forbidden."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from .conftest import Cli

CALL = ("call", "greet", "who=Ada")
SERVERS = (("serve",), ("serve", "--http"), ("mock",), ("dev", "--port", "0"))
WORK = """\
from generated.tools.greet import GreetTool

class Greet(GreetTool):
    def execute(self, request, context):
        return {"text": "Hi"}
"""


@pytest.fixture
def stale(project: Cli) -> Cli:
    """A project whose spec was edited after the code was generated."""
    (project.root / "work").mkdir()
    (project.root / "work/greet.py").write_text(WORK)
    project("generate")
    project.spec("greet").write_text(project.spec("greet").read_text().replace("Say hello", "Say good day"))
    return project


@pytest.mark.parametrize("words", [CALL, ("test",)], ids=" ".join)
def test_what_is_out_of_date_is_generated_once_and_said(stale: Cli, words: tuple[str, ...]) -> None:
    assert stale.process(*words).err.startswith("generated 2 files\n")
    assert "generated 2" not in stale.process(*words).err
    assert stale.process(*words, "--frozen").code == 0


@pytest.mark.parametrize("words", [CALL, ("test",), *SERVERS], ids=" ".join)
@pytest.mark.parametrize(("flag", "variable"), [(["--frozen"], ""), ([], "1")], ids=["flag", "variable"])
def test_frozen_commands_write_nothing_and_end_with_2(
    stale: Cli, words: tuple[str, ...], flag: list[str], variable: str
) -> None:
    before = stale.tree()
    done = stale.process(*words, *flag, TOOLGEN_FROZEN=variable)
    assert (done.code, done.out) == (2, "")
    assert "run `toolgen generate`, or leave out --frozen" in done.err
    assert stale.tree() == before


def test_edited_files_are_left_as_they_are(stale: Cli) -> None:
    catalog = stale.root / "generated/catalog.py"
    catalog.write_text(f"{catalog.read_text()}# mine\n")
    warning = "warning: generated/catalog.py was edited, and is kept: see `toolgen check`"
    assert stale.process(*CALL).err.splitlines()[0] == warning
    assert "# mine" in catalog.read_text()
    assert "good day" in (stale.root / "generated/definitions/greet.py").read_text()


def test_output_that_cannot_be_written_is_refused_with_a_way_out(stale: Cli) -> None:
    (stale.root / "generated/.toolgen-stage").symlink_to(stale.root)
    done = stale.process(*CALL)
    assert (done.code, "error[cannot-write]" in done.err, "use --frozen here" in done.err) == (2, True, True)


def test_a_second_process_waits_for_the_first_and_finds_the_code_fresh(stale: Cli) -> None:
    for number in range(20):
        stale.spec(f"more_{number}")
    with ThreadPoolExecutor() as pool:
        done = list(pool.map(lambda _: stale.process(*CALL), range(3)))
    assert [each.code for each in done] == [0, 0, 0]
    assert "".join(each.err for each in done).count("generated ") == 1
