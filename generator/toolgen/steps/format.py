"""Tree → Tree: the same text, laid out by one pinned formatter and nobody's settings."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import MutableMapping
from hashlib import sha256
from pathlib import Path

from ruff import find_ruff_bin  # type: ignore[import-untyped]

from toolgen.data.bug import TemplateBug
from toolgen.data.tree import Tree

_RULES = 1  # raised when the same text is laid out otherwise than before
_HERMETIC = ["--isolated", "--no-cache", "--target-version=py311", "--line-length=88"]
_LINT = [
    "check",
    "--fix",
    "--exit-zero",
    "--select=I,F401,RUF022",
    "--config=src=[]",  # how a file is laid out is not a matter of the files beside it
    "--config=lint.isort.split-on-trailing-comma=false",
]
_FORMAT = ["format", "--config=format.skip-magic-trailing-comma=true"]
_ENVIRONMENT = (
    "SYSTEMROOT",
    "TMPDIR",
    "TEMP",
    "TMP",
)  # what a process needs to start; nothing that ruff reads


def format_files(tree: Tree, options: str, cache: MutableMapping[str, bytes]) -> Tree:
    """`format_tree`, where most files are what they were the last time: `cache` has those.

    Of each path, and each `options`, it has the last only: what is printed of all tools is large.
    """
    hashes = {path: sha256(text.encode()).hexdigest().encode() for path, text in tree.items()}
    keys = {path: f"laid out {_RULES} {options} {path}" for path in tree}
    known: dict[str, str] = {}
    for path, key in keys.items():
        of, _, text = cache.get(key, b"").partition(b"\n")
        if of == hashes[path]:
            known[path] = text.decode()
    made = format_tree({path: text for path, text in tree.items() if path not in known})
    for path, laid_out in made.items():
        cache[keys[path]] = hashes[path] + b"\n" + laid_out.encode()
    return {**known, **made}


def format_tree(tree: Tree) -> Tree:
    """Every `*.py` of the tree with imports sorted and lines laid out; the rest as it was.

    Two processes for the whole tree, in a folder of their own. Raises `TemplateBug` for what is no Python.
    """
    sources = {path: text for path, text in tree.items() if path.endswith(".py")}
    if not sources:
        return tree
    with tempfile.TemporaryDirectory(prefix="toolgen-") as folder:
        for path, text in sources.items():
            file = Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
        for command in (_LINT, _FORMAT):
            _ruff([*command, *_HERMETIC, "."], folder)
        laid_out = {path: Path(folder, path).read_text(encoding="utf-8") for path in sources}
    return {path: laid_out.get(path, text) for path, text in tree.items()}


def _ruff(arguments: list[str], folder: str) -> None:
    environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    done = subprocess.run(
        [find_ruff_bin(), *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise TemplateBug(f"the formatter refuses what the templates printed:\n{done.stderr or done.stdout}")
