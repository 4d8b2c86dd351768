"""Format generated code with one pinned formatter, whatever the user's settings are."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile

from ruff import find_ruff_bin  # type: ignore[import-untyped]

from toolgen.base.files import WritableFolder
from toolgen.compile.python_source.literals import is_read_as_utf_8
from toolgen.language.changes import Tree
from toolgen.language.diagnostic import TemplateBug

_HERMETIC = ["--isolated", "--no-cache", "--target-version=py311", "--line-length=88"]
_LINT = [
    "check",
    "--fix",
    "--exit-zero",
    "--select=I,F401,RUF022",
    "--config=src=[]",  # the format of a file does not depend on the files beside it
    "--config=lint.isort.split-on-trailing-comma=false",
]
_FORMAT = ["format", "--config=format.skip-magic-trailing-comma=true"]
# What a process needs to start; nothing that ruff reads.
_ENVIRONMENT = ("SYSTEMROOT", "TMPDIR", "TEMP", "TMP")


def format_tree(tree: Tree, *, sorts_imports: bool = False) -> Tree:
    """Return the tree with every `*.py` formatted; other files are unchanged.

    With `sorts_imports`, imports that are not used are removed, and the others sorted. Runs one process for
    the whole tree, in a temporary folder, or two. Raises `TemplateBug` for invalid Python.
    """
    sources = {path: text for path, text in tree.items() if path.endswith(".py")}
    if not sources:
        return tree
    with tempfile.TemporaryDirectory(prefix="toolgen-") as folder:
        made = WritableFolder(folder)
        for path, text in sources.items():
            made.make_folders(path.rpartition("/")[0])
            made.create(path, text.encode())
        if sorts_imports:
            _ruff([*_LINT, *_HERMETIC, "."], folder)
        _ruff([*_FORMAT, *_HERMETIC, "."], folder)
        formatted = {path: _with_lf(made.read(path).decode()) for path in sources}
    for path, text in formatted.items():
        if not is_read_as_utf_8(text):  # what is reviewed must run
            raise TemplateBug(f"{path} begins with a byte order mark, or names another encoding than UTF-8")
    return {path: formatted.get(path, text) for path, text in tree.items()}


def _with_lf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _ruff(arguments: list[str], folder: str) -> None:
    environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    done = subprocess.run(
        [find_ruff_bin(), *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    # ^C reaches the whole process group, and this process perhaps a moment later
    if done.returncode == -signal.SIGINT:
        raise KeyboardInterrupt
    if done.returncode:
        raise TemplateBug(f"the formatter refuses what the templates printed:\n{done.stderr or done.stdout}")
