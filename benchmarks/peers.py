"""Other command line tools: their command lines, and the checks that they did the work."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from .process import Done, Wrong, run
from .project import BIN, PYTHON, Project

_SCRIPT = Path(__file__).with_name("hashes.py")

# By default the engine formats with black and isort, 18 ms per tool. `builtin` is its own fast formatter and
# its announced next default, so it is the stricter comparison. Everything else is the default.
ENGINE_OPTIONS = ("--formatters", "builtin")
ENGINE_WITHOUT_TIME = (*ENGINE_OPTIONS, "--disable-timestamp")  # its `--check` compares the time, too
ENGINE_AS_IT_COMES = ("--formatters", "black", "isort")


def python_pass(project: Project) -> Done:
    """Return the shortest Python command."""
    return run([PYTHON, "-c", "pass"], project.folder, project.env)


def engine(
    project: Project,
    options: Sequence[str] = ENGINE_OPTIONS,
    *,
    check: bool = False,
    weigh: bool = False,
    classes: int = 2,
) -> Done:
    """Return the engine's command line for all tools at once; with `check`, its own comparison.

    `classes` is the minimum number of classes per tool by which to verify that it did the work; of plain
    tools, whose nested classes may be equal, it is one.
    """
    output = project.folder / "peers" / "models.py"
    command = [str(BIN / "datamodel-codegen"), "--input", "mcp.json", "--input-file-type", "mcp-tools"]
    more = ["--output", str(output), *options, *(["--check"] if check else [])]
    done = run([*command, *more], project.folder, project.env, weigh=weigh)
    made = output.read_text("utf-8").count("\nclass ")
    if made < (1 if project.plain else classes) * project.size:
        raise Wrong(f"datamodel-codegen wrote {made} classes for {project.size} tools:\n{done.text}")
    return done


def client_generator(project: Project) -> Done:
    """Return the command line of openapi-python-client for the same tools as operations."""
    output = project.folder / "peers" / "client"
    command = [str(BIN / "openapi-python-client"), "generate", "--path", "openapi.json"]
    env = {**project.env, "PATH": f"{BIN}:{project.env['PATH']}"}  # it finds ruff on PATH
    done = run([*command, "--output-path", str(output)], project.folder, env)
    made = len(list((output / "bench_client" / "api" / "tools").glob("*_[0-9]*.py")))
    if made != project.size or "rror" in done.text or "arning" in done.text:
        raise Wrong(f"openapi-python-client wrote {made} of {project.size} operations:\n{done.text[-2000:]}")
    return done


def forget_client(project: Project) -> None:
    """Remove the output of openapi-python-client."""
    shutil.rmtree(project.folder / "peers" / "client", ignore_errors=True)


def bare_script(project: Project) -> Done:
    """Return a Python script that hashes the same inputs and outputs and compares them with a list."""
    return run([PYTHON, str(_SCRIPT), "files.sha256"], project.folder, project.env)


def sha256sum(project: Project) -> Done:
    """Return the command of coreutils for the same list."""
    return run(["sha256sum", "--check", "--quiet", "files.sha256"], project.folder, project.env)


def git_status(project: Project) -> Done:
    """Return `git status` for a repository of the same files, unchanged."""
    done = run(["git", "status", "--porcelain"], project.folder, project.env)
    if done.text:
        raise Wrong(f"git status found changes:\n{done.text[:500]}")
    return done
