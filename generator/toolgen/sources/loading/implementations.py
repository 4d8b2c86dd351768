"""Modules that implement imported tools: by HTTP calls, functions, and servers in Python or elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, cast

from pydantic import TypeAdapter

from toolgen.base.suggestions import quoted
from toolgen.compile.printing.render import render_file
from toolgen.compile.python_source.literals import literal
from toolgen.language.package import Package, Tool
from toolgen.project import Project
from toolgen.project.scaffolding.new_tool import http_text
from toolgen.runtime.adapters.published_tools import published_name
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.sources.forwarded_modules import UPSTREAMS, refuse_other_upstreams
from toolgen.sources.loading.imported_module import ask_child
from toolgen.sources.loading.imported_specs import NewModules, module_path, new_modules
from toolgen.sources.mcp_client.client import ServerAddress
from toolgen.sources.mcp_client.listing import Listing
from toolgen.sources.python.signature import FunctionDescription
from toolgen.sources.python.specs import error_code
from toolgen.sources.python_server import ServerDescription


def http_modules(project: Project, package: Package) -> NewModules:
    """Return the modules of `--implement` for tools that have no implementation yet."""
    files = {
        module_path(project, tool.py_name): http_text(project.package, tool)
        for tool in package.tools
        if "x-openapi" in tool.definition
    }
    return new_modules(project, files)


# Python functions

_FUNCTION: Final = "_new/function.py.jinja"


def describe_functions(targets: Sequence[str], folder: Path) -> list[FunctionDescription]:
    """Return the descriptions of the functions, made in a child process. Raises `SourceError`."""
    answer = ask_child("toolgen.sources.loading.python_child", targets, folder)
    return TypeAdapter(list[FunctionDescription]).validate_python(answer["functions"])


def function_modules(
    project: Project, tools: Sequence[Tool], functions: Mapping[str, FunctionDescription]
) -> NewModules:
    """Return modules that implement tools by calling the functions, and why some tools get none."""
    files: dict[str, str] = {}
    notes: list[str] = []
    for tool in tools:
        function = functions[tool.wire_name]
        if function.by_hand:
            notes.append(f"{tool.wire_name}: must be implemented by hand, since {function.by_hand}")
        else:
            files[module_path(project, tool.py_name)] = _implementation_text(project, tool, function)
    return new_modules(project, files, notes)


def _implementation_text(project: Project, tool: Tool, function: FunctionDescription) -> str:
    """Return the text of a module that implements `tool` by calling `function`."""
    chunks = function.chunk_schema is not None
    iterator = "AsyncIterator" if function.async_chunks or function.awaited else "Iterator"
    return render_file(
        _FUNCTION,
        tool=tool,
        package=project.package,
        module=function.module,
        called=function.path,
        source=f"{function.module}.{function.path}",
        root=function.path.partition(".")[0],
        injected="".join(f", {item['parameter']}={item['name']}" for item in function.inject),
        raised=list(_raised(tool, function)),
        chunks=chunks,
        iterator=iterator,
        result=f"{iterator}[Any]" if chunks else tool.response_class or "Any",
        asynchronous=function.awaited or function.async_chunks,
        async_chunks=function.async_chunks,
        awaited=function.awaited,
        wrapped=function.wrapped,
    )


def _raised(tool: Tool, function: FunctionDescription) -> Iterator[dict[str, str]]:
    """Yield importable exceptions: module, name, alias in the module, and the error that each becomes."""
    errors = {error.code: error.name for error in tool.errors}
    for number, (written, path) in enumerate(function.exceptions.items()):
        module, _, name = path.partition(":")
        error = errors.get(error_code(written))
        if not name or error is None:
            continue
        alias = name if module == "builtins" else f"_{name}_{number}"
        yield {"module": module, "name": name, "alias": alias, "error": error}


# Servers in Python modules

_BASES: Final = {"fastmcp": "FastMCP", "mcp": "MCPServer"}
_FEATURES: Final = "_features"  # package in that of the implementations, from which the MCP server loads
_FEATURES_PACKAGE: Final = '"""What the MCP server serves besides the tools: one module per source."""\n'


def describe_server(target: str, folder: Path) -> ServerDescription:
    """Return the description of the server, made in a child process. Raises `SourceError`."""
    return ServerDescription(**ask_child("toolgen.sources.loading.server_child", [target], folder))


def server_modules(project: Project, tools: Sequence[Tool], server: ServerDescription) -> NewModules:
    """Return modules that implement tools by the server, and one for what it has besides them."""
    files: dict[str, str] = {}
    for tool in tools:
        files[module_path(project, tool.py_name)] = render_file(
            "_new/adopted.py.jinja",
            tool=tool,
            package=project.package,
            server=server,
            base=f"{_BASES[server.framework]}Tool",
            root=server.path.partition(".")[0],
            listed_name=literal(published_name(cast("ToolDefinition", tool.definition), "mcp")),
        )
    if server.features:
        package = f"{project.implementations}.{_FEATURES}"
        files[f"{project.path_of(package)}/__init__.py"] = _FEATURES_PACKAGE
        name = f"{server.module}.{server.path}".replace(".", "_")
        files[module_path(project, f"{_FEATURES}.{name}")] = render_file(
            "_new/adopted_features.py.jinja",
            server=server,
            root=server.path.partition(".")[0],
            origin=literal(server.origin),
            serves=literal(server.features),
        )
    modules = new_modules(project, files)
    folder = _top_folder(server)
    if modules.files and folder is not None and folder != project.root:
        note = f"implementations import {server.module}: start the server with PYTHONPATH={folder}"
        return NewModules(modules.files, (*modules.notes, note))
    return modules


def _top_folder(server: ServerDescription) -> Path | None:
    """Return the folder from which the module is imported; None if it is installed or has no file."""
    path = Path(server.file)
    if not server.file or "site-packages" in path.parts:
        return None
    depth = server.module.count(".") + (path.stem == "__init__")
    return Path(os.path.realpath(path)).parents[depth]


# Servers that calls are forwarded to

_PACKAGE: Final = '"""The servers that tools of this package forward to, each with a lock beside it."""\n'


def upstream_modules(
    project: Project,
    tools: Sequence[Tool],
    listing: Listing,
    address: ServerAddress,
    *,
    lock: str,
    module: str,
    headers: Mapping[str, str],
    env: Mapping[str, str],
) -> NewModules:
    """Return a module for each tool, one for the server, one for what it has besides tools, and its lock.

    `headers` and `env` name their values: `${VARIABLE}`, `lock` is the content of the lock, `module` is the
    upstream. Modules that exist are kept, the lock is replaced. Raises UnableError if one that is kept
    forwards to another server.
    """
    package = f"{project.implementations}.{UPSTREAMS}"
    folder = project.path_of(package)
    server = quoted(listing.name)
    new = {
        f"{folder}/__init__.py": _PACKAGE,
        f"{folder}/{module}.py": render_file(
            "_new/upstream.py.jinja",
            server=server,
            module=module,
            source=literal(address.source),
            headers=literal(dict(headers)) if headers else "",
            env=literal(dict(env)) if env else "",
        ),
    }
    if serves := _served(listing):
        features = project.path_of(f"{project.implementations}.{_FEATURES}")
        new[f"{features}/__init__.py"] = _FEATURES_PACKAGE
        new[f"{features}/{module}.py"] = render_file(
            "_new/forwarded_features.py.jinja",
            upstreams=package,
            module=module,
            server=server,
            serves=literal(serves),
        )
    paths = {tool.wire_name: module_path(project, tool.py_name) for tool in tools}
    refuse_other_upstreams(project, ((paths[tool.wire_name], tool.file) for tool in tools), module)
    for tool in tools:
        new[paths[tool.wire_name]] = render_file(
            "_new/forwarded.py.jinja",
            tool=tool,
            package=project.package,
            upstreams=package,
            module=module,
            server=server,
            listed_name=literal(str(tool.definition["x-upstream"]).partition("/")[2]),
        )
    modules = new_modules(project, new)
    return NewModules({**modules.files, f"{folder}/{module}.lock": lock}, modules.notes)


def _served(listing: Listing) -> list[str]:
    """Return what a server announces of what it has: many announce prompts and resources without any."""
    has = {"prompts": listing.prompts, "resources": (*listing.resources, *listing.resource_templates)}
    if not any((*has.values(), listing.skills)):
        return []
    found = [
        each for each in ("completions", *has) if each in (listing.capabilities or ()) and has.get(each, True)
    ]
    return [*dict.fromkeys((*found, "resources")), "skills"] if listing.skills else found
