"""Measure the page of `toolgen docs` in Chromium: how fast it opens, and shows a spec that was saved."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from .groups import Bench
from .measure import Case, Samples
from .process import Wrong
from .project import TOOLGEN, Project

ROOT = Path(__file__).parent.parent
_PACKAGES = ROOT / ".conformance"  # as those of `make test-browser`
_DRIVER = "playwright-core@1.65.1"
_SPEC, _DESCRIPTION = "specs/echo.yaml", "Return a text exactly"
_PAUSE = 1500  # milliseconds


def missing() -> str:
    """Return what these measurements need and is not installed; empty if nothing is."""
    needed = {"npm": "npm", "node": "node", "chromium": "Chromium (Debian: chromium)"}
    return ", ".join(words for program, words in needed.items() if shutil.which(program) is None)


def pages(bench: Bench, size: int) -> Samples:
    """Measure seconds until the page of `size` tools, and that of the gallery, are open."""
    project, gallery = bench.bare(size), _gallery(bench.work)
    project.toolgen("docs", "--out", "page")
    gallery.toolgen("docs", "--out", "page")
    with _browser() as browser:
        cases = [
            Case("toolgen docs, opened", _opened(browser, project)),
            Case("2 seconds", lambda: 2.0),
            Case("toolgen docs, gallery, opened", _opened(browser, gallery)),
            Case("1 second", lambda: 1.0),
        ]
        return bench.run(cases, 11, f"pages, {size} specs")


def page_reloads(bench: Bench, size: int) -> Samples:
    """Measure seconds from a saved spec of the gallery until the page of `toolgen dev` shows it."""
    del size
    gallery, numbers = _gallery(bench.work), count(1)
    shown = _DESCRIPTION

    def save() -> float:
        nonlocal shown
        before, shown = shown, f"Text {next(numbers)}"
        file = str(gallery.folder / _SPEC)
        return ask("save", file=file, replaced=before, mark=shown, pause=_PAUSE)

    with _browser() as ask, _dev(gallery) as url:
        ask("follow", url=url, tool="echo")
        cases = [Case("toolgen dev, saved to shown", save), Case("0.5 seconds", lambda: 0.5)]
        return bench.run(cases, 11, "page-reloads, gallery")


def _opened(ask: Any, project: Project) -> Any:
    url = (project.folder / "page" / "index.html").as_uri()
    return lambda: ask("open", url=url)


def _gallery(work: Path) -> Project:
    """Return a copy of the gallery's specs."""
    project = Project(work.resolve() / "gallery", 22)
    shutil.rmtree(project.folder, ignore_errors=True)
    shutil.copytree(ROOT / "specs", project.folder / "specs")
    shutil.copyfile(ROOT / "toolgen.toml", project.folder / "toolgen.toml")
    # `toolgen dev` compares with main, and the repository around has nothing in this folder
    subprocess.run(["git", "init", "-q"], cwd=project.folder, check=True)
    return project


@contextmanager
def _browser() -> Iterator[Any]:
    """Start Chromium; give a function that asks it for a measurement, in seconds."""
    _PACKAGES.mkdir(exist_ok=True)
    install = ["npm", "install", "--no-audit", "--no-fund", "--silent", _DRIVER]
    subprocess.run(install, cwd=_PACKAGES, check=True)
    script, chromium = str(Path(__file__).with_name("pages.mjs")), shutil.which("chromium") or ""
    process = subprocess.Popen(
        ["node", script, chromium],
        cwd=_PACKAGES,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin
    assert process.stdout
    given, answers = process.stdin, process.stdout

    def ask(what: str, **more: Any) -> float:
        given.write(json.dumps({"what": what, **more}) + "\n")
        given.flush()
        answer = json.loads(answers.readline() or '{"error": "the browser has ended"}')
        if "error" in answer:
            raise Wrong(f"the page: {answer['error']}")
        return float(answer["seconds"])

    try:
        yield ask
    finally:
        process.kill()
        process.communicate()


@contextmanager
def _dev(project: Project) -> Iterator[str]:
    """Run `toolgen dev`; give the address of its page."""
    process = subprocess.Popen(
        [TOOLGEN, "dev", "--port", "0"],
        cwd=project.folder,
        env=project.env,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr
    try:
        for line in process.stderr:
            if line.startswith("open "):
                yield line.removeprefix("open ").strip()
                return
        raise Wrong("toolgen dev has ended")
    finally:
        process.kill()
        process.wait()
