"""Hostile text in what commands show: it may not control a terminal, hide, or command a CI service."""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Callable
from itertools import cycle
from typing import Any, Final

from tools.fuzz.findings import Deadline, Finding, Tally
from tools.fuzz.project import Project, project
from tools.fuzz.strings import PIECES, fresh
from tools.fuzz.workers import Workers

PART = "terminal"
_LONGEST: Final = 60  # bytes of a file's name
_OF_TOOLGEN: Final = re.compile(r"\x1b\[(?:1;3[134]|1|36|0)m|\r\x1b\[K")  # colours of diagnostics, progress
_EMOJI: Final = "[\u2600-\u27bf\U0001f000-\U0001faff]"
_OF_EMOJI: Final = re.compile(f"(?<={_EMOJI})[\ufe0e\ufe0f]?(?:\u200d(?={_EMOJI}))?")
_FORBIDDEN: Final = re.compile(
    "[\u0334-\u0338\u034f\u0488\u0489\u115f\u1160\u180b-\u180d\u20d2\u20d3\u20dd-\u20e0\u20e2-\u20e4\u2800\u3164"
    "\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]|^\\s*::|##(?:\\[|vso\\[|teamcity\\[)",
    re.MULTILINE,
)
_COMMANDS: Final = (
    "\n::error::x",
    "\r\n  ::add-mask::x",
    "\n##[group]x",
    "\n##vso[x]",
)
_MARKS: Final = (
    "\u0336",
    "\u0338x",
    "\u20dd",
    "\u0301" * 9,
    "x\ufe0f",
    "\ufe0e",
    "\U000e0041",
    "\U000e0100",
    "\u200d",
)
_SERVER: Final = """
import json, sys
TEXT = json.loads(sys.argv[1])
for line in sys.stdin:
    request = json.loads(line)
    if request.get("method") == "initialize":
        result = {"protocolVersion": request["params"]["protocolVersion"], "capabilities": {"tools": {}},
                  "serverInfo": {"name": TEXT, "version": "1"}}
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
    elif "id" in request:
        error = {"code": -32099, "message": TEXT}
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": error}), flush=True)
"""


def faults(shown: str) -> list[str]:
    """Return what a terminal or a CI service would act on, or what a reader would not see."""
    text = _OF_EMOJI.sub("", _OF_TOOLGEN.sub("", shown.replace("\r\n", "\n")))
    raw = {ascii(char) for char in text if not char.isprintable() and char not in "\n\t"}
    return sorted(raw | set(map(ascii, _FORBIDDEN.findall(text))))


def _spec(text: str, **more: Any) -> str:
    properties = {"x": {"type": "string", "description": text}}
    schema = {"type": "object", "additionalProperties": False, "properties": properties}
    example = {"name": text, "ask": text, "input": {"x": text}}
    spec = {"name": "a", "description": text, "input_schema": schema, "examples": [example]}
    return json.dumps({**spec, **more})


def _key(here: Project, text: str) -> list[str]:
    here.write("specs/a.yaml", _spec("x", **{text: 1}))
    return ["check"]


def _raw(here: Project, text: str) -> list[str]:
    (here.root / "specs" / "a.yaml").write_bytes(f"name: {text}\n".encode("utf-8", "surrogatepass"))
    return ["generate"]


def _file_name(here: Project, text: str) -> list[str]:
    name = text.replace("/", "").replace("\0", "").encode("utf-8", "replace")[:_LONGEST]
    here.write(f"specs/{name.decode('utf-8', 'ignore')}.yaml", "name: x\n")
    return ["check"]


def _configuration(here: Project, text: str) -> list[str]:
    key = json.dumps(text.encode("utf-8", "replace").decode())
    here.write("toolgen.toml", f"{key} = 1\n")
    return ["check"]


def _argument(here: Project, text: str) -> list[str]:
    return [text.replace("\0", "")]


def _explained(here: Project, text: str) -> list[str]:
    return ["explain", text]


def _exported(here: Project, text: str) -> list[str]:
    here.write("specs/a.yaml", _spec(text))
    return ["export", "mcp"]


