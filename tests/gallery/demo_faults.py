"""Run the demo with faults: in what its tools answer, ask and log, one fault a run.

`python -m tests.gallery.demo_faults 200 --seed 1` makes 200 random faults, `--named` those of `NAMED`, or the first so
many with a number. It prints a JSON list of `{"fault": …, "code": …, "changed": …, "output": …}`, first a run without a fault.

Modules are imported once and each run is a fork, with the server in the same process. Everything that tools
return passes `Boundary.enter` on its way into the demo; a fault changes one of these values. `changed` says whether
the masked output differs from that without a fault; the demo's own comparison is not used for it.
"""

from __future__ import annotations

import argparse
import importlib
import json
import logging
import os
import random
import re
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from mcp import Client
from mcp_types import CallToolResult, ListToolsResult
from toolgen.runtime import Confirmation, ToolConfig, ToolError, ToolEvent, Toolkit, ToolResponse

from examples.demo import __main__ as demo
from examples.demo import seed_001_shared_tools as seed_001
from examples.demo import seed_002_base_tool_architecture as seed_002
from examples.demo import seed_003_spec_driven_tools as seed_003
from examples.demo import seed_004_tool_interface as seed_004
from examples.demo import shop
from examples.demo.narration import ROOT
from examples.tools import context
from generated import bedrock_tools, catalog, mcp_server
from generated.tools.sql_query import SqlQueryTool
from tests.preloaded.forking import postpone_grammars
from tests.scopes import granting

AT_ONCE: Final = 2
PROCESSES: dict[
    bool, subprocess.CompletedProcess[str]
] = {}  # `generate` of this project, and of a wrong spec
LEVELS: Final = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR)


@dataclass(frozen=True)
class Named:
    """The text `old` becomes `new` in all values of a kind."""

    kind: str
    old: str
    new: str


NAMED: Final = {
    "another total in the question": Named("question", "Total: 737.60 EUR", "Total: 0.01 EUR"),
    "a failure is logged as a success": Named("record", "failed: no_search_terms", "finished"),
    "another file in the question": Named("confirmation", "letters/kite.txt", "letters/kitten.txt"),
    "MCP has another description": Named("schemas", "library of handbooks", "library of films"),
    "a provider has other types": Named("functions", '"type": "integer"', '"type": "null"'),
    "another author": Named("answer", "Marco Bellini", "Ada Lovelace"),
    "another number in the chart": Named("answer", '"in_stock": 41', '"in_stock": 14'),
    "another row of the database": Named("answer", '"LGT-FR80", 7', '"LGT-FR80", 17'),
    "one of 22 refusals has other words": Named("answer", "Invalid arguments for write", "No write today"),
    "generate fails": Named("process", '"returncode": 0', '"returncode": 1'),
}


@dataclass
class Boundary:
    """What enters the demo, in order; `fault` is put into one value."""

    fault: Fault | None = None
    kinds: list[str] = field(default_factory=list)

    def enter(self, kind: str, value: Any) -> Any:
        """Return the value, or the one that the fault makes of it."""
        self.kinds.append(kind)
        return value if self.fault is None else self.fault.applied(kind, value, len(self.kinds) - 1)


class Fault:
    """A change of one value that enters the demo."""

    def applied(self, kind: str, value: Any, place: int) -> Any:
        """Return `value`, the one at `place`, or what the fault makes of it."""
        raise NotImplementedError


@dataclass
class NamedFault(Fault):
    """A fault of `NAMED`."""

    name: str

    def applied(self, kind: str, value: Any, place: int) -> Any:
        fault = NAMED[self.name]
        if kind != fault.kind:
            return value
        return json.loads(json.dumps(value, ensure_ascii=False).replace(fault.old, fault.new))


@dataclass
class Mutation(Fault):
    """A random change of the value at a place; the same seed makes the same."""

    place: int
    seed: str

    def applied(self, kind: str, value: Any, place: int) -> Any:
        return mutated(value, random.Random(self.seed)) if place == self.place else value


