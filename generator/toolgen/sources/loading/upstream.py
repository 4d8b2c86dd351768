"""Modules that forward imported tools to the server that has them, and the lock of that server."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, cast

from toolgen.base.suggestions import quoted
from toolgen.compile.printing.file_templates import render
from toolgen.compile.python_source.literals import literal
from toolgen.language.package import Tool
from toolgen.project import Project
from toolgen.runtime.adapters.naming import published_name
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.sources.loading.imported_specs import NewModules, module_path, new_modules
from toolgen.sources.loading.server import FEATURES, FEATURES_PACKAGE
from toolgen.sources.mcp_client.client import ServerAddress
from toolgen.sources.mcp_client.listing import Listing

UPSTREAMS: Final = "_upstreams"
"""Package in that of the implementations: a module and a lock for each server."""
_PACKAGE: Final = '"""The servers that tools of this package forward to, each with a lock beside it."""\n'
_MAX_NAME: Final = 40


def upstream_modules(
    project: Project,
    tools: Sequence[Tool],
    listing: Listing,
    address: ServerAddress,
    *,
    lock: str,
    headers: Mapping[str, str],
    env: Mapping[str, str],
) -> NewModules:
    """Return a module for each tool, one for the server, one for what it has besides tools, and its lock.

    `headers` and `env` name their values: `${VARIABLE}`, `lock` is the content of the lock.
    Modules that exist are kept, the lock is replaced.
    """
    package = f"{project.implementations}.{UPSTREAMS}"
    folder, module = project.path_of(package), module_name(listing.name)
    server = quoted(listing.name, 80)
    new = {
        f"{folder}/__init__.py": _PACKAGE,
        f"{folder}/{module}.py": render(
            "_new/upstream.py.jinja",
            server=server,
            module=module,
            source=literal(address.source),
            headers=literal(dict(headers)) if headers else "",
            env=literal(dict(env)) if env else "",
        ),
    }
    if serves := _served(listing):
        features = project.path_of(f"{project.implementations}.{FEATURES}")
        new[f"{features}/__init__.py"] = FEATURES_PACKAGE
        new[f"{features}/{module}.py"] = render(
            "_new/forwarded_features.py.jinja",
            upstreams=package,
            module=module,
            server=server,
            serves=literal(serves),
        )
    for tool in tools:
        new[module_path(project, tool.py_name)] = render(
            "_new/forwarded.py.jinja",
            tool=tool,
            package=project.package,
            upstreams=package,
            module=module,
            server=server,
            listed_name=literal(published_name(cast("ToolDefinition", tool.definition), "mcp")),
        )
    modules = new_modules(project, new)
    return NewModules({**modules.files, f"{folder}/{module}.lock": lock}, modules.notes)


def _served(listing: Listing) -> list[str]:
    """Return what a server announces of what it has: many announce prompts and resources without any."""
    has = {"prompts": listing.prompts, "resources": (*listing.resources, *listing.resource_templates)}
    if not any(has.values()):
        return []
    return [
        each for each in ("completions", *has) if each in (listing.capabilities or ()) and has.get(each, True)
    ]


def module_name(server: str) -> str:
    """Return the name of the module for a server."""
    words = re.sub(r"[^a-z0-9]+", "_", server.rpartition("/")[2].lower()).strip("_")[:_MAX_NAME]
    return words if words[:1].isalpha() else f"server_{words}".rstrip("_")
