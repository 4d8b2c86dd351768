"""Links, pipes, devices and huge files in a project: no command reads or writes anything outside."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from itertools import count, islice
from pathlib import Path
from typing import Any

from tests.bombs.limited_process import ADDRESSES, MEGABYTES, Done
from tools.fuzz.findings import Deadline, Finding, Tally
from tools.fuzz.planted import plant
from tools.fuzz.project import FOREIGN, Project
from tools.fuzz.workers import Workers

_ROOT = Path(__file__).parents[2]
PART = "links"
_SECONDS = 20.0  # of processor time for a command
_PATIENCE = 90.0  # of wall time, on a busy machine: longer is a hang
_BATCH = 25  # situations in one process
_HUGE = 2**40  # bytes of a sparse file
_SPEC = """
name: echo
description: Return the text.
input_schema: {type: object, properties: {text: {$ref: "shared/texts.yaml#/$defs/text"}}}
output_schema: {type: object, properties: {text: {type: string}}}
annotations: {readOnlyHint: true}
examples:
- {name: one, ask: Echo a., input: {text: a}, output: {text: a}}
"""
_TOOL = """
from generated.tools.echo import EchoResponse, EchoTool

class Echo(EchoTool):
    async def execute(self, request, context):
        return EchoResponse(text=request.text)
"""
_FILES = {
    "toolgen.toml": (
        'specs = "specs"\noutput = "generated"\nimplementations = "tools"\ntemplates = "templates"\n'
    ),
    "pyproject.toml": '[project]\nname = "x"\nversion = "1"\n',
    "breaking.toml": "",
    "specs/echo.yaml": _SPEC,
    "specs/shared/texts.yaml": "$defs: {text: {type: string, description: A text.}}\n",
    "tools/__init__.py": "",
    "tools/echo.py": _TOOL,
    "templates/own/target.yaml": "tool_name: ^.+$\n",
    "templates/own/list.txt.jinja": "A list.\n",
    "source.json": json.dumps({"tools": [{"name": "other", "inputSchema": {"type": "object"}}]}),
    "api.json": json.dumps(
        {
            "openapi": "3.1.0",
            "info": {"title": "x", "version": "1"},
            "servers": [{"url": "http://127.0.0.1:9"}],
            "paths": {"/a": {"get": {"operationId": "a", "responses": {"200": {"description": "x"}}}}},
        }
    ),
}
_GIVEN = ("source.json", "api.json")  # the user names them: they may be anywhere
_NEW = (
    "specs/added.yaml",
    "specs/added",
    "specs/other.yaml",
    "specs/second.yaml",
    "tools/second.py",
    "tools/a.py",
    "tests",
    "tests/test_second.py",
    "tests/test_echo.py",
    "generated/added.py",
    "generated/tools/added.py",
    "evals",
    "outcomes",
    "outcomes/echo.json",
    ".github",
    ".github/workflows",
    ".github/workflows/toolgen.yml",
    ".gitattributes",
    ".pre-commit-config.yaml",
    ".toolgen.schema.json",
    "specs/.toolgen.schema.json",
    "templates/own/added.jinja",
    "target.yaml",
    ".vscode",
)
_MADE = (
    "generated",
    "generated/__init__.py",
    "generated/catalog.py",
    "generated/definitions",
    "generated/definitions/echo.py",
    "generated/mcp_server.py",
    "generated/models",
    "generated/models/shared",
    "generated/tools",
    "generated/tools/echo.py",
    "generated/toolgen.manifest.json",
    "generated/list.txt",
    "evals/promptfooconfig.yaml",
    "evals/tests.json",
    "evals/tools.json",
    "conftest.py",
)
_VERBS = (
    "check",
    "check --format json",
    "check --no-diff",
    "generate",
    "generate --format json",
    "export mcp",
    "export openai-chat",
    "breaking --against HEAD",
    "breaking --against specs",
    "changelog HEAD",
    "evals",
    "evals --check",
    "init",
    "new second --description x --param a:string",
    "new echo",
    "new --all",
    "schema",
    "test",
    "test --update",
    "import mcp source.json --into specs",
    "import mcp source.json --into specs --sync",
    "import openapi api.json --into specs --implement",
    "import openapi api.json --into specs/api --sync",
    "check --implementations",
    "mock",
)
_FOLLOW_LINKS = ("test", "check --implementations", "new")
"""Commands that import the project's code, which Python does through links."""


def _outside(root: Path) -> Path:
    return root.parent / "outside"


def _copied_outside(root: Path, path: str) -> Path:
    """Copy what is at `path` to a place outside, with foreign words in every text; return that place."""
    place, away = root / path, _outside(root) / path.replace("/", "_")
    if place.is_dir():
        shutil.copytree(place, away, symlinks=True, copy_function=_copy)
    elif place.exists():
        shutil.copy2(place, away)
    else:
        away.write_text(f"{FOREIGN}\n")
    for file in [away] if away.is_file() else [*away.rglob("*")]:
        if not file.is_file() or file.stat().st_size == _HUGE:
            continue
        text = file.read_text(errors="replace")
        text = (
            text.replace("Return the text.", FOREIGN).replace("A text.", FOREIGN).replace("Echo a.", FOREIGN)
        )
        file.write_text(text if FOREIGN in text else f"# {FOREIGN}\n{text}")
    return away


