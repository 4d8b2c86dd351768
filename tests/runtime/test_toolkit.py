"""Toolkits: names, catalogs, and how implementations are found."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from shop import catalog
from toolgen.runtime import ToolConfig, ToolError, Toolkit, ToolResponse
from toolgen.runtime.definition.tool_definitions import ToolDefinitions

from tests.runtime.tool_factory import code_of, make_tool

HEAD = "from shop.tools.echo import EchoTool\n"
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
    return SimpleNamespace(TOOLS=catalog.TOOLS, IMPLEMENTATIONS=name, tool_class=catalog.tool_class)


def echo(source: Any, **options: Any) -> ToolResponse:
    return asyncio.run(Toolkit.from_catalog(source, **options).call("echo", {}))


def test_definitions_are_the_catalogs_in_order() -> None:
    kit = catalog.toolkit()
    assert list(kit.definitions) == ["create_order", "drop_table", "echo", "planned"]
    assert kit.definitions["echo"] is catalog.ECHO
    assert kit.definition_of("make_po") is catalog.CREATE_ORDER
    assert kit.definition_of("nope") is None
    with pytest.raises(TypeError):
        kit.definitions["new"] = catalog.ECHO  # type: ignore[index]


def test_get_loads_once_and_knows_aliases() -> None:
    kit = catalog.toolkit()
    tool = kit.get("make_po")
    assert tool is not None
    assert tool is kit.get("create_order")
    assert (tool.name, tool.input_schema) == ("create_order", catalog.CREATE_ORDER["input_schema"])
    assert kit.get("nope") is None
    with pytest.raises(ToolError) as caught:
        kit.get("planned")
    assert caught.value.code == "not_implemented"


def test_final_answer_is_in_the_response() -> None:
    response = echo(catalog)
    assert (response.final_answer, response.content) == (True, {})


@pytest.mark.parametrize(
    ("names", "clash"),
    [
        ([("a", []), ("a", [])], "'a'"),
        ([("a", ["b"]), ("b", [])], "'b'"),
        ([("a", ["c"]), ("b", ["c"])], "'c'"),
    ],
)
def test_two_tools_with_one_name_are_refused(names: list[tuple[str, list[str]]], clash: str) -> None:
    tools = [make_tool(nothing, name=name, aliases=aliases) for name, aliases in names]
    with pytest.raises(ValueError, match=f"two tools answer to {clash}"):
        Toolkit(tools)


def test_a_toolkit_accepts_only_instances_of_tools() -> None:
    with pytest.raises(TypeError, match="takes instances of tools that are implemented"):
        Toolkit([type(make_tool(nothing))])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="abstract"):
        catalog.tool_class("echo")()


def test_an_implementation_with_its_own_init() -> None:
    base = catalog.tool_class("echo")

    class Own(base):  # type: ignore[misc, valid-type]
        def __init__(self, prefix: str) -> None:
            self.name = prefix

        async def execute(self, request: Any, context: Any) -> Any:
            return self.name

    assert asyncio.run(Toolkit([Own("p")]).call("echo", {})).content == "p"


def test_the_one_subclass_of_the_module_is_the_implementation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (
        HEAD
        + "from abc import ABC\nclass Middle(EchoTool, ABC): pass\n"
        + ECHO.format(name="Mine")
        + "Same = Mine\n"
    )
    assert echo(catalog_with(tmp_path, monkeypatch, echo=text)).content == "Mine"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "echo extends EchoTool of"),
        (HEAD, "echo extends EchoTool of"),
        ("from shop_impl.echo import Echo\n", "echo extends EchoTool of"),
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
        ("import no_such_library\n", "no_such_library"),
        ("1 / 0\n", "ZeroDivisionError"),
        ("def (\n", "SyntaxError"),
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
        source = SimpleNamespace(TOOLS=catalog.TOOLS, IMPLEMENTATIONS=package, tool_class=catalog.tool_class)
        assert code_of(echo(source)) == "not_implemented"
    assert "there is no module no_such_package.echo" in caplog.text


def test_the_packages_context_is_used_unless_one_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = {"supplier_id": 99, "items": [{"sku": "AB-1", "quantity": 1}]}
    assert code_of(asyncio.run(catalog.toolkit().call("create_order", arguments))) == "supplier_not_found"
    kit = catalog.toolkit(context={})
    assert code_of(asyncio.run(kit.call("create_order", arguments))) == "missing_dependency"


def test_an_invalid_schema_is_raised_to_the_developer(caplog: pytest.LogCaptureFixture) -> None:
    tool = make_tool(nothing, input_schema={"type": "nonsense"})
    assert code_of(asyncio.run(Toolkit([tool]).call("x", {}))) == "internal_error"
    assert "tool x cannot be loaded" in caplog.text


def test_unknown_names_are_refused() -> None:
    response = asyncio.run(Toolkit().call("a\nb", {}))
    assert response.as_text() == 'Error [unknown_tool]: There is no tool called "a\\nb".'


def test_loading_from_many_threads_creates_one_instance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = HEAD + "import time\nMADE = []\n" + ECHO.format(name="E")
    text += "    def __init__(self):\n        time.sleep(0.02)\n        MADE.append(self)\n"
    kit = Toolkit.from_catalog(catalog_with(tmp_path, monkeypatch, echo=text))
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(kit.get("echo"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(map(id, found))) == 1
    assert len(sys.modules[type(found[0]).__module__].MADE) == 1


def test_failures_are_logged_to_the_configured_logger(caplog: pytest.LogCaptureFixture) -> None:
    async def execute(self: Any, request: Any, context: Any) -> None:
        raise ValueError

    config = ToolConfig(logger=logging.getLogger("app"))
    asyncio.run(Toolkit([make_tool(execute)], config=config).call("x", {}))
    assert [record.name for record in caplog.records] == ["app"]


def test_a_toolkit_of_a_catalog_imports_no_model_before_a_call() -> None:
    code = (
        "import sys; from shop import catalog; kit = catalog.toolkit(); kit.definitions\n"
        "heavy = {'pydantic', 'jsonschema_rs', 'asyncio', 'shop.tools.echo', 'shop_impl'}\n"
        "heavy &= set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    here = Path(__file__).parent
    done = subprocess.run([sys.executable, "-c", code], cwd=here, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_public_names_can_be_imported() -> None:
    import toolgen.runtime as runtime

    assert {"BaseTool", "ToolResponse", "ToolError", "ToolContext", "ToolConfig", "Toolkit"} <= set(
        runtime.__all__
    )
    assert all(hasattr(runtime, name) for name in runtime.__all__)
    assert set(runtime.__all__) <= set(dir(runtime))
    with pytest.raises(AttributeError, match="has no attribute 'Nope'"):
        _ = runtime.Nope


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
