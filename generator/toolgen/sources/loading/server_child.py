"""Child process of `import fastmcp`: import a module and write a description of the server in it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version
from keyword import iskeyword
from typing import Any, NoReturn

from toolgen.sources.imported_tool import SourceError

from .imported_module import answer_in_child, describe_error, find_in, import_target

FASTMCP, SDK = "fastmcp", "mcp"
_CLASSES = {FASTMCP: ("fastmcp", "FastMCP"), SDK: ("mcp.server.mcpserver", "MCPServer")}
_RUNNERS = (
    "run",
    "run_async",
    "run_stdio_async",
    "run_http_async",
    "run_sse_async",
    "run_streamable_http_async",
)
_GUARD = "put the call below `if __name__ == '__main__':`"
_NAME_SERVER = "write MODULE:SERVER, the name of a FastMCP or MCPServer object in the module"


class _ServerStarted(BaseException):
    """The module runs its server when it is imported. No Exception, so that no handler of it hides this."""


def main(seconds: str, result: str, folder: str, target: str) -> None:
    answer_in_child(lambda: _describe(target, folder), seconds, result, folder)


def _describe(target: str, folder: str) -> dict[str, Any]:
    frameworks = _frameworks()
    module_name, _, path = target.rpartition(":") if ":" in target else (target, "", "")
    try:
        with_server = import_target(module_name, folder, target)
    except SourceError as error:
        if _ServerStarted.__name__ in error.message:
            message = f"{target}: importing {module_name} runs a server, instead of only making it"
            raise SourceError(message, _GUARD) from None
        raise
    server, path = _find_server(with_server, path, target, frameworks)
    kind = next(kind for kind, each in frameworks.items() if isinstance(server, each))
    try:
        described = asyncio.run(_read(server, kind))
    except SourceError:
        raise
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
    """Return the classes of servers that are installed. None of them can be run in this process."""
    found: dict[str, type] = {}
    for kind, (module_name, class_name) in _CLASSES.items():
        try:
            found[kind] = getattr(import_module(module_name), class_name)
        except (ImportError, AttributeError):
            continue
        for name in _RUNNERS:
            if hasattr(found[kind], name):
                setattr(found[kind], name, _refuse_to_run)
    return found


def _refuse_to_run(*_: Any, **__: Any) -> NoReturn:
    raise _ServerStarted


def _find_server(module: Any, path: str, target: str, frameworks: dict[str, type]) -> tuple[Any, str]:
    """Return the server that the path names, or the only one of the module, and its path."""
    kinds = tuple(frameworks.values())
    # the path is written into generated code
    servers = [name for name, value in vars(module).items() if isinstance(value, kinds) and _is_name(name)]
    if not path:
        if len(servers) == 1:
            return getattr(module, servers[0]), servers[0]
        hint = f"it has {', '.join(servers)}" if servers else _missing_hint()
        count = "several servers" if servers else "no server"
        raise SourceError(f"{target}: {module.__name__} has {count}", hint)
    if not all(map(_is_name, path.split("."))):
        raise SourceError(f"{target}: {path!r} cannot be the name of a server", _NAME_SERVER)
    found = find_in(module, path, target, f"it has {', '.join(servers)}" if servers else _missing_hint())
    if isinstance(found, kinds):
        return found, path
    kind = type(found)
    if f"{kind.__module__}.".startswith(("fastmcp.", "mcp.")) and kind.__name__ == "FastMCP":
        raise SourceError(
            f"{target} is a server of FastMCP {_installed(FASTMCP)}; FastMCP 4 is needed",
            "upgrade it, or import what the server lists: toolgen import mcp COMMAND --stdio",
        )
    if callable(found):
        raise SourceError(f"{target} is a function, not a server", "assign the server to a name in a module")
    raise SourceError(f"{target} is a {kind.__name__}, not a server", _NAME_SERVER)


def _is_name(name: str) -> bool:
    return name.isidentifier() and not iskeyword(name)


def _missing_hint() -> str:
    return (
        _NAME_SERVER if FASTMCP in sys.modules else "install fastmcp in toolgen's environment if it needs it"
    )


def _installed(package: str) -> str:
    try:
        return version(package)
    except Exception:
        return "an older version"


async def _read(server: Any, kind: str) -> dict[str, Any]:
    """Return what a server lists, and what only the server object knows."""
    list_tools, detail = (_fastmcp_tools, _fastmcp_detail) if kind == FASTMCP else (_sdk_tools, _sdk_detail)
    tools, listed = await list_tools(server)
    if listed != (await list_tools(server))[1]:
        raise SourceError("the server lists other tools each time", "import what does not change")
    return {
        "name": server.name,
        "version": server.version,
        "instructions": server.instructions,
        "tools": listed,
        "details": [detail(server, tool) for tool in tools],
        **await _features(server, server._mcp_server if kind == FASTMCP else server._lowlevel_server),
        "stays": list(_stays(server)),
    }


async def _fastmcp_tools(server: Any) -> tuple[list[Any], list[dict[str, Any]]]:
    from fastmcp.server.context import set_transport
    from fastmcp.utilities.versions import dedupe_with_versions

    set_transport("stdio")  # what needs a token over HTTP is listed, too
    tools = dedupe_with_versions(list(await server.list_tools()), lambda tool: tool.name)
    return tools, [_as_json(tool.to_mcp_tool(name=tool.name)) for tool in tools]


def _fastmcp_detail(server: Any, tool: Any) -> dict[str, Any]:
    return {
        "function": _name_of(getattr(tool, "fn", None)),
        "tags": sorted(tool.tags),
        "version": tool.version,
        "timeout": tool.timeout,
        "auth": tool.auth is not None,
        "task": tool.task_config.supports_tasks(),
    }


async def _sdk_tools(server: Any) -> tuple[list[Any], list[dict[str, Any]]]:
    tools = await server.list_tools()
    return tools, list(map(_as_json, tools))


def _sdk_detail(server: Any, tool: Any) -> dict[str, Any]:
    registered = {each.name: each.fn for each in server._tool_manager.list_tools()}
    return {"function": _name_of(registered.get(tool.name))}


def _stays(server: Any) -> Iterator[str]:
    """Yield further parts of a server that are not imported."""
    if auth := getattr(server, "auth", None):
        yield f"auth ({type(auth).__name__})"
    elif getattr(getattr(server, "settings", None), "auth", None):  # of the SDK's
        yield "auth"
    if routes := getattr(server, "_additional_http_routes", None):
        yield f"{len(routes)} custom routes" if len(routes) > 1 else "a custom route"


async def _features(server: Any, low_level: Any) -> dict[str, Any]:
    """Return the fields `others` and `features` of a server's description."""
    resources, templates = await server.list_resources(), await server.list_resource_templates()
    prompts = await server.list_prompts()
    found = {
        # without any, handlers that only answer "not found" are not worth serving
        "resources": resources or templates or low_level.get_request_handler("resources/subscribe"),
        "prompts": prompts,
        "completions": low_level.get_request_handler("completion/complete"),
    }
    return {
        "others": {
            "resource": len(resources), "resource template": len(templates), "prompt": len(prompts)
        },
        "features": [name for name, has in found.items() if has],
    }  # fmt: skip


def _as_json(tool: Any) -> dict[str, Any]:
    written: dict[str, Any] = tool.model_dump(mode="json", by_alias=True, exclude_none=True)
    return written


def _name_of(function: Any) -> str:
    """Return the name of a function: `shop.place_order`; empty if it has none that helps to find it."""
    while hasattr(function, "func"):
        function = function.func
    inner = getattr(function, "__func__", function)
    module, name = getattr(inner, "__module__", None), getattr(inner, "__qualname__", None)
    if not module or not name or "<" in name or not f"{module}.{name}".isprintable():
        return ""
    return f"{module}.{name}"