def mutated(value: Any, chance: random.Random) -> Any:
    """Return a copy of a value with one change: of a leaf, or of the members of a list or an object."""
    value = deepcopy(value)
    holder = [value]
    places = [place for place in _places(holder) if _changes(place[0][place[1]])]
    parent, key = chance.choice(places)
    parent[key] = chance.choice(_changes(parent[key]))(parent[key], chance)
    return holder[0]


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each place below `value`: its parent and its key."""
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


def _digit(text: str, chance: random.Random) -> str:
    number = chance.choice([place for place, sign in enumerate(text) if sign.isdigit()])
    other = chance.choice([digit for digit in "0123456789" if digit != text[number]])
    return f"{text[:number]}{other}{text[number + 1 :]}"


def _word(text: str, chance: random.Random) -> str:
    found = chance.choice(list(re.finditer(r"\w+", text)))
    return f"{text[: found.start()]}{found[0][::-1]}x{text[found.end() :]}"


def _without_word(text: str, chance: random.Random) -> str:
    found = chance.choice(list(re.finditer(r"\w+", text)))
    return f"{text[: found.start()]}{text[found.end() :]}"


def _letter(text: str, chance: random.Random) -> str:
    place = chance.randrange(len(text))
    return f"{text[:place]}{chr(ord(text[place]) ^ 1)}{text[place + 1 :]}"


def _byte(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


def _without(items: Any, chance: random.Random) -> Any:
    dropped = chance.choice(list(items) if isinstance(items, dict) else range(len(items)))
    if isinstance(items, dict):
        return {key: item for key, item in items.items() if key != dropped}
    return [item for place, item in enumerate(items) if place != dropped]


def _swapped(items: Any, chance: random.Random) -> Any:
    keys = list(items) if isinstance(items, dict) else range(len(items))
    pairs = [(a, b) for a in keys for b in keys if type(items[a]) is type(items[b]) and items[a] != items[b]]
    if pairs:
        first, second = chance.choice(pairs)
        items[first], items[second] = items[second], items[first]
    return items


def _changes(value: Any) -> list[Callable[[Any, random.Random], Any]]:
    """Return the ways to change a value."""
    match value:
        case bool():
            return [lambda value, chance: not value]
        case int() | float():
            return [lambda value, chance: value + chance.choice((-1, 1, 10))]
        case str():
            words: list[Callable[[Any, random.Random], Any]] = [_word, _without_word]
            found = words if re.search(r"\w", value) else []
            found = [*found, _letter] if value else found
            return [*found, _digit, _digit] if re.search("[0-9]", value) else found
        case bytes():
            return [_byte] if value else []
        case list() | dict() if len(value) > 1:
            return [_without, _swapped]
    return []


def install(boundary: Boundary) -> None:
    """Let everything that enters the demo pass `boundary`."""
    _install_mcp(boundary)
    _install_calls(boundary)
    _install_questions(boundary)
    _install_observers(boundary)


def put(owner: Any, name: str, value: Any) -> None:
    """Replace an attribute, for the rest of the process."""
    setattr(owner, name, value)


def _install_mcp(boundary: Boundary) -> None:
    call_tool, list_tools = Client.call_tool, Client.list_tools

    async def call(self: Client, name: str, arguments: Any, **options: Any) -> CallToolResult:
        hear = options.get("progress_callback")
        if hear is not None:

            async def heard(progress: float, total: float | None, message: str | None) -> None:
                await hear(*boundary.enter("progress", [progress, total, message]))

            options["progress_callback"] = heard
        result = await call_tool(self, name, arguments, **options)
        data = result.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return CallToolResult.model_validate(boundary.enter("answer", data))

    async def listed(self: Client) -> ListToolsResult:
        result = await list_tools(self)
        data = result.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return ListToolsResult.model_validate(boundary.enter("schemas", data))

    @asynccontextmanager
    async def opened(folder: Path) -> AsyncIterator[shop.Shop]:
        user = shop.User()
        served = catalog.toolkit(context=context(folder), config=granting())
        served.__dict__["is_served"] = True
        async with Client(mcp_server.build_server(served), elicitation_callback=user.answer) as client:
            yield shop.Shop(client, user, folder)

    functions = seed_001.functions
    put(seed_001, "functions", lambda tools: boundary.enter("functions", deepcopy(functions(tools))))
    put(Client, "call_tool", call)
    put(Client, "list_tools", listed)
    put(shop, "opened", opened)


def _install_calls(boundary: Boundary) -> None:
    call_tool = Toolkit.call

    async def call(self: Toolkit, name: str, arguments: Any, **options: Any) -> ToolResponse:
        response = await call_tool(self, name, arguments, **options)
        if "is_served" in self.__dict__:
            return response  # the server's own call
        seen = {key: value for key, value in vars(response).items() if key in ("content", "final_answer")}
        seen["metadata"] = dict(response.metadata)
        error = response.error
        if error is not None:
            seen["error"] = {"code": error.code, "message": error.message, "hint": error.hint}
        changed = boundary.enter("response", seen)
        if "error" in changed and error is not None:
            vars(error).update(changed.pop("error"))
        if changed.get("content") != response.content:
            changed["text"] = None  # it is the text of the other content
        return replace(response, **changed)

    def provider(function: Any) -> Any:
        async def execute(*arguments: Any, **options: Any) -> Any:
            return boundary.enter("message", await function(*arguments, **options))

        return execute

    for module, name in (
        (seed_001, "execute_tool_call"),
        (seed_001, "execute_tool_use"),
        (seed_001, "execute_function_call"),
        (bedrock_tools, "execute_tool_use"),
    ):
        put(module, name, provider(getattr(module, name)))
    put(Toolkit, "call", call)
    check_inputs = SqlQueryTool.check_inputs

    def checked(arguments: Any) -> Any:
        try:
            return check_inputs(arguments).model_copy(
                update=boundary.enter("request", check_inputs(arguments).model_dump())
            )
        except ToolError as error:
            error.message = boundary.enter("fault", error.message)
            raise

    put(SqlQueryTool, "check_inputs", staticmethod(checked))


def _install_questions(boundary: Boundary) -> None:
    answer, agree = shop.User.answer, seed_002.agree

    async def asked(self: shop.User, context: Any, params: Any) -> Any:
        message = boundary.enter("question", params.message)
        return await answer(self, context, params.model_copy(update={"message": message}))

    async def confirmed(confirmation: Confirmation) -> bool:
        message = boundary.enter("confirmation", confirmation.message)
        return await agree(replace(confirmation, message=message))

    put(shop.User, "answer", asked)
    put(seed_002, "agree", confirmed)


def _install_observers(boundary: Boundary) -> None:
    emit = shop.Log.emit

    def emitted(self: shop.Log, record: logging.LogRecord) -> None:
        seen = {"level": LEVELS.index(record.levelno), "text": record.getMessage()}
        changed = boundary.enter("record", seen)
        record.levelno = LEVELS[changed.get("level", 0) % len(LEVELS)]
        record.levelname = logging.getLevelName(record.levelno)
        record.msg, record.args = changed.get("text", ""), None
        emit(self, record)

    def config(callback: Any = None, **options: Any) -> ToolConfig:
        def notice(event: ToolEvent) -> None:
            changed = boundary.enter("event", {"kind": event.kind, "call_id": event.call_id})
            callback(replace(event, kind=changed.get("kind", ""), call_id=changed.get("call_id", "")))

        return ToolConfig(callback=notice, **options)

    def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        made = PROCESSES["-C" in command]
        seen = {"returncode": made.returncode, "stdout": made.stdout, "stderr": made.stderr}
        changed = boundary.enter("process", seen)
        return subprocess.CompletedProcess(command, **{"returncode": 0, "stdout": "", "stderr": ""} | changed)

    put(shop.Log, "emit", emitted)
    put(seed_004, "ToolConfig", config)
    for module in (demo, seed_003):
        put(module, "subprocess", SimpleNamespace(run=run))


def run_processes() -> None:
    """Run the commands of the demo once, for all forks."""
    command = [sys.executable, "-m", "toolgen"]
    options: dict[str, Any] = {"capture_output": True, "text": True, "check": False}
    PROCESSES[False] = subprocess.run([*command, "generate"], cwd=ROOT, **options)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "specs").mkdir()
        (Path(folder) / "specs" / "greet.yaml").write_text(seed_003.WRONG_SPEC)
        (Path(folder) / "toolgen.toml").write_text('specs = "specs"\noutput = "generated"\n')
        PROCESSES[True] = subprocess.run([*command, "-C", folder, "generate"], **options)


@dataclass
class Run:
    """A run of the demo in a fork; `file` has what it prints."""

    name: str
    fault: Fault | None
    file: Path
    code: int = -1

    def start(self) -> int:
        """Fork; return the process id of the run."""
        if pid := os.fork():
            return pid
        code = 70
        try:
            output = os.open(self.file, os.O_WRONLY | os.O_CREAT)
            os.dup2(output, 1)
            os.dup2(output, 2)
            boundary = Boundary(self.fault)
            install(boundary)
            before = set(sys.modules)
            code = demo.main([])
            new = [
                name
                for name in sys.modules.keys() - before
                if getattr(sys.modules[name].__spec__, "name", "") == name
            ]
            seen = {"kinds": boundary.kinds, "modules": sorted(new)}
            self.file.with_suffix(".json").write_text(json.dumps(seen))
        except BaseException:  # the fork must not continue with its parent's code
            traceback.print_exc()
            code = 1  # as of a process that ends in an exception
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def output(self) -> str:
        """Return what was printed."""
        return self.file.read_text(encoding="utf-8", errors="replace")


def run_all(runs: list[Run]) -> None:
    """Run all, a few at a time; set their exit codes."""
    running: dict[int, Run] = {}
    waiting = iter(runs)
    while True:
        while len(running) < AT_ONCE and (run := next(waiting, None)) is not None:
            running[run.start()] = run
        if not running:
            return
        pid, status = os.wait()
        running.pop(pid).code = os.waitstatus_to_exitcode(status)


def mutations(kinds: list[str], number: int, seed: str) -> Iterator[tuple[str, Mutation]]:
    """Yield mutations by name: at any place, and for every other one, at a place of any kind."""
    chance = random.Random(seed)
    for each in range(number):
        kind = chance.choice(sorted(set(kinds)))
        places = [place for place, found in enumerate(kinds) if each % 2 or found == kind]
        place = chance.choice(places)
        yield f"{seed}/{each} {kinds[place]} {place}", Mutation(place, f"{seed}/{each}")


def masked(output: str) -> str:
    """Return the output without times and with call ids numbered; without the sentence about its golden."""
    output = re.sub(r"\d\.\d\d\d s\b", "<time>", output.partition("\n\n\nAll ")[0])
    ids = list(dict.fromkeys(re.findall(r"\b[0-9a-f]{16}\b", output)))
    for number, call_id in enumerate(ids):
        output = output.replace(call_id, f"<call {number}>")
    return output


def main() -> int:
    """Run the demo without a fault, and with each that is asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("number", type=int)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--named", type=int, nargs="?", const=len(NAMED), default=0)
    asked = parser.parse_args()
    warnings.simplefilter("ignore", DeprecationWarning)  # forks of a process with threads
    postpone_grammars()
    importlib.import_module("jsonschema")  # which all runs import
    run_processes()
    with tempfile.TemporaryDirectory() as folder:
        first = Run("none", None, Path(folder, "none.txt"))
        run_all([first])
        seen = json.loads(first.file.with_suffix(".json").read_text())
        for name in seen["modules"]:  # once, for all forks
            importlib.import_module(name)
        faults: list[tuple[str, Fault]] = [(name, NamedFault(name)) for name in list(NAMED)[: asked.named]]
        faults += mutations(seen["kinds"], asked.number, asked.seed)
        runs = [Run(name, fault, Path(folder, f"{n}.txt")) for n, (name, fault) in enumerate(faults)]
        run_all(runs)
        expected = masked(first.output())
        found = [
            {
                "fault": run.name,
                "code": run.code,
                "changed": masked(run.output()) != expected,
                "output": run.output(),
            }
            for run in [first, *runs]
        ]
    json.dump(found, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
