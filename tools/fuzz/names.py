"""Hostile texts as names of files and folders, and as `--shown-as`."""

from __future__ import annotations

from tools.fuzz.findings import Finding, Tally
from tools.fuzz.generated_syntax import faults_of
from tools.fuzz.project import project

_SPEC = '{"name": "echo", "description": "Return the text.", "input_schema": {"type": "object"}}'
_LONGEST = 200  # bytes of a file name, without its ending


def is_file_name(text: str) -> bool:
    """True if the file or the folder of a spec can have this name."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return False
    # hidden files are no specs
    return 0 < len(data) < _LONGEST and not {"/", "\x00"} & set(text) and not text.startswith(".")


def try_shown_as(text: str) -> Tally:
    """Generate one spec as a build system does, its folder shown as `text`."""
    tally = Tally()
    with project() as here:
        here.write("specs/echo.yaml", _SPEC)
        words = ("--spec", "specs/echo.yaml", "--include-root", "specs", "--out", "out", "--piece", "a.piece")
        ran = here.toolgen("generate", *words, f"--shown-as={text}")
        if ran.code == 0:
            ran = here.toolgen("generate", "--index", "a.piece", "--out", "out")
        tally.counts["--shown-as"] += 1
        faults = [f"stderr has {controls}"] if (controls := ran.controls()) else []
        if ran.code not in (0, 2):
            faults.append(f"exit {ran.code}: {ran.err[-1000:]}")
        for file in sorted(here.root.glob("out/**/*.py")):
            path = file.relative_to(here.root / "out").as_posix()
            faults += [f"{path}: {fault}" for fault in faults_of(path, file.read_bytes())]
        tally.findings += [Finding("shown_as", "name", fault, text) for fault in faults[:1]]
    return tally
