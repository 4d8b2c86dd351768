"""Compare a server with the generated server that has adopted it, by a real client, in both eras of MCP.

`python -m tests.adopt.comparing MODULE:SERVER [stdio]`, in the folder of the project; the calls are JSON on stdin:
`[[tool, arguments], …]`. Prints a `Comparison` as JSON. With `stdio`, both servers are processes.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.preloaded import python_command

ERAS = ("auto", "legacy")
Call = tuple[str, dict[str, Any]]


@dataclass(slots=True)
class Comparison:
    """What differs between a server and the generated one."""

    tools: list[str]  # of the original
    calls: int  # made in each era
    errors: int  # answers that are errors, in all eras
    blocks: dict[str, int]  # type of content → number of blocks in all answers
    listing: list[str] = field(default_factory=list)  # differences of `tools/list`
    answers: list[str] = field(default_factory=list)  # differences of answers
    requests: int = 0  # for resources, prompts and completions, in all eras
    features: list[str] = field(default_factory=list)  # differences of their answers

    @property
    def is_equal(self) -> bool:
        """True if nothing differs."""
        return not self.listing and not self.answers and not self.features


def compare(project: Path, server: str, calls: Sequence[Call], *options: str) -> Comparison:
    """Return how the two servers of a project differ, found in a process of its own."""
    done = python(project, "-m", "tests.adopt.comparing", server, *options, stdin=json.dumps(calls))
    assert done.returncode == 0, done.stderr
    return Comparison(**json.loads(done.stdout.splitlines()[-1]))  # modules may print


def toolgen(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command of toolgen in a process of its own, so that the project's modules are imported anew."""
    return python(
        project, "-c", f"{WITH_TEMPLATES}; from toolgen.cli import main; raise SystemExit(main())", *words
    )


