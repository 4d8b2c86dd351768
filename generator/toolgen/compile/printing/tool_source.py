"""The statements of a tool's class and definition, laid out for the templates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from toolgen.compile.models.module_source import ModelModules, ModuleSource
from toolgen.compile.printing.shared_schemas import SchemasSource, SharedSchemas
from toolgen.compile.python_source.imports import all_statement, import_from, import_groups
from toolgen.compile.python_source.layout import (
    Brackets,
    assignment,
    class_statement,
    laid_out,
    method_statement,
    type_expression,
)
from toolgen.compile.python_source.literals import literal
from toolgen.language.package import ErrorClass, Package, Tool
from toolgen.language.program import SharedFile

_ANY = re.compile(r"(?<![\w.])Any\b")


@dataclass(frozen=True, slots=True)
class ErrorSource:
    """An exception class of a declared error."""

    name: str
    doc: str
    fields: tuple[str, ...]  # statements, indented


@dataclass(frozen=True, slots=True)
class ToolSource:
    """The statements of one tool, laid out, as its templates print them."""

    module: ModuleSource  # for the template `models/{tool}.py`
    definition: str  # statements of `definitions/{tool}.py`
    definition_imports: str  # names of `typing`
    schema_imports: tuple[str, ...]  # of `definitions/{tool}.py`, from modules of shared files
    imports: str  # of `tools/{tool}.py`, up to those that only annotations need
    annotation_imports: str  # indented
    exports: str  # `__all__`
    class_statement: str
    error_classes: tuple[ErrorSource, ...]
    errors: str
    execute: str  # signatures
    preview: str
    page: str = ""  # Markdown, if the target `docs` is asked for


@dataclass(frozen=True, slots=True)
class PackageSources:
    """The sources that templates print: of tools by their Python names, of shared files by their paths."""

    tools: Mapping[str, ToolSource]
    shared: Mapping[str, ModuleSource]
    schemas: Mapping[str, SchemasSource]


NO_SOURCES = PackageSources({}, {}, {})


def package_sources(
    package: Package,
    modules: ModelModules,
    shared: Mapping[str, SharedFile],
    pages: Mapping[str, str] | None = None,
) -> PackageSources:
    """Return the sources of a package with these models.

    `shared` are the shared files of its tools, and `pages` their pages by their Python names.
    """
    schemas = SharedSchemas(shared)
    tools = {tool.py_name: tool_source(tool, modules.tools[tool.py_name], schemas) for tool in package.tools}
    if pages is not None:
        tools = {name: replace(source, page=pages[name]) for name, source in tools.items()}
    files = {file.path: schemas.source(file.path) for file in package.shared}
    return PackageSources(tools, modules.shared, files)


def tool_source(tool: Tool, module: ModuleSource, schemas: SharedSchemas) -> ToolSource:
    """Return the source of a tool with the models `module`, whose definition refers to shared `schemas`."""
    definition = schemas.definition_of(tool)
    abstract = {"collections.abc": tool.awaited}
    groups = import_groups({each.module: each.alias for each in tool.imports}, abstract)
    needed = "\n\n".join("\n".join(f"    {line}" for line in group) for group in groups)
    execute, preview = (
        method_statement(name, _parameters(tool), type_expression(result))
        for name, result in (("execute", tool.result), ("preview", _preview(tool)))
    )
    base = Brackets("BaseTool[", (tool.request_class, tool.response_class or "Any"), "]")
    statement = class_statement(tool.tool_class, base)
    names = [error.name for error in tool.errors]
    shown = f"{statement}\n{execute}\n{preview if tool.preview else ''}"
    return ToolSource(
        module=module,
        definition=_definition(tool, definition.data),
        definition_imports=f"TYPE_CHECKING, Final{', cast' * tool.carries_extensions}",
        schema_imports=definition.imports,
        imports=_imports(tool, needs_types=bool(needed), needs_any=bool(_ANY.search(shown))),
        annotation_imports=needed,
        exports=all_statement((*tool.exports, *names)),
        class_statement=statement,
        error_classes=tuple(map(error_source, tool.errors)),
        errors=assignment("errors", Brackets("(", names, ",)" if len(names) == 1 else ")")),
        execute=execute,
        preview=preview,
    )


def _imports(tool: Tool, *, needs_types: bool, needs_any: bool) -> str:
    """Return the imports of a tool's class."""
    typing = [name for name, needed in (("TYPE_CHECKING", needs_types), ("Any", needs_any)) if needed]
    lines = [
        "from abc import abstractmethod",
        *([f"from typing import {', '.join(typing)}"] if typing else []),
        "",
        import_from("toolgen.runtime", tool.runtime_names),
        "",
        import_from(f"..definitions.{tool.py_name}", ["DEFINITION"]),
        import_from(f"..models.{tool.models_module}", tool.model_classes),
    ]
    return "\n".join(lines)


def error_source(error: ErrorClass) -> ErrorSource:
    """Return the source of the exception class of a declared error."""
    values: dict[str, str | bool] = {
        "code": error.code,
        "description": error.description,
        "retryable": error.retryable,
        **({"hint": error.hint} if error.hint else {}),
    }
    fields = tuple(assignment(name, literal(value)) for name, value in values.items())
    return ErrorSource(error.name, error.description, fields)


def _parameters(tool: Tool) -> list[str]:
    injected = [part for part in tool.parameters.split(", ") if part]
    return ["self", f"request: {tool.request_class}", "context: ToolContext", *injected]


def _preview(tool: Tool) -> str:
    """Return the type of what `preview` returns."""
    text = () if "only_if" in tool.definition.get("confirm", {}) else ("str",)
    shown = " | ".join([*text, *([tool.response_class] if tool.response_class else [])]) or "Any"
    return f"{shown} | Awaitable[{shown}]"


def _definition(tool: Tool, definition: Mapping[str, Any]) -> str:
    """Return the statement of the module of a tool's definition."""
    if tool.carries_extensions:
        # a TypedDict has no `x-` keys, so type checkers would refuse the literal
        data = laid_out(definition, indent=4, tail=",")
        return f'DEFINITION: Final = cast(\n    "ToolDefinition",\n    {data}\n)'
    return laid_out(definition, "DEFINITION: Final[ToolDefinition] = ")
