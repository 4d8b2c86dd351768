"""Time per tool to import tools of MCP servers, compared with the engine on the same tools.

The tools are those of published servers if the shared corpus exists, otherwise the benchmark's own.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from . import peers
from .groups import IN_PROCESS, Bench
from .measure import Case, Samples
from .peer_inputs import mcp_document
from .process import run
from .project import PYTHON, Project
from .rows import ENGINE

_ROOT = Path(__file__).parents[1]
CORPUS = Path(os.environ.get("TOOLGEN_SHARED", _ROOT.parent / "shared")) / "corpus" / "mcp_tools.public.jsonl"


def whose() -> str:
    """Return which tools are imported."""
    return "those of published servers" if CORPUS.is_file() else "the benchmark's own"


def models_by_template(work: Path, size: int = 1000) -> str:
    """Return how many of the imported tools have models that the template prints, in words."""
    project = _lay_out(work / "models", size)
    project.toolgen("import", "mcp", "mcp.json", says=f"{size} specs written")
    return run([PYTHON, str(IN_PROCESS / "models.py")], project.folder, project.env).text.strip()


def adopt(bench: Bench, size: int) -> Samples:
    """Measure seconds per tool: from `tools/list` to specs, and from there to generated code."""
    project = _lay_out(bench.work / f"adopt-{size}", size)

    def forget() -> None:
        project.forget()
        shutil.rmtree(project.folder / "specs", ignore_errors=True)

    def bring_in() -> float:
        return project.toolgen("import", "mcp", "mcp.json", says=f"{size} specs written").seconds / size

    def bring_in_and_generate() -> float:
        return bring_in() + project.toolgen("generate", says=f"{size} tools").seconds / size

    cases = [
        Case("toolgen import mcp", bring_in, forget),
        Case("toolgen import mcp, generate", bring_in_and_generate, forget),
        Case(ENGINE, lambda: peers.engine(project, classes=1).seconds / size),
    ]
    return bench.run(cases, 7 if size < 1000 else 3, f"adopt, {size} tools", warm_up=size < 1000)


def _lay_out(folder: Path, size: int) -> Project:
    """Create a project without specs, and a source of `size` tools."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "peers").mkdir(parents=True)
    (folder / "toolgen.toml").write_text("", "utf-8")
    (folder / "pyproject.toml").write_text('[project]\nname = "bench"\nversion = "0"\n', "utf-8")
    (folder / "mcp.json").write_text(_source(size), "utf-8")
    return Project(folder, size)


def _source(size: int) -> str:
    """Return tools evenly distributed over the corpus, in which servers are consecutive."""
    lines = CORPUS.read_text("utf-8").splitlines() if CORPUS.is_file() else []
    if len(lines) < size:
        return mcp_document(size)
    tools = [json.loads(lines[number * len(lines) // size]) for number in range(size)]
    return json.dumps({"tools": [{key: tool[key] for key in tool if key != "source"} for tool in tools]})
