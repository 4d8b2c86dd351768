"""Rules for the code base that can be checked automatically."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "generator" / "toolgen"
MODULES = sorted(PACKAGE.rglob("*.py"))


def name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_every_module_has_a_docstring(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text()))


def test_every_package_is_shipped() -> None:
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    found = {
        ".".join(("toolgen", *p.parent.relative_to(PACKAGE).parts)) for p in PACKAGE.rglob("__init__.py")
    }
    assert listed == found | {"toolgen.templates"}


def test_no_committed_link_has_an_absolute_path() -> None:
    listed = subprocess.run(["git", "ls-files", "--stage"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git repository")
    links = [line.split("\t")[1] for line in listed.stdout.splitlines() if line.startswith("120000")]
    assert [link for link in links if (ROOT / link).readlink().is_absolute()] == []


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        ("toolgen", ["pydantic", "yaml", "jinja2", "jsonschema_rs"]),
        ("toolgen.__main__", ["pydantic", "yaml", "jinja2", "jsonschema_rs", "datamodel_code_generator"]),
        ("toolgen.runtime", ["yaml", "jinja2", "mcp", "openai", "datamodel_code_generator", "toolgen.data"]),
        ("toolgen.runtime.http", ["httpx2", "yaml", "toolgen.data"]),
        ("toolgen.schema.dialects.openai", ["pydantic", "jsonschema_rs", "toolgen.data"]),
        ("generated", ["pydantic", "toolgen.runtime", "mcp", "openai", "generated.catalog"]),
        (
            "generated.catalog",
            ["pydantic", "toolgen.schema", "toolgen.runtime.tool", "mcp", "generated.definitions"],
        ),
        ("generated.mcp_server", ["mcp"]),
        ("generated.openai_tools", ["pydantic", "mcp", "openai"]),
        ("generated.anthropic_tools", ["pydantic", "mcp", "anthropic"]),
        ("generated.gemini_tools", ["pydantic", "mcp", "google"]),
        ("generated.bedrock_tools", ["pydantic", "mcp", "botocore"]),
    ],
)
def test_imports_do_not_load_heavy_modules(module: str, unwanted: list[str]) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not set(unwanted) & set(done.stdout.split())
