"""A project on disk, used as a stranger would: toolgen's commands, the generated server, real MCP clients."""

from __future__ import annotations

import asyncio
import hashlib
import io
import os
import re
import signal
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self
from unittest import mock

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from toolgen.cli import main

from tests.preloaded import python_command

RUN_NOTHING = frozenset({"breaking", "check", "client", "export", "generate", "import", "init", "new"})
CACHE, CACHE_FOLDER = "TOOLGEN_CACHE_DIR", "cache"  # each project has its own
SECONDS = 90.0  # maximum duration of one step of a test
ERAS = pytest.mark.parametrize("era", ["legacy", "auto"])  # up to 2025-11-25, and the newest
# for tests that do not depend on the protocol era
TRANSPORTS = pytest.mark.parametrize("transport", ["stdio", "http"])
NEWEST_ERA = pytest.mark.parametrize("era", [pytest.param("legacy", marks=pytest.mark.slow), "auto"])

ECHO_SPEC = Path(__file__).with_name("echo.yaml").read_text("utf-8")
ECHO_TOOL = """
from generated.tools.echo import EchoResponse, EchoTool

class Echo(EchoTool):
    async def execute(self, request, context):
        return EchoResponse(text=request.text)
"""
PLAIN_SPEC = """
name: {name}
description: Do what a test needs.
input_schema: {{type: object, additionalProperties: false, properties: {{{properties}}}}}
{more}
"""
PLAIN_TOOL = """
{before}
from generated.tools.{name} import {cls}Tool

class Tool({cls}Tool):
{body}
"""

_GENERATED: dict[object, dict[Path, bytes]] = {}  # contents of a project before `generate` → after it


