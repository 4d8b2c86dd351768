"""Run a command once for each file and folder of a project, replaced by something that is no file of it.

Runs in a process of its own, because a command that waits for a pipe, or reads a device, would not return.
Prints a line of JSON before each run, and one after it.
"""

from __future__ import annotations

import io
import json
import os
import resource
import shutil
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

SECRET = "xyzzy-0f3c-nothing-outside"
SPARSE = 8 * 1024**3
MEMORY = 2 * 1024**3


def main(project: str, scratch: str, changes: str, words: str) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (SPARSE + 1, SPARSE + 1))
    from toolgen.cli import main as toolgen

    for number, (place, replacement) in enumerate(json.loads(changes)):
        root, outside = Path(scratch, f"{number}", "project"), Path(scratch, f"{number}", "outside")
        shutil.copytree(project, root, symlinks=True)
        outside.mkdir()
        replace(root / place, outside, replacement)
        before = snapshot(outside)
        print(json.dumps([place, replacement]), flush=True)
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = int(toolgen(["-C", str(root), *json.loads(words)]))
        print(
            json.dumps(
                {
                    "changed": [place, replacement],
                    "code": code,
                    "text": (out.getvalue() + err.getvalue())[-3000:],
                    "secret": SECRET in out.getvalue() + err.getvalue() or SECRET in text_of(root),
                    "outside": sorted(before.items() ^ snapshot(outside).items()),
                }
            ),
            flush=True,
        )
        shutil.rmtree(root.parent)


def replace(path: Path, outside: Path, replacement: str) -> None:
    """Put something else in the place of a file or a folder."""
    is_folder = path.is_dir()
    original = outside / "original"
    if replacement == "link to a copy":
        shutil.move(path, original)
    elif is_folder:
        shutil.rmtree(path)
    else:
        path.unlink()
    if replacement == "link to a copy":
        path.symlink_to(original)
    elif replacement == "link":
        original.mkdir() if is_folder else original.write_text(f"name: {SECRET}\n{SECRET}: [\n")
        path.symlink_to(os.path.relpath(original, path.parent))
    elif replacement == "pipe":
        os.mkfifo(path)
    elif replacement == "device":
        path.symlink_to("/dev/zero")
    else:
        with path.open("wb") as file:
            file.truncate(SPARSE)


def snapshot(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): _state(path) for path in folder.rglob("*")}


def _state(path: Path) -> str:
    found = path.lstat()
    return f"{found.st_mode} {found.st_ino} {found.st_mtime_ns} {found.st_size}"


def text_of(root: Path) -> str:
    """Return the text of all regular files of a project, but large ones."""
    return "".join(path.read_bytes().decode("utf-8", "replace") for path in _regular(root))


def _regular(root: Path) -> Iterator[Path]:
    for parent, _, names in os.walk(root):
        for name in names:
            path = Path(parent, name)
            if path.is_file() and not path.is_symlink() and path.stat().st_size < 1024**2:
                yield path


if __name__ == "__main__":
    main(*sys.argv[1:])
