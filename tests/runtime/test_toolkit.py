"""Toolkits: names, catalogs, and how implementations are found."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import shop
from toolgen.runtime import Toolkit, ToolResponse
from toolgen.runtime.definition.tool_definition import ToolDefinitions

from tests.runtime.tool_factory import code_of, make_tool

HEAD = "from shop import EchoTool\n"
ECHO = """
class {name}(EchoTool):
    async def execute(self, request, context):
        return "{name}"
"""


async def nothing(self: Any, request: Any, context: Any) -> None: ...


def catalog_with(folder: Path, monkeypatch: pytest.MonkeyPatch, **modules: str) -> Any:
    """The shop's catalog with another package of implementations, written to `folder`."""
    name = f"impl_{folder.name.replace('-', '_')}"
    package = folder / name
    package.mkdir()
    for module, text in {"__init__": "", **modules}.items():
        (package / f"{module}.py").write_text(text)
    monkeypatch.syspath_prepend(str(folder))
    return SimpleNamespace(TOOLS=shop.TOOLS, IMPLEMENTATIONS=name, tool_class=shop.tool_class)


def echo(source: Any, **options: Any) -> ToolResponse:
    return asyncio.run(Toolkit.from_catalog(source, **options).call("echo", {}))


@pytest.mark.parametrize(
    ("names", "clash"),
    [
        ([("a", ["b"]), ("b", [])], "'b'"),
        ([("a", ["c"]), ("b", ["c"])], "'c'"),
    ],
)
def test_two_tools_with_one_name_are_refused(names: list[tuple[str, list[str]]], clash: str) -> None:
    tools = [make_tool(nothing, name=name, aliases=aliases) for name, aliases in names]
    with pytest.raises(ValueError, match=f"two tools answer to {clash}"):
        Toolkit(tools)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (HEAD, "echo extends EchoTool of"),
        (HEAD + "class Half(EchoTool): pass\n", "Half is not complete: it does not define execute"),
        (HEAD + ECHO.format(name="One") + ECHO.format(name="Two"), "2 classes implement echo (One, Two)"),
    ],
)
def test_a_module_without_exactly_one_implementation_is_not_implemented(
    text: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    response = echo(catalog_with(tmp_path, monkeypatch, echo=text))
    assert response.as_text() == "Error [not_implemented]: echo is not implemented in this application."
    assert why in caplog.text


@pytest.mark.parametrize(
    ("text", "log"),
    [
        ("1 / 0\n", "ZeroDivisionError"),
        (HEAD + ECHO.format(name="E") + "    def __init__(self): raise OSError('no key')\n", "OSError"),
        (
            HEAD + "class E(EchoTool):\n    def execute(self): return 1\n",
            "must accept (self, request, context)",
        ),
    ],
)
def test_a_failing_module_is_only_described_in_the_log(
    text: str, log: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    response = echo(catalog_with(tmp_path, monkeypatch, echo=text))
    assert code_of(response) == "internal_error"
    assert response.metadata["call_id"] in caplog.text
    assert log in caplog.text
    assert log not in response.as_text()
    assert "tool echo cannot be loaded" in caplog.text


def test_a_missing_implementations_package_is_not_implemented(caplog: pytest.LogCaptureFixture) -> None:
    for package in (None, "no_such_package", "no.such.package"):
        source = SimpleNamespace(TOOLS=shop.TOOLS, IMPLEMENTATIONS=package, tool_class=shop.tool_class)
        assert code_of(echo(source)) == "not_implemented"
    assert "there is no module no_such_package.echo" in caplog.text


def test_a_toolkit_of_a_catalog_imports_only_the_definitions_that_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    definitions = tmp_path / "lazy_shop" / "definitions"
    definitions.mkdir(parents=True)
    for name in ("buy", "pay", "sell"):
        definition = {"name": name, "description": name, "input_schema": {"type": "object"}, "tags": [name]}
        (definitions / f"{name}.py").write_text(f"DEFINITION = {definition!r}")
    monkeypatch.syspath_prepend(tmp_path)
    tools = ToolDefinitions("lazy_shop", {"buy": "buy", "pay": "pay", "sell": "sell"}, {"purchase": "buy"})
    catalog = SimpleNamespace(IMPLEMENTATIONS=None, TOOLS=tools, tool_class=tools.tool_class)

    def loaded() -> set[str]:
        found = {name.rpartition(".")[2] for name in sys.modules if name.startswith("lazy_shop.definitions.")}
        return found & {"buy", "pay", "sell"}

    toolkit = Toolkit.from_catalog(catalog)

    assert list(toolkit) == ["buy", "pay", "sell"]
    assert "purchase" in toolkit
    assert len(toolkit.definitions) == 3
    assert list(toolkit.select(names=["purchase", "pay"])) == ["buy", "pay"]
    assert loaded() == set()
    assert code_of(toolkit.call_sync("purchase", {})) == "not_implemented"
    assert loaded() == {"buy"}
    assert toolkit.definitions["pay"]["tags"] == ["pay"]
    assert toolkit.definitions == dict(tools)
    assert list(toolkit.select(tags=["sell"])) == ["sell"]
    assert loaded() == {"buy", "pay", "sell"}
