"""Servers in Python modules: described in a child process; modules that implement tools by calling them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from toolgen.compile.printing.file_templates import render
from toolgen.compile.python_source.literals import literal
from toolgen.language.package import Tool
from toolgen.project import Project
from toolgen.runtime.adapters.naming import published_name
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.sources.loading.imported_module import ask_child
from toolgen.sources.loading.imported_specs import NewModules, module_path, new_modules
from toolgen.sources.server import ServerDescription

_TEMPLATE = "_new/adopted.py.jinja"
_FEATURES_TEMPLATE = "_new/adopted_features.py.jinja"
_BASES = {"fastmcp": "FastMCP", "mcp": "MCPServer"}
FEATURES = "_features"  # package in that of the implementations, from which the MCP server loads
FEATURES_PACKAGE = '"""What the MCP server serves besides the tools: one module per source."""\n'


def describe_server(target: str, folder: Path) -> ServerDescription:
    """Return the description of the server, made in a child process. Raises `SourceError`."""
    return ServerDescription(**ask_child("toolgen.sources.loading.server_child", [target], folder))


def server_modules(project: Project, tools: Sequence[Tool], server: ServerDescription) -> NewModules:
    """Return modules that implement tools by the server, and one for what it has besides them."""
    files: dict[str, str] = {}
    for tool in tools:
        files[module_path(project, tool.py_name)] = render(
            _TEMPLATE,
            tool=tool,
            package=project.package,
            server=server,
            base=f"{_BASES[server.framework]}Tool",
            root=server.path.partition(".")[0],
            listed_name=literal(published_name(cast("ToolDefinition", tool.definition), "mcp")),
        )
    if server.features:
        package = f"{project.implementations}.{FEATURES}"
        files[f"{project.path_of(package)}/__init__.py"] = FEATURES_PACKAGE
        name = f"{server.module}.{server.path}".replace(".", "_")
        files[module_path(project, f"{FEATURES}.{name}")] = render(
            _FEATURES_TEMPLATE,
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
