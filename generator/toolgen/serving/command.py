"""The command `python -m <package>.mcp_server`: stdio, or HTTP with `--http`. Stdout is for the protocol.

There is a flag for each setting. It sets the setting's environment variable in this process, so that settings
have one source.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

from toolgen.runtime.instrumentation.export import start_export
from toolgen.runtime.logs.configure import announce, configure_logging, keep_audit, server_handler
from toolgen.runtime.process_record import PROCESS
from toolgen.runtime.settings import (
    SettingError,
    Settings,
    flag_of,
    misspelt_variables,
    parse_setting,
    variable,
    variables,
)

if TYPE_CHECKING:
    from .server import ToolServer
    from .transports.http import Pages


def main(build_server: Callable[[], ToolServer], argv: Sequence[str] | None = None) -> int:
    """Serve until the client or a signal ends it.

    Return the exit code: 0, 2 if it cannot serve, 130 for SIGINT.
    """
    parser = argparse.ArgumentParser(description="MCP server over stdio, or over HTTP at /mcp.")
    add_server_flags(parser)
    return serve(build_server, parser.parse_args(argv))


def serve(
    build_server: Callable[[], ToolServer],
    options: argparse.Namespace,
    make_pages: Callable[[ToolServer], Pages] | None = None,
) -> int:
    """Serve as the flags of `add_server_flags` say, over HTTP with pages. Return the exit code of `main`.

    Raises what `build_server` raises, except SettingError.
    """
    _open_closed_streams()
    code = 2
    try:
        if options.log_format:  # first: it is the form of what refuses the other flags
            os.environ[variable("log_format")] = options.log_format
        for message in misspelt_variables(os.environ):
            announce(f"warning: {message}")
        _check_transport(options)
        apply_setting_flags(options)
        settings = Settings.from_environment()
        configure_logging(settings, server_handler())
        keep_audit()
        serve_metrics = start_export(serves_metrics=options.metrics_port is not None)
        from .server import check_implementations, complete_identity, introduce  # the SDK of the extra `mcp`
        from .transports.http_server import serve_http
        from .transports.stdio import serve_stdio

        with contextlib.redirect_stdout(sys.stderr):  # for print() in modules of the application
            server = build_server()
            complete_identity(server)
            check_implementations(server)
        if options.http and settings.scopes:
            announce("--scopes grants nothing over HTTP: there, the token of a request does")
        if not options.http:
            PROCESS.started(server.name, server.version or "", "stdio", settings, server.catalog)
            introduce(server)
            _report_refused_tools(server)
            code = serve_stdio(server)
        else:
            code = serve_http(
                server,
                options.host or "127.0.0.1",
                8000 if options.port is None else options.port,
                metrics_port=options.metrics_port,
                serve_metrics=serve_metrics,
                pages=None if make_pages is None else make_pages(server),
            )
    except SettingError as error:
        announce(str(error), logging.ERROR)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types", "anyio", "uvicorn"):
            raise
        announce("an MCP server needs the MCP SDK: pip install 'toolgen[mcp]'", logging.ERROR)
    finally:
        PROCESS.stopped(code)
    return code


def _open_closed_streams() -> None:
    """Open /dev/null as the standard streams that are closed: other files would get their descriptors."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass  # it takes the lowest one that is free
    os.close(descriptor)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "r" if name == "stdin" else "w", encoding="utf-8"))


def _check_transport(options: argparse.Namespace) -> None:
    """Raise SettingError for a flag that only means something over HTTP."""
    if options.http:
        return
    if options.host or options.port is not None or options.metrics_port is not None or options.stateless:
        raise SettingError("--host, --port, --metrics-port and --stateless need --http")
    if any((options.auth_tokens, options.auth_issuer, options.auth_audience, options.auth_jwks)):
        raise SettingError("the flags --auth-… need --http; over stdio, --scopes grants scopes")


def _report_refused_tools(server: ToolServer) -> None:
    """Report the tools that the user of a stdio server may not call, and the missing scopes."""
    from .auth.grant import refused_tools  # 600 ms with pydantic, which the help does not need

    state = server.state
    refused = refused_tools(state.toolkit.definitions, frozenset(state.settings.scopes))
    if refused is not None:
        announce(f"calls of these tools are refused, they need scopes: {refused}; grant them with --scopes")


def add_server_flags(parser: argparse.ArgumentParser, *, is_http: bool = False) -> None:
    """Add the flags of a server: transport, unless it is HTTP anyway, address, and settings."""
    group = parser.add_argument_group("server")
    if is_http:
        parser.set_defaults(http=True)
    else:
        group.add_argument("--http", action="store_true", help="serve streamable HTTP instead of stdio")
    group.add_argument("--host", help="address to listen on (default: 127.0.0.1)")
    group.add_argument("--port", type=_port, help="port to listen on, 0 for any free one (default: 8000)")
    group.add_argument(
        "--metrics-port", type=_port, help="port that serves metrics at /metrics as Prometheus reads them"
    )
    add_setting_flags(parser)


def _port(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: use a number from 0 to 65535")
    return int(text)


def add_setting_flags(parser: argparse.ArgumentParser) -> None:
    """Add a flag for every setting that has one."""
    group = parser.add_argument_group(
        "settings", "Each is an environment variable, too: see `toolgen help settings`."
    )
    rows = {row.name: row for row in variables()}
    for each in fields(Settings):
        row = rows[variable(each.name)]
        if row.flag is None:
            continue
        if isinstance(each.default, bool):
            group.add_argument(row.flag, action="store_const", const="1", dest=each.name, help=row.about)
            continue
        repeatable = isinstance(each.default, tuple) and "flag" in each.metadata
        how = "may be repeated" if repeatable else f"default: {row.default or 'none'}"
        group.add_argument(
            row.flag,
            dest=each.name,
            action="append" if repeatable else "store",
            metavar=each.name.upper().removesuffix("S") if repeatable else each.name.upper(),
            help=f"{row.about} ({how})",
        )


def apply_setting_flags(options: argparse.Namespace) -> None:
    """Set the environment variables of the flags that were given.

    Raises SettingError, which names the flag, if a value is not valid.
    """
    for each in fields(Settings):
        given: str | list[str] | None = getattr(options, each.name, None)
        flag = flag_of(each)
        if given is None or flag is None:
            continue
        text = ",".join(given) if isinstance(given, list) else given
        parse_setting(each.name, text, source=flag)
        os.environ[variable(each.name)] = text
