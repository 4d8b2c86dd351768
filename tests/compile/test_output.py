"""The whole output: the same bytes everywhere, whatever the user's settings, and cheap to import."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from toolgen.compile.pipeline import compile_project
from toolgen.language.diagnostic import SpecErrors
from toolgen.language.package import PackageSettings
from toolgen.language.targets.definition import Target, TargetDefinition

from tests.models.helpers import TARGETS

ROOT = Path(__file__).parents[2]
SPECS = {
    path.stem + ".yaml": path.read_text()
    for path in (ROOT / "tests/cases/accepted/names/specs").glob("*.yaml")
}
OWN = TargetDefinition("own", tool_name="")
DIGEST = """
import sys
sys.path.insert(0, {root!r})
from tests.compile.test_output import digest
print(digest())
"""


def digest() -> str:
    tree = compile_project(SPECS, TARGETS, PackageSettings(), {}).tree
    return sha256(repr(sorted(tree.items())).encode()).hexdigest()


@pytest.mark.parametrize("seed", ["1", "77"])
def test_the_output_has_the_same_bytes_in_every_environment(tmp_path: Path, seed: str) -> None:
    (tmp_path / "ruff.toml").write_text("line-length = 40\n[format]\nquote-style = 'single'\n")
    (tmp_path / "pyproject.toml").write_text(
        "[tool.black]\nline-length = 30\n[tool.ruff]\nline-length = 30\n"
    )
    environment = {
        **os.environ,
        "PYTHONHASHSEED": seed,
        "HOME": str(tmp_path),
        "RUFF_NO_CACHE": "0",
        "RUFF_CONFIG": "x",
    }
    command = [sys.executable, "-c", DIGEST.format(root=str(ROOT))]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == digest()


def test_the_example_of_the_documentation_changes_how_fields_are_written() -> None:
    page = (ROOT / "docs/templates.md").read_text("utf-8")
    (field,) = re.findall(r"```jinja\n(.*?)```", page, re.DOTALL)
    path, (base, *_) = "_python.jinja", TARGETS
    (*_, error_class) = base.templates[path].partition("{% macro error_class(error) %}")
    text = f"{base.templates[path].partition('{% macro field')[0]}{field}{{% macro error_class(error) %}}{error_class}"
    replaced = Target(base.definition, {**base.templates, path: text}, own={path: f"templates/python/{path}"})
    properties = "{a-b: {type: string, description: One.}, c: {type: integer, default: 3}, d: {}}"
    spec = (
        f"name: t\ndescription: d\ninput_schema: {{type: object, properties: {properties}, required: [d]}}\n"
    )
    made = compile_project({"t.yaml": spec}, [replaced], PackageSettings(), {}).tree["models/t.py"]
    assert (
        '    a_b: str | None = Field(alias="a-b", default=None)\n    """One."""\n\n    c: int = 3\n    d: Any\n'
        in made
    )
    assert "Annotated" not in made, "imports that are not needed any more are removed"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder with the package `generated` in it."""
    for path, text in compile_project(SPECS, TARGETS, PackageSettings(), {}).tree.items():
        file = tmp_path / "generated" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


def _loaded(folder: Path, code: str) -> set[str]:
    """Return the modules that are loaded after `code` ran in a new process."""
    code = f"{code}; import sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_importing_all_the_modules_imports_no_model(package: Path) -> None:
    loaded = _loaded(package, "import generated.catalog, generated.openai_tools, generated.mcp_server")
    assert "generated.catalog" in loaded
    heavy = {"pydantic", "jsonschema_rs", "toolgen.runtime.tool", "toolgen.runtime.toolkit", "mcp", "openai"}
    assert not {*heavy, "generated.models.class_"} & loaded


def test_a_template_of_the_project_that_fails_is_reported_with_its_tool() -> None:
    templates = {"{tool}.txt.jinja": "\n{{ 1 // (tool.wire_name != 'print') }}"}
    own = Target(OWN, templates, own={"{tool}.txt.jinja": "mine/own/{tool}.txt.jinja"})
    with pytest.raises(SpecErrors) as caught:
        compile_project(SPECS, [own], PackageSettings(), {})
    (fault,) = caught.value.diagnostics
    assert (fault.code, fault.span.line) == ("bad-template", 2)
    assert fault.message.startswith("this template fails for the tool 'print': ")
