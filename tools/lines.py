"""Count lines of code, and words of documentation: what `tests/test_house.py` keeps from growing.

`python -m tools.lines` prints a row for each room of `generator/toolgen` and for each folder beside it;
`python -m tools.lines FOLDER` a row for each package of another folder. Counted is every tracked file of
Python, Jinja, JavaScript and TypeScript. A line of code is neither blank, nor a comment alone, nor part of a
docstring.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
PACKAGE: Final = "generator/toolgen"
BESIDE: Final = ("tests", "tools", "benchmarks", "templates", "explorer/src")
COLUMNS: Final = ("code", "comment", "docstring", "blank", "modules")
# a comment that fills its lines; one behind code is part of that line
_JINJA: Final = re.compile(r"^[ \t]*\{#.*?#\}[ \t]*$", re.DOTALL | re.MULTILINE)
_SCRIPT: Final = re.compile(r"^[ \t]*(?://[^\n]*|/\*.*?\*/[ \t]*)$", re.DOTALL | re.MULTILINE)
_COMMENTS: Final = {".jinja": _JINJA} | dict.fromkeys((".js", ".jsx", ".mjs", ".ts", ".tsx"), _SCRIPT)


def count(source: str) -> Counter[str]:
    """Return how many lines of each kind a Python module has."""
    docstrings: set[int] = set()
    in_strings: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                docstrings.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
            case ast.Constant(value=str()) | ast.JoinedStr() if node.end_lineno != node.lineno:
                in_strings.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = [line.strip() for line in source.splitlines()]
    code = {number for number, line in enumerate(lines, 1) if line and not line.startswith("#")}
    code = (code | in_strings) - docstrings
    comments = sum(line.startswith("#") for line in lines)  # in strings, too: rare
    return Counter(
        code=len(code),
        comment=comments,
        docstring=len(docstrings),
        blank=len(lines) - len(code | docstrings) - comments,
        modules=1,
    )


def count_file(path: Path) -> Counter[str]:
    """Return how many lines of each kind a file has; nothing for a file that holds no code."""
    if path.suffix != ".py" and path.suffix not in _COMMENTS:
        return Counter()
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        try:
            return count(text)
        except SyntaxError:  # a case of a test; its lines count all the same
            pass
    pattern = _COMMENTS.get(path.suffix, _SCRIPT)
    code = len([line for line in pattern.sub("", text).splitlines() if line.strip()])
    comments = sum(len(comment.splitlines()) for comment in pattern.findall(text))
    return Counter(code=code, comment=comments, blank=len(text.splitlines()) - code - comments, modules=1)


def rows_of(folder: str) -> dict[str, Counter[str]]:
    """Return the sums of the tracked files below a folder of the repository, by its direct children."""
    rows: dict[str, Counter[str]] = {}
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", folder], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if path.is_symlink() or not path.is_file():  # a link to a file that counts, or a file just removed
            continue
        parts = path.relative_to(ROOT / folder).parts
        rows.setdefault(parts[0] if len(parts) > 1 else ".", Counter()).update(count_file(path))
    return {name: row for name, row in rows.items() if row["modules"]}


def words(folder: str) -> int:
    """Return the words of the Markdown files below a folder, or of one file."""
    place = ROOT / folder
    files = [place] if place.is_file() else sorted(place.rglob("*.md"))
    return sum(len(file.read_text(encoding="utf-8").split()) for file in files)


def main(folder: str | None) -> None:
    """Print a row for each package, the sum, and what stands beside the package."""
    rows = rows_of(folder or PACKAGE)
    rows["all"] = sum(rows.values(), Counter())
    lines = rows["all"].total() - rows["all"]["modules"]
    if folder is None:
        rows |= {name: sum(rows_of(name).values(), Counter()) for name in BESIDE}
    print(f"{'':16}" + "".join(f"{column:>11}" for column in COLUMNS))
    for name, row in rows.items():
        print(f"{name:16}" + "".join(f"{row[column]:11,}" for column in COLUMNS))
    print(f"comment lines in 1,000: {1000 * rows['all']['comment'] / lines:.1f}")
    if folder is None:
        print(f"words: docs {words('docs'):,}, CHANGELOG.md {words('CHANGELOG.md'):,}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