def _diff(here: Project, text: str) -> list[str]:
    here.write("specs/a.yaml", _spec("x"))
    here.toolgen("generate")
    file = here.root / "generated" / "catalog.py"
    file.write_bytes(file.read_bytes() + f"\n# {text}\n".encode("utf-8", "surrogatepass"))
    return ["check"]


def _suite(here: Project, text: str) -> list[str]:
    here.write("specs/a.yaml", _spec("x"))
    here.toolgen("export", "evals")
    for file in (here.root / "evals").iterdir():
        file.write_bytes(text.encode("utf-8", "replace"))
    return ["export", "evals", "--check"]


def _break(here: Project, text: str) -> list[str]:
    here.write("specs/a.yaml", _spec("x", tags=[text]))
    schema = {"type": "object", "properties": {text: {"const": text}}, "required": [text]}
    here.write("old/a.yaml", _spec("x", output_schema=schema))
    return ["breaking", "--against", "old", "--level", "info"]


def _imported(here: Project, text: str) -> list[str]:
    schema = {"type": "object", text: text, "properties": {text: {"type": text}}}
    tool = {"name": f"n{text}", "title": text, "description": text, "inputSchema": schema}
    here.write("source.json", json.dumps({"tools": [tool, {**tool, "name": text}]}))
    return ["import", "mcp", "source.json"]


def _server_error(here: Project, text: str) -> list[str]:
    script = here.write("server.py", _SERVER)
    return ["call", "a", "--against", "--", sys.executable, "-I", "-S", str(script), json.dumps(text)]


PLACES: Final[dict[str, Callable[[Project, str], list[str]]]] = {
    "argument": _argument,
    "code": _explained,
    "configuration": _configuration,
    "difference": _break,
    "file name": _file_name,
    "generated file": _diff,
    "imported tool": _imported,
    "key of a spec": _key,
    "raw spec": _raw,
    "server error": _server_error,
    "suite": _suite,
    "values of a spec": _exported,
}
"""Where a text is put: a function that prepares a project, and returns the command that shows the text."""


def try_text(recipe: dict[str, str]) -> Tally:
    """Run a command that shows a text; also with `--format json`, where it has it."""
    tally = Tally()
    with project() as here:
        try:
            words = PLACES[recipe["place"]](here, recipe["text"])
        except (OSError, ValueError):  # no name of a file
            return tally
        ran = here.toolgen(*words)
        tally.counts["commands"] += 1
        tally.counts["commands that show a text"] += bool(ran.out or ran.err)
    found = faults(ran.out + ran.err)
    if ran.code not in (0, 1, 2):
        tally.findings.append(Finding(PART, f"exit {ran.code}", ascii(ran.err[-800:]), recipe))
    elif found:
        tally.findings.append(
            Finding(PART, "terminal", f"{words[0]!a} shows {', '.join(found)[:300]}", recipe)
        )
    return tally


def _minimized(finding: Finding) -> Finding:
    """Return the finding with the smallest part of its text that shows it."""
    place, text = finding.reproduction["place"], finding.reproduction["text"]
    for part in sorted({each for each in (*PIECES, *_COMMANDS, *_MARKS, *text) if each in text}, key=len):
        if smaller := try_text({"place": place, "text": part}).findings:
            return smaller[0]
    return finding


def texts(source: random.Random) -> str:
    """Return a hostile text: pieces of others, commands of CI services, marks, any characters."""
    parts = [fresh(source), source.choice(_COMMANDS), source.choice(_MARKS), chr(source.randrange(0x110000))]
    source.shuffle(parts)
    return "".join(parts[: source.randint(1, len(parts))])[:2_000]


def run(source: random.Random, deadline: Deadline, workers: Workers) -> Tally:
    """Try texts in every place until the deadline."""
    jobs = ({"place": place, "text": texts(source)} for place in cycle(PLACES))
    tally = workers.search(try_text, jobs, deadline, lambda found: (found.kind, found.reproduction["place"]))
    tally.findings = list(map(_minimized, tally.findings))
    return tally
