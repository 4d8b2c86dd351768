"""Groups of cases that are measured together, one figure per case and round."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from .measure import Case, Samples, interleave
from .process import Done, Wrong, run
from .project import PYTHON, Project, lay_out
from .rows import COLD, ENGINE, PASS
from .stdio import first_list

IN_PROCESS = Path(__file__).with_name("in_process")
_ENGINE = Path(PYTHON).with_name("datamodel-codegen")


@dataclass(frozen=True, slots=True)
class Bench:
    """Folder of the projects, and settings. `rounds` of 0: the default of each group."""

    work: Path
    code: Path  # with the toolgen that is measured
    rounds: int = 0
    clock: str = "wall"

    def bare(self, size: int) -> Project:
        """Return a project of `size` specs without generated code."""
        return lay_out(self.work / f"project-{size}-cold", size, self.code)

    def fresh(self, size: int) -> Project:
        """Return a project of `size` specs with generated code and byte-code."""
        project = lay_out(self.work / f"project-{size}", size, self.code)
        project.toolgen("generate", says=f"{size} tool")
        project.compile()
        return project

    def run(self, cases: list[Case], rounds: int, label: str, *, warm_up: bool = True) -> Samples:
        """Measure all cases."""
        return interleave(cases, self.rounds or rounds, label, warm_up=warm_up)


def start(bench: Bench, size: int) -> Samples:
    """Measure commands that start and end at once."""
    project = bench.fresh(size)
    cases = [
        Case(PASS, lambda: _python(project, "-c", "pass").seconds),
        Case("toolgen --help", lambda: project.toolgen("--help", says="usage").seconds),
        Case("import generated", lambda: _python(project, "-c", "import generated").seconds),
    ]
    return bench.run(cases, 21, f"start, {size} specs")


def check(bench: Bench, size: int) -> Samples:
    """Measure `check` without changes."""
    project = bench.fresh(size)
    cases = [
        Case("toolgen check", lambda: project.toolgen("check", says=f"clean: {size} tools").seconds),
        Case(PASS, lambda: _python(project, "-c", "pass").seconds),
    ]
    return bench.run(cases, 11, f"check, {size} specs")


def generate(bench: Bench, size: int) -> Samples:
    """Measure `generate` and `check` without cache and after one change, and the model engine."""
    cold, warm = bench.bare(size), bench.fresh(size)
    says = f"{size} tool"
    (cold.folder / "mcp.json").write_text(cold.toolgen("export", "mcp").text, "utf-8")
    cases = [
        *commands(cold, warm),
        Case(ENGINE, lambda: _engine(cold).seconds),
    ]
    if cold.toolgen("generate", says=says).text and cold.digest() != warm.digest():
        raise Wrong("`generate` writes other files in another folder")
    return bench.run(cases, 7 if size < 100 else 5, f"generate, {size} specs", warm_up=size < 1000)


def commands(cold: Project, warm: Project) -> list[Case]:
    """Return the cases of commands that compile: in a project without output, and in one with it."""
    edits = count(1)
    empty = {"TOOLGEN_CACHE_DIR": str(warm.folder / ".no-cache")}
    says = f"{warm.size} tool"

    def edit() -> None:
        number = next(edits)
        warm.edit(number * 37, f"as of edition {number}")

    def one() -> float:
        done = warm.toolgen("generate", says=says)
        if " 0 files written" in done.text:
            raise Wrong("the edit of a spec changed nothing")
        return done.seconds

    def forget() -> None:
        shutil.rmtree(warm.folder / ".no-cache", ignore_errors=True)

    return [
        Case(COLD, lambda: cold.toolgen("generate", says=says).seconds, cold.forget),
        Case("toolgen generate, one changed", one, edit),
        Case(
            "toolgen check, no cache", lambda: warm.toolgen("check", says="clean", env=empty).seconds, forget
        ),
    ]


def catalog(bench: Bench, size: int) -> Samples:
    """Measure importing and listing all definitions: processor seconds of a new process."""
    project = bench.fresh(size)

    def listed(case: str) -> float:
        return float(_python(project, str(IN_PROCESS / "catalog.py"), case).text)

    listed("write")
    cases = [
        Case("catalog, listed", lambda: listed("import")),
        Case("json.load", lambda: listed("json")),
    ]
    return bench.run(cases, 5, f"catalog, {size} tools")


def server(bench: Bench, size: int) -> Samples:
    """Measure a stdio server from its start to the end of its first `tools/list`."""
    project, single = bench.fresh(size), bench.fresh(1)
    command = [PYTHON, "-m", "generated.mcp_server"]
    cases = [
        Case("toolgen, all tools", lambda: first_list(command, project, size)),
        Case("toolgen, one tool", lambda: first_list(command, single, 1)),
    ]
    return bench.run(cases, 7 if size < 1000 else 3, f"server, {size} tools", warm_up=size < 1000)


def call(bench: Bench, size: int) -> Samples:
    """Measure calls in one process, which runs all rounds itself."""
    return in_process(bench.fresh(size), "calls.py", bench.rounds or 41, bench.clock)


def client(bench: Bench, size: int) -> Samples:
    """Measure calls of a typed client, and raw ones, in one process."""
    project = bench.fresh(size)
    project.toolgen("client", ".", "--package", "shop", says="in shop")
    return in_process(project, "client.py", bench.rounds or 21, bench.clock)


def in_process(project: Project, script: str, rounds: int, clock: str) -> dict[str, list[float]]:
    """Return the figures of a script that measures its cases itself."""
    done = _python(project, str(IN_PROCESS / script), str(rounds), clock)
    found: dict[str, list[float]] = json.loads(done.text.splitlines()[-1])
    return found


def _python(project: Project, *words: str) -> Done:
    return run([PYTHON, *words], project.folder, project.env)


def _engine(project: Project) -> Done:
    """Run the engine's command for all tools at once, with `builtin`, the faster of its formatters."""
    output = project.folder / "peers" / "models.py"
    command = [str(_ENGINE), "--input", "mcp.json", "--input-file-type", "mcp-tools"]
    done = run([*command, "--output", str(output), "--formatters", "builtin"], project.folder, project.env)
    made = output.read_text("utf-8").count("\nclass ")
    if made < 2 * project.size:
        raise Wrong(f"datamodel-codegen wrote {made} classes for {project.size} tools:\n{done.text}")
    return done
