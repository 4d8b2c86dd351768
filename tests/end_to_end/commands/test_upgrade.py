"""A project that toolgen 0.1 generated: `generate` replaces what it owns, and former class names stay importable."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from textwrap import dedent

import pytest

from tests.end_to_end.project import Project

BEFORE = json.loads(Path(__file__).with_name("project_of_0_1.json").read_text())
"""Path → text of a project as toolgen 0.1 generated it, at commit 7d0cfae."""


@pytest.fixture
def project_of_0_1(tmp_path: Path) -> Project:
    made = Project(tmp_path, {"TOOLGEN_CACHE_DIR": str(tmp_path / "cache")})
    for path, text in BEFORE.items():
        made.write(path, "")
        (made.root / path).write_text(text)
    return made


def test_generate_upgrades_an_earlier_layout(project_of_0_1: Project) -> None:
    done = project_of_0_1.toolgen("generate")
    assert done.returncode == 0
    assert "EDITED" not in done.stderr
    assert project_of_0_1.toolgen("check").returncode == 0
    manifest = json.loads((project_of_0_1.root / "generated/toolgen.manifest.json").read_text())
    files = [
        path
        for path in (project_of_0_1.root / "generated").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    ]
    found = {path.relative_to(project_of_0_1.root / "generated").as_posix() for path in files}
    assert found == {*manifest["outputs"], "toolgen.manifest.json"}
    assert "definitions/create_order.py" in found


def test_files_that_are_no_longer_generated_are_removed_and_edited_ones_kept(project_of_0_1: Project) -> None:
    configuration = project_of_0_1.root / "toolgen.toml"
    configuration.write_text(configuration.read_text() + 'targets = ["mcp"]\n')
    (project_of_0_1.root / "generated/gemini_tools.py").write_text("# mine\n")
    done = project_of_0_1.toolgen("generate")
    assert "KEPT generated/gemini_tools.py" in done.stderr
    assert not (project_of_0_1.root / "generated/openai_tools.py").exists()


def test_names_that_applications_import_are_still_there(project_of_0_1: Project) -> None:
    assert project_of_0_1.toolgen("generate").returncode == 0
    code = """
        from generated import CreateOrderRequest
        from generated.catalog import CREATE_ORDER, TOOLS, tool_class
        from generated.openai_tools import CHAT_TOOLS
        from generated.tools.create_order import CreateOrderTool

        assert TOOLS["create_order"] is CREATE_ORDER is CreateOrderTool.definition
        assert tool_class("create_order") is CreateOrderTool
        print(CHAT_TOOLS[0]["function"]["name"])
    """
    assert project_of_0_1.python("-c", dedent(code)).stdout == "create_order\n"


MODELS = "generated.models.create_order"


def test_former_class_names_are_importable_and_deprecated(project_of_0_1: Project) -> None:
    assert project_of_0_1.toolgen("generate").returncode == 0
    code = f"""
        import warnings

        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            from {MODELS} import Card, CreateOrderRequestPaymentOption1 as Former
        assert Former is Card
        (warning,) = found
        print(warning.category.__name__, warning.filename, warning.message)
    """
    printed = project_of_0_1.python("-c", dedent(code)).stdout
    assert printed.startswith(
        f"DeprecationWarning <string> {MODELS}.CreateOrderRequestPaymentOption1 is {MODELS}.Card now"
    )


def test_every_class_of_0_1_is_importable(project_of_0_1: Project) -> None:
    module = ast.parse(BEFORE["generated/models/create_order.py"])
    names = [node.name for node in module.body if isinstance(node, ast.ClassDef)]
    assert project_of_0_1.toolgen("generate").returncode == 0
    assert len(names) == 14
    found = project_of_0_1.python("-c", f"from {MODELS} import {', '.join(names)}")
    assert found.returncode == 0


def test_former_class_names_do_not_depend_on_the_cache(project_of_0_1: Project, tmp_path: Path) -> None:
    assert project_of_0_1.toolgen("generate").returncode == 0
    (project_of_0_1.root / "specs/second.yaml").write_text(SECOND)
    assert project_of_0_1.toolgen("generate").returncode == 0
    assert project_of_0_1.toolgen("check", TOOLGEN_CACHE_DIR=str(tmp_path / "other")).returncode == 0
    assert "_RENAMED" in (project_of_0_1.root / "generated/models/create_order.py").read_text()
    assert "_RENAMED" not in (project_of_0_1.root / "generated/models/second.py").read_text()


def test_the_former_name_of_a_class_that_is_gone_goes_too(project_of_0_1: Project) -> None:
    assert project_of_0_1.toolgen("generate").returncode == 0
    spec = project_of_0_1.root / "specs/create_order.yaml"
    spec.write_text("".join(line for line in spec.read_text().splitlines(True) if "home:" not in line))
    assert project_of_0_1.toolgen("generate").returncode == 0
    text = (project_of_0_1.root / "generated/models/create_order.py").read_text()
    assert 'CreateOrderRequestHome"' not in text
    assert 'CreateOrderRequestWork"' in text


def test_without_the_manifest_former_class_names_are_gone(project_of_0_1: Project) -> None:
    assert project_of_0_1.toolgen("generate").returncode == 0
    (project_of_0_1.root / "generated/toolgen.manifest.json").unlink()
    assert project_of_0_1.toolgen("generate").returncode == 0
    assert "_RENAMED" not in (project_of_0_1.root / "generated/models/create_order.py").read_text()


SECOND = """
name: second
description: Do something else.
input_schema: {type: object, properties: {address: {type: object, properties: {street: {type: string}}}}}
"""
