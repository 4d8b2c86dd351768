"""A module to be mutated: its text, its syntax tree, and the edits that operators make."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """A replacement of the text between two offsets."""

    start: int
    end: int
    text: str

    def apply(self, text: str) -> str:
        """Return `text` with the replacement."""
        return text[: self.start] + self.text + text[self.end :]


@dataclass(frozen=True)
class Module:
    """A Python module. Offsets are of characters in `text`."""

    path: str  # below the project, with forward slashes
    text: str
    tree: ast.Module = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tree", ast.parse(self.text))

    @cached_property
    def _lines(self) -> list[tuple[int, bytes]]:
        """Return offset and encoded text of each line; columns of `ast` count UTF-8 bytes."""
        found, offset = [], 0
        for line in self.text.splitlines(keepends=True):
            found.append((offset, line.encode()))
            offset += len(line)
        return found

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """Return node → parent."""
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def nodes(self) -> Iterator[ast.AST]:
        """Yield all nodes of functions' bodies and of module constants; no annotations and no docstrings."""
        stack: list[ast.AST] = [self.tree]
        while stack:
            node = stack.pop()
            yield node
            stack += reversed(list(_children(node)))

    def functions(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        """Yield all functions and methods."""
        for node in self.nodes():
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a line from 1 and a column in bytes."""
        start, data = self._lines[line - 1]
        return start + len(data[:column].decode())

    def start(self, node: ast.expr | ast.stmt) -> int:
        """Return the offset at which a node starts."""
        return self.offset(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt) -> int:
        """Return the offset after a node."""
        return self.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)

    def source(self, node: ast.expr | ast.stmt) -> str:
        """Return the text of a node."""
        return self.text[self.start(node) : self.end(node)]

    def replace(self, node: ast.expr | ast.stmt, text: str) -> Edit:
        """Return the edit that puts `text` in the place of a node."""
        return Edit(self.start(node), self.end(node), text)

    def line_of(self, edit: Edit) -> int:
        """Return the number of the line where an edit starts, from 1."""
        return self.text.count("\n", 0, edit.start) + 1


def _children(node: ast.AST) -> Iterator[ast.AST]:
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_docstring(child) and not _is_import(child):
                yield child


def _is_docstring(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _is_import(node: ast.AST) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)
