"""Groups of cases that are measured together, one figure per case and round."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from . import peers
from .keystrokes import Typing
from .measure import Case, Samples, interleave
from .process import Done, Wrong, run
from .project import BIN, PYTHON, TOOLGEN, Project, lay_out
from .rows import ENGINE, PASS
from .stdio import first_list
from .watching import Watch

IN_PROCESS = Path(__file__).with_name("in_process")
SCALE = (100, 1000, 5000)


@dataclass(frozen=True, slots=True)
class Bench:
    """Folder of the projects, and settings. `rounds` of 0: the default of each group."""

    work: Path
    rounds: int = 0
    clock: str = "wall"
    every: bool = False  # also slow cases without a target
    made: set[Path] = field(default_factory=set)  # projects that exist and can be copied

    def bare(self, size: int, *, plain: bool = False) -> Project:
        """Return a project of `size` specs without generated code."""
        return lay_out(self.work / f"project-{_name(size, plain)}-cold", size, plain=plain)

    def fresh(self, size: int, *, plain: bool = False) -> Project:
        """Return a project of `size` specs with generated code and byte-code."""
        model = Project(self.work / f"model-{_name(size, plain)}", size, plain=plain)
        if model.folder not in self.made:
            lay_out(model.folder, size, plain=plain)
            model.toolgen("generate", says=f"{size} tool")
            model.compile()
            self.made.add(model.folder)
        project = Project(self.work / f"project-{_name(size, plain)}", size, plain=plain)
        shutil.rmtree(project.folder, ignore_errors=True)
        shutil.copytree(model.folder, project.folder)
        project.toolgen("generate", says=" 0 files written")
        return project

    def run(self, cases: list[Case], rounds: int, label: str, *, warm_up: bool = True) -> Samples:
        """Measure all cases."""
        return interleave(cases, self.rounds or rounds, label, warm_up=warm_up)


def _name(size: int, plain: bool) -> str:
    return f"{size}-plain" if plain else f"{size}"


def start(bench: Bench, size: int) -> Samples:
    """Measure commands that start and end at once."""
    project = bench.fresh(size)
    commands = {
        PASS: [PYTHON, "-c", "pass"],
        "toolgen --help": [str(BIN / "toolgen"), "--help"],
        "import generated": [PYTHON, "-c", "import generated"],
        "datamodel-codegen --help": [str(BIN / "datamodel-codegen"), "--help"],
        "openapi-python-client --version": [str(BIN / "openapi-python-client"), "--version"],
    }
    cases = [Case(name, _command(project, command)) for name, command in commands.items()]
    return bench.run(cases, 21, f"start, {size} specs")


def check(bench: Bench, size: int) -> Samples:
    """Measure `check` without changes."""
    project = bench.fresh(size)
    project.record()
    project.commit()
    says = f"clean: {size} tools"
    cases = [
        Case("toolgen check", lambda: project.toolgen("check", says=says).seconds),
        Case("bare Python script, same hashes", lambda: peers.bare_script(project).seconds),
        Case("sha256sum --check", lambda: peers.sha256sum(project).seconds),
        Case("git status", lambda: peers.git_status(project).seconds),
        Case(PASS, lambda: peers.python_pass(project).seconds),
    ]
    return bench.run(cases, 11, f"check, {size} specs")


def breaking(bench: Bench, size: int) -> Samples:
    """Measure `breaking` with the last commit, and `check`, when one spec accepts less than before."""
    project = bench.fresh(size)
    project.commit()
    edits = count(1)

    def edit() -> None:
        project.tighten(next(edits) * 37)

    def run(*words: str, says: str) -> float:
        return project.toolgen(*words, says=says, code=1).seconds

    cases = [
        Case(
            "toolgen breaking, one changed",
            lambda: run("breaking", "--against", "HEAD", says="1 break,"),
            edit,
        ),
        Case("toolgen check, one changed", lambda: run("check", "--no-diff", says="CHANGED"), edit),
    ]
    return bench.run(cases, 11, f"breaking, {size} specs")


def generate(bench: Bench, size: int) -> Samples:
    """Measure commands that use the engine, and other generators."""
    return _generate(bench, size, plain=False)


def generate_plain(bench: Bench, size: int) -> Samples:
    """Measure the same with plain specs."""
    return _generate(bench, size, plain=True)


def _generate(bench: Bench, size: int, *, plain: bool) -> Samples:
    cold, warm = bench.bare(size, plain=plain), bench.fresh(size, plain=plain)
    edits = count(1)
    empty = {"TOOLGEN_CACHE_DIR": str(warm.folder / ".no-cache")}

    def edit() -> None:
        number = next(edits)
        warm.edit(number * 37, f"as of edition {number}")

    def forget() -> None:
        shutil.rmtree(warm.folder / ".no-cache", ignore_errors=True)

    says = f"{size} tool"
    cases = [
        Case("toolgen generate, cold", lambda: cold.toolgen("generate", says=says).seconds, cold.forget),
        Case("toolgen generate, one changed", lambda: _one(warm).seconds, edit),
        Case("toolgen lint", lambda: warm.toolgen("lint", says=says).seconds),
        Case("toolgen check, no cache", lambda: _without(warm, empty).seconds, forget),
        Case(ENGINE, lambda: peers.engine(cold).seconds),
    ]
    if size >= 1000 and shutil.which("taskset"):
        cases.append(Case("toolgen generate, one core", lambda: _one_core(cold, says).seconds, cold.forget))
    if size == 10:
        cases.append(Case(PASS, lambda: peers.python_pass(cold).seconds))
    if not plain:
        cases += _other_generators(bench, cold)
    return bench.run(cases, _ROUNDS.get(size, 3), f"generate, {cold.folder.name}", warm_up=size < 1000)


_ROUNDS = {10: 7, 40: 7, 100: 5}


def _one_core(project: Project, says: str) -> Done:
    return project.toolgen("generate", says=says, one_core=True)


def _other_generators(bench: Bench, cold: Project) -> list[Case]:
    """Return the cases of other tools, except for the engine as it is fastest."""

    untimed = peers.ENGINE_WITHOUT_TIME

    def reprint() -> None:
        peers.engine(cold, untimed)

    def check_again() -> float:
        return peers.engine(cold, untimed, check=True).seconds

    def again() -> None:
        peers.forget_client(cold)

    cases = [Case("openapi-python-client", lambda: peers.client_generator(cold).seconds, again)]
    if cold.size <= 100 or bench.every:
        options = peers.ENGINE_AS_IT_COMES
        cases += [
            Case(
                "datamodel-codegen --check", lambda: peers.engine(cold, untimed, check=True).seconds, reprint
            ),
            Case("datamodel-codegen, black and isort", lambda: peers.engine(cold, options).seconds),
        ]
    return cases


def watch(bench: Bench, size: int) -> Samples:
    """Measure seconds from saving a spec until `generate --watch` has written its code."""
    return _watch(bench, size, plain=False)


def watch_plain(bench: Bench, size: int) -> Samples:
    """Measure the same with plain specs."""
    return _watch(bench, size, plain=True)


def _watch(bench: Bench, size: int, *, plain: bool) -> Samples:
    project = bench.fresh(size, plain=plain)
    edits = count(1)
    with Watch(project) as watching:

        def edit() -> float:
            number = next(edits)
            project.edit(number * 37, f"as of edition {number}")
            return watching.until_fresh()

        cases = [Case("generate --watch, edit to fresh", edit), Case("0.3 seconds", lambda: 0.3)]
        return bench.run(cases, 11, f"watch, {project.folder.name}")


def keystrokes(bench: Bench, size: int) -> Samples:
    """Measure seconds from a keystroke in a spec of 500 lines until an editor has its diagnostics."""
    with Typing(bench.bare(size)) as typing:
        cases = [
            Case("toolgen lsp, keystroke to diagnostics", typing.keystroke),
            Case("0.05 seconds", lambda: 0.05),
        ]
        return bench.run(cases, 41, f"keystrokes, {size} specs")


def memory(bench: Bench, size: int) -> Samples:
    """Measure peak memory in bytes of all processes of a command; of the largest one if PSS is unknown."""
    project = bench.bare(size)

    def peak(done: Done) -> float:
        return float(done.memory or done.largest)

    cases = [
        Case("toolgen generate, cold", lambda: peak(project.toolgen("generate", weigh=True)), project.forget),
        Case(ENGINE, lambda: peak(peers.engine(project, weigh=True))),
    ]
    return bench.run(cases, 3, f"memory, {size} specs", warm_up=False)


def scale(bench: Bench, sizes: tuple[int, ...] = SCALE, *, plain: bool = False) -> Samples:
    """Measure the cost of a further spec in small and large projects: cold `generate`, unchanged `check`."""
    cold = {size: bench.bare(size, plain=plain) for size in sizes}
    warm = {size: bench.fresh(size, plain=plain) for size in sizes}
    cases = []
    for size in sizes:
        says = f"{size} tool"
        cases += [
            Case(f"generate {size}", _toolgen(cold[size], "generate", says), cold[size].forget),
            Case(f"check {size}", _toolgen(warm[size], "check", f"clean: {says}")),
        ]
    samples = dict(bench.run(cases, 3, "scale", warm_up=False))
    small, middle, large = sizes[0], sizes[-2], sizes[-1]
    for verb in ("generate", "check"):
        samples[f"{verb}, beyond 1,000"] = _slope(samples, verb, middle, large)
        samples[f"{verb}, up to 1,000"] = _slope(samples, verb, small, middle)
    return samples


def catalog(bench: Bench, size: int) -> Samples:
    """Measure importing and listing all definitions: processor seconds of a new process, and bytes."""
    project = bench.fresh(size)

    def listed(case: str) -> float:
        return float(_list_catalog(project, case).text)

    def peak() -> float:
        done = _list_catalog(project, "import", weigh=True)
        return float(done.memory or done.largest)

    listed("write")
    cases = [
        Case("catalog, listed", lambda: listed("import")),
        Case("catalog, listed again", lambda: listed("again")),
        Case("catalog, one tool of a toolkit", lambda: listed("toolkit")),
        Case("json.load", lambda: listed("json")),
        Case("catalog, peak memory", peak),
        Case("250 MB", lambda: 250e6),
    ]
    return bench.run(cases, 5, f"catalog, {size} tools")


def _list_catalog(project: Project, case: str, *, weigh: bool = False) -> Done:
    command = [PYTHON, str(IN_PROCESS / "catalog.py"), case]
    return run(command, project.folder, project.env, weigh=weigh)


def server(bench: Bench, size: int) -> Samples:
    """Measure a stdio server from its start to the end of its first `tools/list`."""
    project, single = bench.fresh(size), bench.fresh(1)
    ours = [PYTHON, "-m", "generated.mcp_server"]
    cases = [
        Case("toolgen, all tools", lambda: first_list(ours, project, size)),
        Case("toolgen, one tool", lambda: first_list(ours, single, 1)),
    ]
    for kind, name in (
        ("lowlevel", "low-level server by hand"),
        ("mcpserver", "MCPServer"),
        ("fastmcp", "fastmcp"),
    ):
        command = [PYTHON, str(IN_PROCESS / "servers.py"), kind]
        cases.append(Case(name, _listing(command, project, size)))
    return bench.run(cases, 7 if size < 1000 else 3, f"server, {size} tools", warm_up=size < 1000)


def mock(bench: Bench, size: int) -> Samples:
    """Measure `toolgen mock` from its start to the end of its first `tools/list`."""
    project = bench.fresh(size)
    by_hand = [PYTHON, str(IN_PROCESS / "servers.py"), "lowlevel"]
    specs = [PYTHON, str(IN_PROCESS / "specs.py")]
    env = {**project.env, "BENCH_CLOCK": bench.clock}

    def read() -> float:
        return float(run(specs, project.folder, env).text)

    cases = [
        Case("toolgen mock", _listing([TOOLGEN, "mock"], project, size)),
        Case("low-level server, and specs read", lambda: first_list(by_hand, project, size) + read()),
    ]
    return bench.run(cases, 7 if size < 1000 else 5, f"mock, {size} tools", warm_up=size < 1000)


def call(bench: Bench, size: int) -> Samples:
    """Measure calls in one process, which runs all rounds itself."""
    project = bench.fresh(size)
    rounds = bench.rounds or 41
    command = [PYTHON, str(IN_PROCESS / "calls.py"), str(rounds), "30", bench.clock]
    found: dict[str, list[float]] = json.loads(
        run(command, project.folder, project.env).text.splitlines()[-1]
    )
    return found


def refusal(bench: Bench, size: int) -> Samples:
    """Measure the slowest refused call, of those whose faults are expensive to describe."""
    project = bench.fresh(size)
    command = [PYTHON, str(IN_PROCESS / "refusals.py"), str(bench.rounds or 11), bench.clock]
    found: dict[str, list[float]] = json.loads(
        run(command, project.folder, project.env).text.splitlines()[-1]
    )
    return found


def blocks(bench: Bench, size: int) -> Samples:
    """Measure a result with an image of 20 MB: the longest stall of the event loop, and memory."""
    project = bench.bare(size)
    command = [PYTHON, str(IN_PROCESS / "blocks.py"), str(bench.rounds or 5), bench.clock]
    found: dict[str, list[float]] = json.loads(
        run(command, project.folder, project.env).text.splitlines()[-1]
    )
    return found


def _command(project: Project, command: list[str]) -> Callable[[], float]:
    return lambda: run(command, project.folder, project.env).seconds


def _toolgen(project: Project, verb: str, says: str) -> Callable[[], float]:
    return lambda: project.toolgen(verb, says=says).seconds


def _listing(command: list[str], project: Project, size: int) -> Callable[[], float]:
    return lambda: first_list(command, project, size)


def _without(project: Project, cache: Mapping[str, str]) -> Done:
    return project.toolgen("check", says="clean", env=cache)


def _one(project: Project) -> Done:
    done = project.toolgen("generate", says=f"{project.size} tool")
    if " 0 files written" in done.text:
        raise Wrong("the edit of a spec changed nothing")
    return done


def _slope(samples: Samples, verb: str, few: int, many: int) -> list[float]:
    """Return seconds per spec between two sizes, for each round."""
    pairs = zip(samples[f"{verb} {few}"], samples[f"{verb} {many}"], strict=True)
    return [(large - small) / (many - few) for small, large in pairs]