def _copy(source: str, to: str) -> None:
    """Copy a file of a folder; what an earlier change has put there is made anew."""
    found = os.stat(source)
    if stat.S_ISFIFO(found.st_mode):
        os.mkfifo(to)
    elif found.st_size == _HUGE:
        _make_sparse(to)
    else:
        shutil.copy2(source, to)


def _make_sparse(place: str | Path) -> None:
    with open(place, "wb") as file:
        file.truncate(_HUGE)


def _remove(place: Path) -> None:
    shutil.rmtree(place) if place.is_dir() and not place.is_symlink() else place.unlink(missing_ok=True)


def _link(target: Callable[[Path, str], str | Path]) -> Callable[[Path, str], None]:
    def put(root: Path, path: str) -> None:
        to = target(root, path)
        _remove(root / path)
        (root / path).symlink_to(to)

    return put


def _with_pipe_outside(root: Path, path: str) -> Path:
    pipe = _outside(root) / "pipe"
    if not pipe.exists():
        os.mkfifo(pipe)
    return pipe


def _pipe(root: Path, path: str) -> None:
    _remove(root / path)
    os.mkfifo(root / path)


def _sparse(root: Path, path: str) -> None:
    _remove(root / path)
    _make_sparse(root / path)


def _folder(root: Path, path: str) -> None:
    _remove(root / path)
    (root / path).mkdir()


CHANGES: dict[str, Callable[[Path, str], None]] = {
    "link to a copy": _link(_copied_outside),
    "relative link to a copy": _link(
        lambda root, path: os.path.relpath(_copied_outside(root, path), (root / path).parent)
    ),
    "link to nothing": _link(lambda root, path: _outside(root) / f"new_{path.replace('/', '_')}"),
    "link to the folder outside": _link(lambda root, path: _outside(root)),
    "link to a secret": _link(lambda root, path: _outside(root) / "secret"),
    "link to the environment": _link(lambda root, path: "/proc/self/environ"),
    "link to a device": _link(lambda root, path: "/dev/zero"),
    "link to a terminal": _link(lambda root, path: "/dev/tty"),
    "link to a pipe": _link(_with_pipe_outside),
    "link to itself": _link(lambda root, path: Path(path).name),
    "link to the project": _link(lambda root, path: root),
    "pipe": _pipe,
    "sparse file": _sparse,
    "folder": _folder,
}
"""What may be in place of a file or folder: by name, the function that puts it there."""


@cache
def _template() -> Path:
    """Return a project with everything that commands write, made once for each process."""
    folder = Path(tempfile.mkdtemp(prefix="toolgen-fuzz-"))
    here = Project(folder / "project", folder / "cache")
    for path, text in _FILES.items():
        here.write(path, text)
    for words in (("generate",), ("evals",), ("test", "--update"), ("init",)):
        if (ran := here.toolgen(*words)).code not in (0, 1):
            raise RuntimeError(f"toolgen {words}: {ran.err}")
    git = ("git", "-c", "user.name=x", "-c", "user.email=x@localhost")
    for more in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "x")):
        subprocess.run([*git, *more], cwd=here.root, check=True, capture_output=True)
    return folder


PATHS = sorted(
    {
        *(each for each in (*_FILES, *_NEW) if each not in _GIVEN),
        *_MADE,
        "specs",
        "specs/shared",
        "tools",
        "templates",
        "templates/own",
    }
)
"""The files and folders that are replaced."""


def recipes(source: random.Random) -> Iterator[dict[str, Any]]:
    """Yield situations without end: mostly one change, sometimes several."""
    while True:
        count = source.choice((1, 1, 1, 2, 3))
        kinds = source.choice(
            (
                list(CHANGES),
                [each for each in CHANGES if each.startswith(("link to a ", "link to n", "link to the f"))],
            )
        )
        changes = [[path, source.choice(kinds)] for path in source.sample(PATHS, count)]
        yield {"changes": changes, "verb": source.choice(_VERBS)}