@dataclass
class Project:
    """Specs and implementations in a folder; `generate` writes the package `generated`."""

    root: Path
    env: dict[str, str] = field(default_factory=dict)

    @classmethod
    def create(cls, folder: Path, *, output: str = "", implementations: str = "tools") -> Self:
        """Return a project with settings, a package for implementations and a cache of its own."""
        made = cls(folder, {CACHE: str(folder / CACHE_FOLDER)})
        settings = f'implementations = "{implementations}"\nserver.version = "1.0.0"\n'
        made.write("toolgen.toml", settings + (f'output = "{output}"\n' if output else ""))
        made.write(f"{implementations}/__init__.py", "")
        return made

    def write(self, path: str, text: str) -> Path:
        """Write a dedented text to a file."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text).lstrip("\n"))
        return file

    def add_tool(self, name: str, spec: str, implementation: str | None = None) -> None:
        """Write a spec, and its implementation if there is one."""
        self.write(f"specs/{name}.yaml", spec)
        if implementation is not None:
            self.write(f"tools/{name}.py", implementation)

    def add_plain_tool(
        self, name: str, body: str, *, before: str = "", more: str = "", properties: str = ""
    ) -> None:
        """Add a tool whose class has the methods `body`.

        `before` is code of its module, `more` are further fields of its spec, `properties` those of its request.
        """
        cls = "".join(word.capitalize() for word in name.split("_"))
        body = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
        tool = PLAIN_TOOL.format(name=name, cls=cls, body=body, before=before)
        self.add_tool(name, PLAIN_SPEC.format(name=name, properties=properties, more=more), tool)

    def write_tokens(self, **scopes: list[str]) -> str:
        """Write a file with the token of each principal and its scopes; return its path."""
        text = ""
        for name, granted in scopes.items():
            digest = hashlib.sha256(token_of(name).encode()).hexdigest()
            text += f'[[tokens]]\nprincipal = "{name}"\nscopes = {granted}\nsha256 = "{digest}"\n'
        file = self.write("tokens.toml", text)
        file.chmod(0o600)
        return str(file)

    def toolgen(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run a toolgen command in the project's folder.

        The command runs in this process, which is faster, unless it runs the project's code or looks for programs
        or modules in other places.
        """
        wanted = self.environment(env)
        elsewhere = any(wanted.get(name) != os.environ.get(name) for name in ("PATH", "PYTHONPATH"))
        if words[0] not in RUN_NOTHING or "--implementations" in words or elsewhere:
            return self.python("-m", "toolgen", *words, **env)
        return self._in_process(words, wanted)

    def _in_process(self, words: tuple[str, ...], env: dict[str, str]) -> subprocess.CompletedProcess[str]:
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        with (
            mock.patch.dict(os.environ, env, clear=True),
            chdir(self.root),
            Path(os.devnull).open() as nothing,
            mock.patch.object(sys, "stdin", nothing),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            code = main(words)
        texts = (stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined]
        return subprocess.CompletedProcess(["toolgen", *words], code, *texts)

    def python(self, *words: str, preloaded: bool = True, **env: str) -> subprocess.CompletedProcess[str]:
        """Run Python in the project's folder.

        With libraries imported already, unless others are on PYTHONPATH or it is not to be `preloaded`.
        """
        wanted = self.environment(env)
        command = python_command(wanted) if preloaded and "PYTHONPATH" not in env else [sys.executable]
        return subprocess.run(
            [*command, *words],
            cwd=self.root,
            env=wanted,
            capture_output=True,
            text=True,
            timeout=120,
            stdin=subprocess.DEVNULL,
            check=False,
        )

    def environment(self, more: Mapping[str, str]) -> dict[str, str]:
        """The environment of the project's processes."""
        return {**os.environ, **self.env, **more}

    def generate(self) -> None:
        """Generate the package, which must succeed.

        toolgen runs once for each set of files; other projects with the same files get copies of the output.
        """
        before = self._files()
        inputs = {path: data for path, data in before.items() if path.parts[0] != CACHE_FOLDER}
        key = (frozenset(inputs.items()), frozenset(self.env.items() - {(CACHE, self.env.get(CACHE))}))
        made = _GENERATED.get(key)
        if made is None:
            done = self.toolgen("generate")
            assert done.returncode == 0, done.stderr
            _GENERATED[key] = self._files()
            return
        for path in before.keys() - made.keys():
            (self.root / path).unlink()
        for path, data in made.items():
            if before.get(path) != data:
                file = self.root / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)

    def _files(self) -> dict[Path, bytes]:
        """Return the contents of the project's files, including toolgen's cache."""
        return {
            file.relative_to(self.root): file.read_bytes()
            for file in self.root.rglob("*")
            if file.is_file() and file.suffix not in (".pyc", ".log")
        }

    @asynccontextmanager
    async def stdio_client(self, era: str, *flags: str, **options: Any) -> AsyncIterator[Client]:
        """Connect to `python -m generated.mcp_server` over stdio. `options` are passed to the SDK's Client."""
        command, *words = python_command(self.environment({}))
        parameters = StdioServerParameters(
            command=command,
            args=[*words, "-m", "generated.mcp_server", *flags],
            env=self.environment({}),
            cwd=self.root,
        )
        async with asyncio.timeout(SECONDS), Client(parameters, mode=era, **options) as client:
            yield client

    @asynccontextmanager
    async def client(self, transport: str, era: str, *flags: str, **options: Any) -> AsyncIterator[Client]:
        """Connect to a server of this client only, over stdio or HTTP."""
        if transport == "stdio":
            async with self.stdio_client(era, *flags, **options) as client:
                yield client
            return
        async with self.server(*flags) as server, server.client(era, **options) as client:
            yield client

    @asynccontextmanager
    async def server(
        self,
        *flags: str,
        run: tuple[str, ...] = ("-m", "generated.mcp_server"),
        preloaded: bool = True,
        **env: str,
    ) -> AsyncIterator[HttpServer]:
        """Run `python -m generated.mcp_server --http --port 0`, or the command `run`; end it with SIGTERM.

        Its process id is that of the server only if it is not `preloaded`.
        """
        command = python_command(self.environment(env)) if preloaded else [sys.executable]
        with (self.root / "server.log").open("w+") as log:
            process = subprocess.Popen(
                [*command, *run, "--http", "--port", "0", *flags],
                cwd=self.root,
                env=self.environment(env),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
            )
            server = HttpServer(process, self.root / "server.log")
            try:
                await server.started()
                yield server
            finally:
                if process.poll() is None:
                    process.send_signal(signal.SIGTERM)
                try:
                    await asyncio.to_thread(process.wait, SECONDS)
                except subprocess.TimeoutExpired:
                    process.kill()
                    raise


@dataclass
class HttpServer:
    """A running HTTP server of a project."""

    process: subprocess.Popen[bytes]
    log_file: Path
    url: str = ""

    @property
    def log(self) -> str:
        """Return what the server has written to stderr."""
        return self.log_file.read_text()

    async def started(self) -> None:
        """Wait for the line with the server's URL."""
        async with asyncio.timeout(SECONDS):
            while (found := re.search(r"http://\S+/mcp", self.log)) is None:
                assert self.process.poll() is None, self.log
                await asyncio.sleep(0.02)
        self.url = found[0]

    @asynccontextmanager
    async def client(self, era: str, token: str = "", **options: Any) -> AsyncIterator[Client]:
        """Connect to this server. `options` are passed to the SDK's Client."""
        async with (
            asyncio.timeout(SECONDS),
            httpx2.AsyncClient(headers=bearer(token), timeout=SECONDS) as http,
        ):
            server = streamable_http_client(self.url, http_client=http) if token else self.url
            async with Client(server, mode=era, **options) as client:
                yield client


def token_of(principal: str) -> str:
    """Return the token of a principal in the file of `write_tokens`."""
    return f"{principal}-token-0123456789abcdef"


def bearer(token: str) -> dict[str, str]:
    """Return the headers of a request with a token."""
    return {"authorization": f"Bearer {token}"}


def text_of(result: Any) -> str:
    """Return the text of a tool result."""
    return "".join(block.text for block in result.content if block.type == "text")


def error_code(result: Any) -> str | None:
    """Return the error code of a tool result; None if the call succeeded."""
    return result.meta["toolgen/error"]["code"] if result.is_error else None
