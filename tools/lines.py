"""Count the lines of Python sources: code, comments, docstrings, blank lines, and modules, for each package.

`python -m tools.lines [FOLDER]` prints a row for each package of `generator/toolgen` (or of another folder).
A line of code is neither blank, nor a comment alone, nor part of a docstring.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from pathlib import Path

COLUMNS = ("code", "comment", "docstring", "blank", "modules")
LAYOUT = {
    tokenize.NEWLINE,
    tokenize.NL,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
    tokenize.COMMENT,
}


def count(source: str) -> Counter[str]:
    """Return how many lines of each kind a module has."""
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            docstrings.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in LAYOUT:
            code.update(range(token.start[0], token.end[0] + 1))
    code -= docstrings
    comments = sum(line.lstrip().startswith("#") for line in source.splitlines())  # in strings, too: rare
    total = len(source.splitlines())
    return Counter(
        code=len(code),
        comment=comments,
        docstring=len(docstrings),
        blank=total - len(code | docstrings) - comments,
        modules=1,
    )


def main(folder: Path) -> None:
    """Print a row for each package, and the sum."""
    rows: dict[str, Counter[str]] = {}
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).parts
        rows.setdefault(parts[0] if len(parts) > 1 else ".", Counter()).update(
            count(path.read_text(encoding="utf-8"))
        )
    rows["all"] = sum(rows.values(), Counter())
    print(f"{'':16}" + "".join(f"{column:>11}" for column in COLUMNS))
    for name, row in rows.items():
        print(f"{name:16}" + "".join(f"{row[column]:11,}" for column in COLUMNS))
    lines = rows["all"].total() - rows["all"]["modules"]
    print(f"comment lines in 1,000: {1000 * rows['all']['comment'] / lines:.1f}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "generator/toolgen"))
