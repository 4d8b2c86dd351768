"""The pytest plugin: a test for each example and each property, readable failures, and nothing unasked."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.end_to_end.project import Project

SPEC = Path(__file__).with_name("pytest_plugin.yaml").read_text("utf-8")
MODULE = """
from generated.tools.double import DoubleTool


class Double(DoubleTool):
    def execute(self, request, context):
        return {"result": request.number + 2}
"""
TEST = """
import pytest


@pytest.mark.toolgen("double")
def test_double(toolgen_case):
    toolgen_case.check()
"""


def pytest_run(project: Project, *words: str) -> subprocess.CompletedProcess[str]:
    return project.python(
        "-m",
        "pytest",
        "-p",
        "toolgen.testing.pytest_plugin",
        "-p",
        "no:cacheprovider",
        "--basetemp=.pytest",
        "--toolgen-max-calls=10",
        *words,
        PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
        PYTEST_ADDOPTS="",
    )


def test_one_test_for_each_example_and_property(project: Project) -> None:
    project.add_tool("double", SPEC, MODULE)
    project.write("tests/test_double.py", TEST)
    project.generate()
    done = pytest_run(project, "-v", "-rs", "tests")
    assert done.returncode == 1
    assert "test_double[double-two] PASSED" in done.stdout
    assert "test_double[double-three] FAILED" in done.stdout
    assert "test_double[double-answers] PASSED" in done.stdout
    assert "test_double[double-read-only] SKIPPED" in done.stdout
    assert "there is no fixture toolgen_state" in done.stdout
    assert "specs/double.yaml:15: example: example 'three' has another output" in done.stdout
    assert '-  "result": 6' in done.stdout
    assert """to see it: toolgen call double --input '{"number":3}'""" in done.stdout
    assert "toolgen/testing" not in done.stdout, "no traceback of the plugin"


def test_fixtures_of_a_conftest_are_used(project: Project) -> None:
    project.add_tool(
        "double", SPEC, MODULE.replace("request.number + 2", "STATE.append(1) or request.number * 2")
    )
    (project.root / "tools/double.py").write_text(
        "STATE = []\n" + (project.root / "tools/double.py").read_text()
    )
    project.write(
        "tests/conftest.py",
        """
        import pytest


        @pytest.fixture
        def toolgen_state():
            from tools.double import STATE

            return lambda: list(STATE)
        """,
    )
    project.write("tests/test_double.py", TEST)
    project.generate()
    done = pytest_run(project, "tests")
    assert "read-only: a read-only tool changed the state" in done.stdout


def test_a_tool_that_is_not_implemented_is_expected_to_say_exactly_that(project: Project) -> None:
    project.add_tool("double", SPEC)
    project.write("tests/test_double.py", TEST.replace('("double")', '("double", implemented=False)'))
    project.generate()
    assert pytest_run(project, "tests").returncode == 0
    for module in (MODULE, "import no_such_module"):
        project.write("tools/double.py", module)
        done = pytest_run(project, "tests")
        words = "if it is implemented now, remove implemented=False"
        assert (done.returncode, words in done.stdout) == (1, True), done.stdout
    (project.root / "tools/double.py").unlink()
    project.write("tests/test_double.py", TEST)
    assert "double is not implemented" in pytest_run(project, "tests").stdout
    (project.root / "specs/double.yaml").unlink()
    assert pytest_run(project, "tests").returncode != 0, "its spec is gone"


def test_nothing_happens_in_a_project_that_does_not_use_it(project: Project) -> None:
    (project.root / "toolgen.toml").unlink()
    project.write("tests/test_other.py", "def test_other():\n    pass\n")
    assert pytest_run(project, "tests").returncode == 0