def try_recipe(recipe: dict[str, Any]) -> Tally:
    """Make the changes in a copy of the project, and run the command there, in a process with limits."""
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="toolgen-fuzz-") as name:
        folder = Path(name)
        root = folder / "project"
        shutil.copytree(_template() / "project", root, symlinks=True)
        _outside(root).mkdir()
        (_outside(root) / "secret").write_text(f"aws_secret_access_key = {FOREIGN}\n")
        for path, change in recipe["changes"]:
            parent = (root / path).parent
            if not any(
                each.is_symlink() or (each.exists() and not each.is_dir())
                for each in (parent, *parent.parents)
                if root in each.parents
            ):
                parent.mkdir(parents=True, exist_ok=True)
                CHANGES[change](root, path)
        before = _contents(_outside(root))
        done = _run(recipe["verb"].split(), root)
        tally.counts["commands"] += 1
        kind = None
        if before != _contents(_outside(root)):
            kind = "written"
        elif not recipe["verb"].startswith(_FOLLOW_LINKS) and FOREIGN in done.out + done.err + "".join(
            _contents(root).values()
        ):
            kind = "read"
        elif done.code < 0 and done.seconds < _SECONDS:
            kind = "hang"
        elif done.code not in (0, 1, 2):
            kind = f"exit {done.code}"
        elif done.megabytes > MEGABYTES:
            kind = "memory"
        if kind:
            figures = f"exit {done.code}, {done.seconds:.0f} s, {done.megabytes:.0f} MB"
            shown = f"{json.dumps(recipe)}: {figures}: {done.err[-600:]}"
            tally.findings.append(Finding(PART, kind, shown, recipe))
    return tally


def _run(words: list[str], root: Path) -> Done:
    """Run a command in a fork of this process, which has imported toolgen."""
    from toolgen.cli import main

    sys.stdout.flush()
    out, err = root.parent / "out", root.parent / "err"
    if (pid := os.fork()) == 0:
        try:
            os.setsid()  # with the processes that it starts
            os.chdir(root)
            os.environ["TOOLGEN_CACHE_DIR"] = str(root.parent / "cache")
            for number, place in ((1, out), (2, err)):
                os.dup2(os.open(place, os.O_WRONLY | os.O_CREAT), number)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            resource.setrlimit(resource.RLIMIT_CPU, (int(_SECONDS), int(_SECONDS) + 1))
            resource.setrlimit(resource.RLIMIT_FSIZE, (10**9, 10**9))
            resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
            code = main(words)
        except BaseException:
            traceback.print_exc()
            code = 99
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    until = time.monotonic() + _PATIENCE
    while not (ended := os.wait4(pid, os.WNOHANG))[0]:
        if time.monotonic() > until:
            os.killpg(pid, signal.SIGKILL)
        time.sleep(0.005)
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)  # processes that it has left
    usage = ended[2]
    said, complained = (file.read_text(errors="replace") if file.exists() else "" for file in (out, err))
    return Done(
        os.waitstatus_to_exitcode(ended[1]),
        said,
        complained,
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss / 1024,
    )


def try_recipes(recipes: list[dict[str, Any]]) -> Tally:
    """Try several situations in one process of its own, which has no threads and can be forked."""
    done = subprocess.run(
        [sys.executable, "-m", "tools.fuzz.links"],
        cwd=_ROOT,
        env={**os.environ, "TOOLGEN_FUZZ_SECRET": FOREIGN},  # in /proc/self/environ
        input=json.dumps(recipes),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-2_000:])
    tally = Tally()
    for line in done.stdout.splitlines():
        seen = json.loads(line)
        tally.counts.update(seen["counts"])
        tally.findings += [Finding(**each) for each in seen["findings"]]
    return tally


def _contents(folder: Path) -> dict[str, str]:
    """Return the texts of regular files below a folder, and the kinds of all else. No link is followed."""
    found = {}
    for top, folders, files in os.walk(folder):
        for name in (*folders, *files):
            place = Path(top, name)
            key = place.relative_to(folder).as_posix()
            if place.is_symlink():
                found[key] = "link"
            elif place.is_file() and place.stat().st_size < 10**7:
                found[key] = place.read_text(errors="replace")
            else:
                found[key] = "folder" if place.is_dir() else "other"
    return found


def run(source: random.Random, deadline: Deadline, workers: Workers) -> Tally:
    """Try situations until the deadline."""
    made = recipes(source)
    batches = ([*islice(made, _BATCH)] for _ in count())
    tally = workers.search(
        try_recipes, batches, deadline, lambda found: (found.kind, found.reproduction["verb"].split(" ")[0])
    )
    tally.findings = [_reduced(each) for each in tally.findings]
    return tally


def _reduced(found: Finding) -> Finding:
    """Return the same kind of finding with fewer changes."""
    best = found
    for change in found.reproduction["changes"]:
        fewer = [each for each in best.reproduction["changes"] if each != change]
        same = (
            [
                each
                for each in try_alone({**best.reproduction, "changes": fewer}).findings
                if each.kind == found.kind
            ]
            if fewer
            else []
        )
        best = same[0] if same else best
    return best


def try_alone(recipe: dict[str, Any]) -> Tally:
    """Try one situation in a process of its own."""
    return try_recipes([recipe])


def main() -> None:
    """Try the situations on stdin; print a line of JSON for each."""
    _template()
    plant()
    for each in json.load(sys.stdin):
        tally = try_recipe(each)
        print(
            json.dumps({"counts": tally.counts, "findings": [asdict(found) for found in tally.findings]}),
            flush=True,
        )
    shutil.rmtree(_template())


if __name__ == "__main__":
    main()
