"""Python names: valid, not shadowing others, and refused if two tools want one."""

from __future__ import annotations

import keyword
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolgen.compile.pipeline import compile_project
from toolgen.language.diagnostic import SpecErrors
from toolgen.language.identifiers import is_device, snake
from toolgen.language.package import PackageSettings

from tests.models.helpers import TARGETS, lowered

PLAIN = "description: Do it.\ninput_schema: {type: object}\n"


def spec(name: str, more: str = "") -> str:
    return f'name: "{name}"\n{PLAIN}{more}'


@pytest.mark.parametrize(
    ("wire", "py"),
    [
        ("createPurchaseOrder", "create_purchase_order"), ("search-content", "search_content"), ("HTTPServer2", "http_server2"),
        ("class", "class_"), ("None", "none"), ("__init__", "init"), ("__main__", "main"), ("_", "tool"), ("_2fa", "tool_2fa"),
        ("list", "list"), ("print", "print"), ("mcp", "mcp"), ("models", "models"), ("match", "match"), ("A", "a"),
    ],
)  # fmt: skip
def test_module_names(wire: str, py: str) -> None:
    assert lowered(spec(wire)).tools[0].py_name == py


@pytest.mark.parametrize(
    ("wire", "py"),
    [("con", "con_"), ("NUL", "nul_"), ("Aux", "aux_"), ("COM1", "com1_"), ("lpt-9", "lpt_9"), ("com", "com"), ("console", "console")],
)  # fmt: skip
def test_no_module_has_the_name_of_a_device_of_windows(wire: str, py: str) -> None:
    files = compile_project({"a.yaml": spec(wire)}, TARGETS, PackageSettings(), {}).tree
    assert lowered(spec(wire)).tools[0].py_name == py
    assert f"definitions/{py}.py" in files
    assert not [path for path in files if any(map(is_device, path.split("/")))]


def test_shared_files_whose_modules_meet_where_case_does_not_count_are_refused() -> None:
    files = {f"{name}.yaml": "$defs: {A: {type: string}}" for name in ("λόγος", "λόγοσ")}
    files["tool.yaml"] = spec("tool")
    with pytest.raises(SpecErrors, match="would both be models/shared/"):
        compile_project(files, TARGETS[:1], PackageSettings(), {})


@given(st.text(max_size=40))
def test_snake_is_always_an_identifier(words: str) -> None:
    name = snake(words, "field")
    assert name.isidentifier()
    assert not keyword.iskeyword(name)
    assert not name.startswith("_")
    assert snake(name, "field") == name


@pytest.mark.parametrize(
    ("one", "other"), [("createOrder", "create_order"), ("a_b1", "a_b_1"), ("Foo", "foo"), ("_x", "x")]
)
def test_two_tools_with_one_name_are_refused(one: str, other: str) -> None:
    with pytest.raises(SpecErrors) as refused:
        lowered(spec(one), spec(other))
    (fault,) = refused.value.diagnostics
    assert fault.code == "name-collision"
    assert repr(one) in fault.message
    assert repr(other) in fault.message
    assert len(fault.notes) == 1


def error_names(*codes: str, tool: str = "search") -> list[str]:
    listed = "".join(f"\n  - {{code: {code}, description: It happens.}}" for code in codes)
    return [error.name for error in lowered(spec(tool, f"errors:{listed}")).tools[0].errors]


def test_error_classes() -> None:
    assert error_names("supplier_not_found", "not_found_error") == ["SupplierNotFoundError", "NotFoundError"]
    assert error_names("timeout", "value", "tool", "request") == [
        "SearchTimeoutError", "SearchValueError", "SearchToolError", "RequestError"
    ]  # fmt: skip
    assert error_names("a_1", "a1", "a1_error") == ["A1Error", "SearchA1Error", "SearchA1Error2"]


@pytest.mark.parametrize(
    ("written", "annotation", "imports"),
    [
        ("sqlite3.Connection", "sqlite3.Connection", [("sqlite3", None)]),
        ("a.b.C", "a.b.C", [("a.b", None)]),
        ("typing.Any", "Any", []),
        ("str", "str", []),
        ("errors.Log", "errors_module.Log", [("errors", "errors_module")]),
    ],
)
def test_injected_types(written: str, annotation: str, imports: list[tuple[str, str | None]]) -> None:
    tool = lowered(spec("t", f"inject: [{{name: db, type: {written}}}]")).tools[0]
    assert tool.parameters == f", *, db: {annotation}"
    assert [(item.module, item.alias) for item in tool.imports] == imports


def definition(more: str = "", settings: PackageSettings | None = None) -> dict[str, Any]:
    return dict(lowered(spec("t", more), settings=settings).tools[0].definition)


def test_the_published_output_schema_of_the_spec_overrides_the_configuration() -> None:
    off, output = PackageSettings(mcp_output_schema=False), "output_schema: {type: object}\n"
    assert "targets" not in definition(output)
    assert "targets" not in definition(settings=off), "there is no output schema"
    assert definition(output, off)["targets"] == {"mcp": {"output_schema": False}}
    named = definition(output + "targets: {gemini: {name: g}, mcp: {inline: true}}", off)
    assert named["targets"] == {"gemini": {"name": "g"}, "mcp": {"inline": True, "output_schema": False}}
    shown = definition(output + "targets: {mcp: {output_schema: true}}", off)
    assert shown["targets"] == {"mcp": {"output_schema": True}}
