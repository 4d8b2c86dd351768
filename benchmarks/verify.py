"""Checks before measuring: the same output cold, warm and after a change; the same input for all."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from .process import Wrong, run
from .project import PYTHON, Project, lay_out

_HEAVY = ("datamodel_code_generator", "jinja2", "pydantic", "yaml")


def verify(work: Path, size: int) -> dict[str, list[str]]:
    """Raise `Wrong` if an output differs. Return the heavy modules that the two kinds of `check` import."""
    one, other = lay_out(work / "verify", size), lay_out(work / "verify-other", size)
    _same_tools(one)
    _same_tools(lay_out(work / "verify-plain", size, plain=True))
    one.toolgen("generate")
    cold = one.digest()
    one.toolgen("generate", says=" 0 files written")
    _expect(one.digest() == cold, "`generate` with a warm cache writes other files than without one")
    other.toolgen("generate")
    _expect(other.digest() == cold, "`generate` writes other files in another folder")
    for project in (one, other):
        project.edit(3, "as was verified")
    one.toolgen("generate", says=f"{size} tool")
    _expect(one.digest() != cold, "`generate` does not see that a spec changed")
    other.forget()
    other.toolgen("generate")
    _expect(one.digest() == other.digest(), "one changed spec gives other files than generating all of them")
    one.toolgen("check", says="clean", env=_without_cache(one))
    (one.folder / "generated" / "catalog.py").open("a").write("# edited\n")
    run([PYTHON, "-m", "toolgen", "check"], one.folder, one.env, code=1)
    return {"check": _loaded(other, {}), "check without cache": _loaded(other, _without_cache(other))}


def _same_tools(project: Project) -> None:
    """Check that other tools get what toolgen publishes."""
    published = json.loads(project.toolgen("export", "mcp").text)["tools"]
    given = json.loads((project.folder / "mcp.json").read_text("utf-8"))["tools"]
    _expect(published == sorted(given, key=lambda tool: str(tool["name"])), "the peers are given other tools")


def _without_cache(project: Project) -> Mapping[str, str]:
    return {"TOOLGEN_CACHE_DIR": str(project.folder / ".no-cache")}


def _loaded(project: Project, env: Mapping[str, str]) -> list[str]:
    """Return the heavy modules that a clean `check` imports, in any of its processes."""
    done = run([PYTHON, "-X", "importtime", "-m", "toolgen", "check"], project.folder, {**project.env, **env})
    found = set(re.findall(r"\| +([a-z_0-9]+)$", done.text, re.MULTILINE))
    return [name for name in _HEAVY if name in found]


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Wrong(otherwise)
