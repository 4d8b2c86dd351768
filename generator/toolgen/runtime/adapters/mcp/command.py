"""The command `python -m <package>.mcp_server`: stdio, or HTTP with `--http`. Stdout is for the protocol."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from toolgen.escaping.streams import print_message
from toolgen.runtime.logs.configure import configure_logging, server_handler
from toolgen.runtime.logs.writer import background_output
from toolgen.runtime.settings import SettingError, Settings

from .options import add_setting_flags, apply_setting_flags

if TYPE_CHECKING:
    from .service import ToolServer


def main(build_server: Callable[[], ToolServer], argv: Sequence[str] | None = None) -> int:
    """Serve until the client or a signal ends it.

    Return the exit code: 0, 2 if it cannot serve, 130 for SIGINT.
    """
    parser = argparse.ArgumentParser(description="MCP server over stdio, or over HTTP at /mcp.")
    add_server_flags(parser)
    return serve(build_server, parser.parse_args(argv))


def serve(build_server: Callable[[], ToolServer], options: argparse.Namespace) -> int:
    """Serve as the flags of `add_server_flags` say. Return the exit code, as `main` does.

    Raises what `build_server` raises, except SettingError.
    """
    with background_output(stdout_to_stderr=not options.http):
        return _serve(build_server, options)


def _serve(build_server: Callable[[], ToolServer], options: argparse.Namespace) -> int:
    if not options.http and (options.host or options.port is not None or options.stateless):
        print_message("--host, --port and --stateless need --http")
        return 2
    tokens = (options.auth_tokens, options.auth_issuer, options.auth_audience, options.auth_jwks)
    if not options.http and any(tokens):
        print_message("the flags --auth-… need --http; over stdio, --scopes grants scopes")
        return 2
    try:
        apply_setting_flags(options)
        settings = Settings.from_environment()
    except SettingError as error:
        print_message(str(error))
        return 2
    configure_logging(settings, server_handler())
    try:
        from .service import check_implementations
        from .transports.http_server import serve_http
        from .transports.stdio import serve_stdio

        with contextlib.redirect_stdout(sys.stderr):  # for print() in modules of the application
            server = build_server()
            check_implementations(server)
        if options.http and settings.scopes:
            print_message("--scopes grants nothing over HTTP: there, the token of a request does")
        if not options.http:
            _report_refused_tools(server)
            return serve_stdio(server)
        return serve_http(server, options.host or "127.0.0.1", 8000 if options.port is None else options.port)
    except SettingError as error:
        print_message(str(error))
        return 2
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types", "anyio", "uvicorn"):
            raise
        print_message("an MCP server needs the MCP SDK: pip install 'toolgen[mcp]'")
        return 2


def _report_refused_tools(server: ToolServer) -> None:
    """Report the tools that the user of a stdio server may not call, and the missing scopes."""
    from .auth.grant import refused_tools

    service = server.service
    refused = refused_tools(service.toolkit.definitions, frozenset(service.settings.scopes))
    if refused is not None:
        print_message(
            f"calls of these tools are refused, they need scopes: {refused}; grant them with --scopes"
        )


def add_server_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of a server: transport, address, and settings."""
    group = parser.add_argument_group("server")
    group.add_argument("--http", action="store_true", help="serve streamable HTTP instead of stdio")
    group.add_argument("--host", help="address to listen on (default: 127.0.0.1)")
    group.add_argument("--port", type=_port, help="port to listen on, 0 for any free one (default: 8000)")
    add_setting_flags(parser)


def _port(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: use a number from 0 to 65535")
    return int(text)
