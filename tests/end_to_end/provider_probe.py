"""A project whose tools return what they receive, and a module `probe` that calls them through each provider."""

from __future__ import annotations

import json
import textwrap
from typing import Any

from .project import Project

PROVIDERS = ("openai-chat", "openai-responses", "anthropic", "gemini", "bedrock")

REPORT = """
def note(self, word):
    with Path("lifecycle.log").open("a") as file:
        file.write(word + " ")

async def setup(self):
    self.note("setup")

async def close(self):
    self.note("close")

async def execute(self, request, context, *, tenant):
    await context.report_progress(1, 2, "half")
    return {"tenant": tenant, "principal": context.principal, "session": context.session_id}
"""
WIPE = 'async def execute(self, request, context): return f"wiped {request.disk}"'
COUNT = """
async def execute(self, request, context):
    context.extras["count"] = context.extras.get("count", 0) + 1
    return context.extras["count"]
"""
LINES = """
async def execute(self, request, context):
    yield "one"
    yield "two"
"""

PROBE = """
import asyncio, json
from collections import namedtuple
from pathlib import Path
from generated import anthropic_tools, bedrock_tools, catalog, gemini_tools, openai_tools

Provider = namedtuple("Provider", "module execute answer stream call text")

def chat(name, arguments, id="c"):
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": id, "type": "function", "function": function}

def item(name, arguments, id="c", **more):
    text = json.dumps(arguments)
    return {"type": "function_call", "call_id": id, "name": name, "arguments": text, **more}

def block(name, arguments, id="c", **more):
    return {"type": "tool_use", "id": id, "name": name, "input": arguments, **more}

def part(name, arguments, id="c"):
    return {"function_call": {"id": id, "name": name, "args": arguments}}

def use(name, arguments, id="c"):
    return {"toolUse": {"toolUseId": id, "name": name, "input": arguments}}

def of(module, kind, call, text):
    names = [f"{verb}_{kind}" for verb in ("execute", "answer", "stream")]
    return Provider(module, *(getattr(module, name) for name in names), call, text)

def gemini_text(message):
    told = message["function_response"]["response"]
    if "error" in told:
        return told["error"]
    return told["output"] if isinstance(told["output"], str) else json.dumps(told["output"])

ALL = {
    "openai-chat": of(openai_tools, "tool_call", chat, lambda message: message["content"]),
    "openai-responses": of(openai_tools, "tool_call", item, lambda message: message["output"]),
    "anthropic": of(anthropic_tools, "tool_use", block, lambda message: message["content"]),
    "gemini": of(gemini_tools, "function_call", part, gemini_text),
    "bedrock": of(bedrock_tools, "tool_use", use, lambda message: message["toolResult"]["content"][0]["text"]),
}

OPTIONS = {"context": {"tenant": "acme"}, "scopes": frozenset({"orders:write"})}

async def call_all():
    return [p.text(await p.execute(p.call("report", {}), **OPTIONS)) for p in ALL.values()]
"""


def add_tools(project: Project) -> None:
    """Add the tools and the module `probe`, and generate."""
    more = "inject: [{name: tenant, type: str}]\nauth: {scopes: [orders:write]}"
    project.add_plain_tool("report", REPORT, before="from pathlib import Path", more=more)
    add_wipe(project, "two_step")
    project.add_plain_tool("count", COUNT)
    project.add_plain_tool("lines", LINES, more="stream: {chunk_schema: {type: string}}")
    project.write("probe.py", PROBE)
    project.generate()


def add_wipe(project: Project, on_unsupported: str) -> None:
    """Add a tool that is confirmed."""
    more = f'confirm: {{message: "Wipe {{disk}}?", on_unsupported: {on_unsupported}}}'
    project.add_plain_tool("wipe", WIPE, more=more, properties="disk: {type: string}")


def run(project: Project, body: str, **env: str) -> Any:
    """Run `body` in an `async def main()` of the project; return its result."""
    indented = "\n".join(f"    {line}" for line in body.strip("\n").splitlines())
    code = (
        "from probe import *\n"
        f"async def main():\n{indented}\n"
        "print('RESULT', json.dumps(asyncio.run(main())))\n"
    )
    done = project.python("-c", code, **env)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.rpartition("RESULT ")[2])


_RESULTS: dict[tuple[str, str], dict[str, tuple[Any, str | None]]] = {}
EACH = """
import traceback
async def one(p):
%s
found = {}
for name, provider in ALL.items():
    try:
        found[name] = [await one(provider), None]
    except Exception:
        found[name] = [None, traceback.format_exc()]
    await provider.module.close()
return found
"""


def run_each(project: Project, body: str, provider: str) -> Any:
    """Return what `body` returns for a provider, which it knows as `p`.

    One process runs it for all providers, each with its own toolkit; tests of the other providers use the results.
    """
    key = (body, (project.root / "tools/echo.py").read_text())
    if key not in _RESULTS:
        _RESULTS[key] = run(project, EACH % textwrap.indent(body.strip("\n"), "    "))
    result, fault = _RESULTS[key][provider]
    assert fault is None, fault
    return result
