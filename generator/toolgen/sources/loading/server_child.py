"""Child process of `import fastmcp`: import a module and write a description of the server in it."""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module
from importlib.metadata import version
from keyword import iskeyword
from typing import Any

from toolgen.sources.imported_tool import SourceError

from .imported_module import answer_in_child, describe_error, find_in, import_target

FASTMCP, SDK = "fastmcp", "mcp"
_CLASSES = {FASTMCP: ("fastmcp", "FastMCP"), SDK: ("mcp.server.mcpserver", "MCPServer")}
_NAME_SERVER = "write MODULE:SERVER, the name of a FastMCP or MCPServer object in the module"


def main(seconds: str, result: str, folder: str, target: str) -> None:
    answer_in_child(lambda: _describe(target, folder), seconds, result, folder)


def _describe(target: str, folder: str) -> dict[str, Any]:
    frameworks = _frameworks()
    module_name, _, path = target.rpartition(":") if ":" in target else (target, "", "")
    with_server = import_target(module_name, folder, target)
    server, path = _find_server(with_server, path, target, frameworks)
    kind = next(kind for kind, each in frameworks.items() if isinstance(server, each))
    try:
        described = asyncio.run(_read(server, kind))
    except BaseException as error:  # providers and middleware of the server may raise anything
        raise SourceError(f"{target}: listing its tools failed: {describe_error(error)}") from None
    return {
        "framework": kind,
        "framework_version": version(kind),
        "module": with_server.__name__,
        "path": path,
        "file": getattr(with_server, "__file__", None) or "",
        **described,
    }


def _frameworks() -> dict[str, type]:
    """Return the classes of servers that are installed."""
    found: dict[str, type] = {}
    for kind, (module_name, class_name) in _CLASSES.items():
        try:
            found[kind] = getattr(import_module(module_name), class_name)
        except (ImportError, AttributeError):
            continue
    return found


def _find_server(module: Any, path: str, target: str, frameworks: dict[str, type]) -> tuple[Any, str]:
    """Return the server that the path names, or the only one of the module, and its path."""
    kinds = tuple(frameworks.values())
    # the path is written into generated code
    servers = [name for name, value in vars(module).items() if isinstance(value, kinds) and _is_name(name)]
    missing = (
        _NAME_SERVER if FASTMCP in sys.modules else "install fastmcp in toolgen's environment if it needs it"
    )
    hint = f"it has {', '.join(servers)}" if servers else missing
    if not path:
        if len(servers) == 1:
            return getattr(module, servers[0]), servers[0]
        count = "several servers" if servers else "no server"
        raise SourceError(f"{target}: {module.__name__} has {count}", hint)
    if not all(map(_is_name, path.split("."))):
        raise SourceError(f"{target}: {path!r} cannot be the name of a server", _NAME_SERVER)
    found = find_in(module, path, target, hint)
    if isinstance(found, kinds):
        return found, path
    kind = "function" if callable(found) else type(found).__name__
    older = "; FastMCP 4 is needed" if kind == "FastMCP" else ""
    raise SourceError(f"{target} is a {kind}, not a server{older}", _NAME_SERVER)


def _is_name(name: str) -> bool:
    return name.isidentifier() and not iskeyword(name)


async def _read(server: Any, kind: str) -> dict[str, Any]:
    """Return what a server lists, and what only the server object knows."""
    tools, details = await (_fastmcp_tools(server) if kind == FASTMCP else _sdk_tools(server))
    resources = await server.list_resources()
    others = {
        "resource": resources,
        "resource template": await server.list_resource_templates(),
        "prompt": await server.list_prompts(),
    }
    # no public name says whether FastMCP lists them as skills; a list without any does no harm
    others["skill"] = [each for each in resources if str(each.uri).endswith("/SKILL.md")]
    # FastMCP's provider of tokens, or the settings of the SDK
    has_auth = getattr(server, "auth", None) or getattr(getattr(server, "settings", None), "auth", None)
    return {
        "name": server.name,
        "version": server.version,
        "instructions": server.instructions,
        "tools": [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools],
        "details": details,
        "others": {noun: len(found) for noun, found in others.items()},
        "stays": ["auth"] if has_auth else [],
    }


async def _fastmcp_tools(server: Any) -> tuple[list[Any], list[dict[str, Any]]]:
    from fastmcp.server.context import set_transport  # FastMCP need not be installed
    from fastmcp.utilities.versions import dedupe_with_versions

    set_transport("stdio")  # what needs a token over HTTP is listed, too
    tools = dedupe_with_versions(list(await server.list_tools()), lambda tool: tool.name)
    details = [
        {
            "tags": sorted(tool.tags),
            "version": tool.version,
            "timeout": tool.timeout,
            "auth": tool.auth is not None,
            "task": tool.task_config.supports_tasks(),
        }
        for tool in tools
    ]
    return [tool.to_mcp_tool(name=tool.name) for tool in tools], details


async def _sdk_tools(server: Any) -> tuple[list[Any], list[dict[str, Any]]]:
    tools = await server.list_tools()
    return tools, [{}] * len(tools)