def python(
    project: Path, *words: str, stdin: str | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run Python in a project, with toolgen and its tests."""
    environment = {**os.environ, **variables, "PYTHONPATH": python_path()}
    return subprocess.run(
        [*python_command(environment), *words],
        cwd=project, input=stdin, capture_output=True, text=True, check=False, env=environment,
    )  # fmt: skip


def python_path() -> str:
    """Return the folders of toolgen and its tests."""
    return os.pathsep.join([str(_ROOT), str(_ROOT / "generator")])


_ROOT = Path(__file__).parents[2]
WITH_TEMPLATES = f"import toolgen; toolgen.__path__.append({str(_ROOT)!r})"
"""The package of templates is mapped when toolgen is installed, which it is not beside FastMCP."""


def main(server: str, *options: str) -> None:
    """Compare, and print the result."""
    logging.disable(logging.CRITICAL)
    sys.path.insert(0, ".")
    del sys.argv[1:]
    open_original, open_adopted = _processes(server) if options else _objects(server)
    calls: list[Call] = [(name, arguments) for name, arguments in json.load(sys.stdin)]
    result = Comparison([], len(calls), 0, {})
    for era in ERAS:
        before = asyncio.run(_record(open_original(), calls, era))
        after = asyncio.run(_record(open_adopted(), calls, era))
        result.tools = list(before.tools)
        result.listing += [f"{era}: {each}" for each in _differences(before.tools, after.tools)]
        for (name, arguments), old, new in zip(calls, before.answers, after.answers, strict=True):
            result.errors += old["isError"]
            for block in old["content"]:
                result.blocks[block["type"]] = result.blocks.get(block["type"], 0) + 1
            if old != new:
                written = f"{name} {json.dumps(arguments)}\n- {json.dumps(old)}\n+ {json.dumps(new)}"
                result.answers.append(f"{era}: {written}")
        result.requests += len(before.features)
        result.features += [
            f"{era}: {each}" for each in _feature_differences(before.features, after.features)
        ]
    print(json.dumps(asdict(result)))


def _objects(server: str) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Return functions that give both servers as objects of this process."""
    module, _, path = server.partition(":")
    original = import_module(module)
    for part in path.split("."):
        original = getattr(original, part)
    return lambda: getattr(original, "_mcp_server", original), import_module(
        "generated.mcp_server"
    ).build_server


def _processes(server: str) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Return functions that start both servers as commands over stdio."""
    from mcp.client.stdio import StdioServerParameters, stdio_client

    def start(*words: str) -> Any:
        return stdio_client(
            StdioServerParameters(command=sys.executable, args=[*words], env=dict(os.environ))
        )

    module, _, path = server.partition(":")
    run = f"import {module}; {module}.{path}.run()"
    return lambda: start("-c", run), lambda: start("-m", "generated.mcp_server")


@dataclass(slots=True)
class _Recording:
    tools: dict[str, dict[str, Any]]
    answers: list[dict[str, Any]]
    features: dict[str, Any]  # request → answer


async def _record(server: Any, calls: Sequence[Call], era: str) -> _Recording:
    from mcp.client import Client
    from mcp_types import ElicitResult

    async def agree(context: Any, params: Any) -> Any:
        """Answer a question of the server: `"a"` for each text, 7 for each number."""
        properties = params.requested_schema["properties"]
        content = {name: 7 if each.get("type") == "integer" else "a" for name, each in properties.items()}
        return ElicitResult(action="accept", content=content)

    heard: list[str] = []

    async def hear(message: Any) -> None:
        """Note what changes, as clients up to 2025-11-25 hear it."""
        if (method := getattr(message, "method", "")).startswith(
            ("notifications/resources", "notifications/prompts")
        ):
            heard.append(f"{method} {getattr(message.params, 'uri', '')}".strip())

    async with Client(server, mode=era, elicitation_callback=agree, message_handler=hear) as client:  # type: ignore[arg-type]
        listed = await client.list_tools()
        answers = [await _call(client, name, arguments) for name, arguments in calls]
        features = await _features(client)
    features["notifications"] = heard
    return _Recording({tool.name: _tool(tool) for tool in listed.tools}, answers, features)


async def _features(client: Any) -> dict[str, Any]:
    """Return what a server answers for its resources, prompts and completions, by the request."""
    import mcp_types as types

    announced = client.server_capabilities
    found: dict[str, Any] = {
        key: getattr(announced, key) is not None  # changes are not announced
        for key in ("resources", "prompts", "completions")
    }

    async def ask(method: str, *arguments: Any) -> Any:
        try:
            answer = _answer(await getattr(client, method)(*arguments))
        except Exception as error:
            error = getattr(error, "error", error)
            answer = {key: getattr(error, key, None) for key in ("code", "message", "data")}
            answer["raised"] = type(error).__name__
        shown = [each if isinstance(each, str | dict) else each.model_dump() for each in arguments]
        found[f"{method} {json.dumps(shown)}"] = answer
        return answer

    async def pages(method: str, key: str) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = []
        page = await ask(method)
        while True:
            listed += page.get(key, [])
            if not page.get("nextCursor"):
                return listed
            page = await ask(method, page["nextCursor"])

    resources = await pages("list_resources", "resources") if announced.resources else []
    templates = await pages("list_resource_templates", "resourceTemplates") if announced.resources else []
    prompts = await pages("list_prompts", "prompts") if announced.prompts else []
    uris = [each["uri"] for each in resources]
    for template in templates:
        uris += [_filled(template["uriTemplate"], word) for word in ("a", "1", "sprint", "Dune", "é b")]
        for variable in _VARIABLES.findall(template["uriTemplate"]):
            for value in ("", "p"):
                reference = types.ResourceTemplateReference(uri=template["uriTemplate"])
                await ask("complete", reference, {"name": variable, "value": value})
    for uri in [*uris, *(["nowhere://x", "no uri"] if uris else [])]:
        await ask("read_resource", uri)
    for prompt in prompts:
        arguments = prompt.get("arguments", [])
        names = [each["name"] for each in arguments]
        await ask("get_prompt", prompt["name"], dict.fromkeys(names, "two words"))
        required = {each["name"]: "é" for each in arguments if each.get("required")}
        await ask("get_prompt", prompt["name"], required)
        await ask("get_prompt", prompt["name"])
        for name in names:
            for value in ("", "p"):
                reference = types.PromptReference(name=prompt["name"])
                await ask("complete", reference, {"name": name, "value": value})
    if prompts:
        await ask("get_prompt", "nowhere")
    return found


_VARIABLES = re.compile(r"[{][+#./;?&]?(\w+)")


def _filled(template: str, word: str) -> str:
    return re.sub(r"[{][^{}]*[}]", quote(word), template)


def _feature_differences(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """Yield what differs. A server may announce lists that are empty, and the adopted one does not.

    The adopted one announces completions of all prompts and templates, and completes nothing for a server
    that does not.
    """
    for request in {**before, **after}:
        old, new = before.get(request), after.get(request)
        # links to results are resources, too: the adopted server may announce them where the other has none
        if old == new or (_is_empty(request, before) and (not new or request == "resources")):
            continue
        if not before["completions"] and (request == "completions" or _completes_nothing(new)):
            continue
        yield f"{request}\n- {json.dumps(old)}\n+ {json.dumps(new)}"


def _completes_nothing(answer: Any) -> bool:
    return isinstance(answer, dict) and answer.get("completion", {}).get("values") == []


def _is_empty(request: str, before: dict[str, Any]) -> bool:
    kind = "prompts" if "prompts" in request else "resources"
    methods = (
        ("list_prompts []",) if kind == "prompts" else ("list_resources []", "list_resource_templates []")
    )
    listed = [before.get(method, {}) for method in methods]
    return not any(each.get(key) for each in listed for key in ("prompts", "resources", "resourceTemplates"))


async def _call(client: Any, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to a call, or the error of the protocol."""
    try:
        return _answer(await client.call_tool(name, arguments))
    except Exception as error:
        return {"raised": f"{type(error).__name__}: {error}", "isError": True, "content": []}


def _tool(tool: Any) -> dict[str, Any]:
    """Return a tool as JSON, without what FastMCP says of it for its own client."""
    written: dict[str, Any] = tool.model_dump(mode="json", by_alias=True, exclude_none=True)
    meta = {key: value for key, value in written.pop("_meta", {}).items() if key != "fastmcp"}
    return written | ({"_meta": meta} if meta else {})


def _answer(result: Any) -> dict[str, Any]:
    """Return an answer as JSON, without the server's name and the code of an error."""
    written: dict[str, Any] = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    hidden = ("io.modelcontextprotocol/serverInfo", "toolgen/error")
    meta = {key: value for key, value in written.pop("_meta", {}).items() if key not in hidden}
    return written | ({"_meta": meta} if meta else {})


def _differences(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    if sorted(before) != list(after):  # toolgen lists by name
        yield f"the names: {list(before)}, {list(after)}"
    for name in before.keys() & after.keys():
        old, new = before[name], after[name]
        for key in sorted(old.keys() | new.keys()):
            if old.get(key) != new.get(key):
                yield f"{name}.{key}\n- {json.dumps(old.get(key))}\n+ {json.dumps(new.get(key))}"


if __name__ == "__main__":
    main(*sys.argv[1:])
